// GET /billing/invoices: how the caller's credits came in, newest first.
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { invoiceSchema, presentInvoice } from './invoice-schema.ts';

export const listInvoices = operation(['service:billing'], {
  id: 'listInvoices',
  summary: 'List invoices',
  description:
    'All credits come in by an invoice. While nothing is live, the remainingCredits of those that are paid sum up ' +
    'to creditsLeft.',
  tag: 'billing',
  method: 'GET',
  path: '/billing/invoices',
  query: pageQuery,
  output: { status: 200, body: pageOf(invoiceSchema).meta({ id: 'InvoicePage' }) },
  errors: ['invalid_cursor'],
  handle: (ctx, { query }) =>
    pageThrough(
      ctx,
      'invoices',
      query,
      (before, count) => ctx.data.invoices.list(ctx.caller.userID, before, count),
      presentInvoice,
    ),
});
