// An invoice in answers.
import * as z from 'zod';
import type { Invoice } from '../../data/billing/invoices.ts';
import { invoiceStates, invoiceTypes, paymentMethods } from '../../domain/billing/invoices.ts';
import { timestamp } from '../fields.ts';
import { shownColumns } from '../shown-columns.ts';

export const invoiceSchema = z
  .object({
    id: z.string(),
    type: z.enum(invoiceTypes),
    method: z.enum(paymentMethods),
    state: z.enum(invoiceStates),
    cost: z.number().describe('Amount in units of the currency, such as dollars.'),
    currency: z.string().describe('ISO 4217 code of the currency.'),
    credits: z.number().describe('Number of credits that were bought or granted.'),
    remainingCredits: z
      .number()
      .describe(
        'Unused credits of this invoice. The oldest paid invoice is used first. Negative in an adjustment that ' +
          'records use beyond all purchases.',
      ),
    createdAt: timestamp,
    receiptURL: z.string().optional(),
  })
  .meta({ id: 'Invoice' });

export function presentInvoice(invoice: Invoice): z.input<typeof invoiceSchema> {
  return {
    ...shownColumns(invoiceSchema, invoice),
    receiptURL: invoice.receipt_url ?? undefined,
  };
}
