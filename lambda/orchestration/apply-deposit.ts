// Turns coins that arrive at a user's address into credits: whatever amount, once, when the processor calls them confirmed.
import type { Database } from '../data/database.ts';
import { creditsOfUSD, nextInvoiceState } from '../domain/invoices.ts';
import { smallestDepositCredits } from '../domain/payment-reports.ts';
import type { DepositReport } from '../domain/payment-reports.ts';
import { creditPurchase, Inapplicable, lockInvoice } from './credit-purchase.ts';

export async function applyDeposit(data: Database, report: DepositReport, now: Date): Promise<void> {
  const address = await data.crypto.findAddress(report.addressID);
  if (!address) throw new Inapplicable('there is no such deposit address');
  await data.billing.lockAccount(address.user_id);
  const known = await data.crypto.findDeposit(report.id);
  // Confirmed coins stay so: what is delivered late or again says nothing new.
  if (known?.state === 'confirmed') return;
  await data.crypto.saveDeposit(report, now);
  const invoiceID = known?.invoice_id ?? report.id.replace(/^dep_/, 'inv_');
  const expect = async (usd: number) => {
    const pending = {
      id: invoiceID,
      userID: address.user_id,
      type: 'credit_purchase',
      method: 'crypto',
      cost: usd,
      credits: creditsOfUSD(usd),
    } as const;
    await data.billing.insertPending(pending);
    await data.crypto.setInvoice(report.id, invoiceID);
  };

  switch (report.state) {
    case 'confirming':
      if (creditsOfUSD(report.valueUSD) >= smallestDepositCredits) await expect(report.valueUSD);
      return;
    case 'failed': {
      if (!known?.invoice_id) return;
      const invoice = await lockInvoice(data, await data.billing.find(invoiceID));
      const next = nextInvoiceState(invoice.state, 'failed');
      if (next) await data.billing.setState(invoiceID, next);
      return;
    }
    case 'confirmed': {
      // With what was too little before.
      const usd = await data.crypto.uncreditedUSD(address.id);
      if (creditsOfUSD(usd) < smallestDepositCredits) {
        if (known?.invoice_id) await data.billing.setState(invoiceID, 'cancelled');
        return;
      }
      await expect(usd);
      await data.crypto.assignInvoice(address.id, invoiceID);
      const payment = { cost: usd, credits: creditsOfUSD(usd), paymentReference: null, at: now };
      await creditPurchase(data, { id: invoiceID, user_id: address.user_id }, payment);
    }
  }
}
