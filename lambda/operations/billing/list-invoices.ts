// GET /billing/invoices: the caller's purchases and grants of credits, newest first.
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { invoiceSchema, presentInvoice } from './invoice-schema.ts';

export const listInvoices = operation(['service:billing'], {
  summary: 'List invoices',
  description:
    'Returns invoices, newest first. Every credit comes from an invoice. While no stream is live, the ' +
    'remainingCredits of all paid invoices add up to creditsLeft.',
  tag: 'billing',
  route: 'GET /billing/invoices',
  query: pageQuery,
  output: { status: 200, body: pageOf(invoiceSchema).meta({ id: 'InvoicePage' }) },
  handle: (ctx, { query }) =>
    pageThrough(ctx, 'invoices', query, presentInvoice, (before, count) =>
      ctx.data.invoices.list(ctx.caller.userID, before, count),
    ),
});
