// An invoice as clients see it.
import * as z from 'zod';
import type { Invoice } from '../../data/billing/invoices.ts';
import { invoiceStates, invoiceTypes, paymentMethods } from '../../domain/billing/invoices.ts';
import { timestamp } from '../fields.ts';

export const invoiceSchema = z
  .object({
    id: z.string(),
    type: z.enum(invoiceTypes),
    method: z.enum(paymentMethods),
    state: z.enum(invoiceStates),
    cost: z.number().describe('In units of currency, such as dollars.'),
    currency: z.string().describe('ISO 4217.'),
    credits: z.number().describe('Bought or given.'),
    remainingCredits: z
      .number()
      .describe(
        'Not used yet: the oldest paid invoice is used first. Below zero in an adjustment that holds what was ' +
          'used beyond all purchases.',
      ),
    createdAt: timestamp,
    receiptURL: z.string().optional(),
  })
  .meta({ id: 'Invoice' });

export function presentInvoice(invoice: Invoice): z.input<typeof invoiceSchema> {
  return {
    id: invoice.id,
    type: invoice.type,
    method: invoice.method,
    state: invoice.state,
    cost: invoice.cost,
    currency: invoice.currency,
    credits: invoice.credits,
    remainingCredits: invoice.remaining_credits,
    createdAt: invoice.created_at,
    ...(invoice.receipt_url === null ? {} : { receiptURL: invoice.receipt_url }),
  };
}
