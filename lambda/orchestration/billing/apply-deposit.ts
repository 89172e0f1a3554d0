// Turns crypto deposits into credits.
// Any amount counts, once, after the processor has confirmed it.
import type { Database } from '../../data/database.ts';
import { creditsOfUSD, nextInvoiceState } from '../../domain/billing/invoices.ts';
import { smallestDepositCredits } from '../../domain/billing/payment-reports.ts';
import type { DepositReport } from '../../domain/billing/payment-reports.ts';
import { creditPurchase, Inapplicable, lockInvoice } from './credit-purchase.ts';

export async function applyDeposit(data: Database, report: DepositReport, now: Date): Promise<void> {
  const address = await data.cryptoDeposits.findAddress(report.addressID);
  if (!address) throw new Inapplicable('there is no such deposit address');
  await data.creditAccounts.lock(address.user_id);
  const known = await data.cryptoDeposits.findDeposit(report.id);
  // Confirmed deposits stay confirmed. A late or repeated report changes nothing.
  if (known?.state === 'confirmed') return;
  await data.cryptoDeposits.saveDeposit(report, now);
  const invoiceID = known?.invoice_id ?? report.id.replace(/^dep_/, 'inv_');
  const writePending = async (usd: number) => {
    const pending = {
      id: invoiceID,
      userID: address.user_id,
      type: 'credit_purchase',
      method: 'crypto',
      cost: usd,
      credits: creditsOfUSD(usd),
    } as const;
    await data.invoices.insertPending(pending);
    await data.cryptoDeposits.setInvoice(report.id, invoiceID);
  };

  switch (report.state) {
    case 'confirming':
      if (creditsOfUSD(report.valueUSD) >= smallestDepositCredits) await writePending(report.valueUSD);
      return;
    case 'failed': {
      if (!known?.invoice_id) return;
      const invoice = await lockInvoice(data, await data.invoices.find(invoiceID));
      const next = nextInvoiceState(invoice.state, 'failed');
      if (next) await data.invoices.setState(invoiceID, next);
      return;
    }
    case 'confirmed': {
      // Earlier deposits at this address that were too small for an invoice count too.
      const usd = await data.cryptoDeposits.uncreditedUSD(address.id);
      if (creditsOfUSD(usd) < smallestDepositCredits) {
        if (known?.invoice_id) await data.invoices.setState(invoiceID, 'cancelled');
        return;
      }
      await writePending(usd);
      await data.cryptoDeposits.assignInvoice(address.id, invoiceID);
      const payment = { cost: usd, credits: creditsOfUSD(usd), paymentReference: null, at: now };
      await creditPurchase(data, { id: invoiceID, user_id: address.user_id }, payment);
    }
  }
}
