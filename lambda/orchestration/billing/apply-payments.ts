// Turns reports of payment providers into credits: each message once, in any order of arrival.
// A message is stored when it arrives, and applied in a second transaction. If that is not possible yet, such as for a
// refund before its payment, the message waits for the sweep.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { Reversal, StoredEvent } from '../../data/billing/payments.ts';
import { mergeReversal, nextInvoiceState, raisedReversals } from '../../domain/billing/invoices.ts';
import type { PaymentReport, ReversalReport } from '../../domain/billing/payment-reports.ts';
import { applyDeposit } from './apply-deposit.ts';
import { creditPurchase, Inapplicable, lockInvoice } from './credit-purchase.ts';
import { reassess } from './meter.ts';

/**
 * Applies every unapplied message, each in a transaction of its own. A refund that arrived before its payment is
 * applied right after the payment. Messages that could not be applied for an hour wait for some of the sweeps. Any
 * number of processes may call this at once.
 * @param sweepTurn the number of the sweep; null: a message has arrived
 * @returns the number of applied messages
 * @throws the first failure, after all other messages had their turn
 */
export async function applyPayments(
  pool: Pool,
  sweepTurn: number | null = null,
  clock: (data: Database) => Promise<Date> = (data) => data.now(),
): Promise<number> {
  let failure: unknown;
  let applied = 0;
  for (let afterSeq = 0; ;) {
    const turn: { event?: (StoredEvent & { seq: number }) | null } = {};
    let isPayment = false;
    try {
      isPayment = await inTransaction(pool, async (data) => {
        turn.event = await data.payments.lockNextUnapplied(afterSeq, sweepTurn);
        return turn.event ? applyEvent(data, turn.event, await clock(data)) : false;
      });
      if (turn.event) applied++;
    } catch (error) {
      if (!turn.event) throw error;
      const { event } = turn;
      await inTransaction(pool, (data) => data.payments.recordFailure(event, String(error)));
      if (!(error instanceof Inapplicable)) failure ??= error;
    }
    if (!turn.event) break;
    // Messages that wait for this payment, such as its refund, arrived before it, so the search restarts after it.
    afterSeq = isPayment ? 0 : turn.event.seq;
  }
  if (failure !== undefined) throw failure;
  return applied;
}

/** @returns whether the message reports a payment */
async function applyEvent(data: Database, event: StoredEvent, now: Date): Promise<boolean> {
  for (const report of event.meaning) await applyReport(data, report, now);
  await data.payments.markApplied(event);
  return event.meaning.some(({ kind }) => kind === 'paid');
}

async function applyReport(data: Database, report: PaymentReport, now: Date): Promise<void> {
  switch (report.kind) {
    case 'paid':
      return applyPaid(data, report, now);
    case 'failed':
    case 'expired':
      return applyUnpaid(data, report);
    case 'receipt':
      await data.invoices.setReceipt(report.invoiceID, report.receiptURL);
      return;
    case 'refund':
    case 'dispute':
      return applyReversal(data, report, now);
    case 'deposit':
      return applyDeposit(data, report, now);
  }
}

async function applyPaid(data: Database, report: Extract<PaymentReport, { kind: 'paid' }>, now: Date): Promise<void> {
  const invoice = await lockInvoice(data, await data.invoices.find(report.invoiceID));
  if (report.currency !== invoice.currency)
    throw new Inapplicable(`paid in ${report.currency} instead of ${invoice.currency}`);
  if (nextInvoiceState(invoice.state, 'paid') === null) return;
  // One credit is one cent.
  const credits = report.amountCents;
  await creditPurchase(data, invoice, {
    cost: report.amountCents / 100,
    credits,
    paymentReference: report.paymentReference,
    at: now,
  });
}

/**
 * Without an invoice there is nothing to do: a fault came between the checkout and its invoice.
 */
async function applyUnpaid(
  data: Database,
  { kind, invoiceID }: Extract<PaymentReport, { kind: 'failed' | 'expired' }>,
): Promise<void> {
  const found = await data.invoices.find(invoiceID);
  if (!found) return;
  const invoice = await lockInvoice(data, found);
  const next = nextInvoiceState(invoice.state, kind);
  if (next) await data.invoices.setState(invoice.id, next);
}

/** Refunds and disputes together never take back more credits than the invoice brought. */
async function applyReversal(data: Database, report: ReversalReport, now: Date): Promise<void> {
  const invoice = await lockInvoice(data, await data.invoices.findByPayment(report.paymentReference));
  const { kind, id: reference, amountCents } = report;
  const known = await data.payments.findReversal(reference);
  const { taken, final } = mergeReversal(known, report);
  const others = (await data.payments.takenReversals(invoice.id)).filter(({ id }) => id !== reference);
  const takenByOthers = creditsOf(others);
  const credits = known?.taken ? known.credits : Math.min(amountCents, invoice.credits - takenByOthers);
  const reportedCents = known?.taken ? known.amount_cents : amountCents;
  const reversal = { id: reference, invoice_id: invoice.id, kind, credits, amount_cents: reportedCents, taken, final };
  const posting = { userID: invoice.user_id, reference, credits, account: 'sales', at: now } as const;

  if (taken && !known?.taken) {
    await data.ledger.take({ ...posting, cause: kind }, invoice.id);
    const next = takenByOthers + credits >= invoice.credits ? nextInvoiceState(invoice.state, 'taken_back') : null;
    if (next) await data.invoices.setState(invoice.id, next);
    await data.notifications.add({
      userID: invoice.user_id,
      kind: kind === 'refund' ? 'payment_refunded' : 'payment_disputed',
      reference,
      detail: { invoiceID: invoice.id, creditsTakenBack: credits },
      dueAt: now,
    });
  }
  if (!taken && known?.taken) {
    const cause = kind === 'refund' ? 'refund_failed' : 'dispute_won';
    const given = nextInvoiceState(invoice.state, 'given_back');
    if (given) await data.invoices.setState(invoice.id, given);
    await data.ledger.add({ ...posting, cause }, invoice.id);
    const raised = raisedReversals(others, invoice.credits);
    for (const { id, kind: causeOfOther, credits: raisedTo, more } of raised) {
      // The ledger has one transaction per cause and reference, so each raise needs a reference of its own.
      const raise = { ...posting, cause: causeOfOther, reference: `${id}/${reference}`, credits: more };
      await data.ledger.take(raise, invoice.id);
      await data.payments.setReversedCredits(id, raisedTo);
    }
    const next = creditsOf(raised) >= invoice.credits ? nextInvoiceState(given ?? invoice.state, 'taken_back') : null;
    if (next) await data.invoices.setState(invoice.id, next);
    await data.ledger.payDebt(invoice.user_id, invoice.id, `${cause}/${reference}`, now);
  }
  await data.payments.saveReversal(reversal, now);
  await reassess(data, invoice.user_id, now);
}

function creditsOf(reversals: readonly Pick<Reversal, 'credits'>[]): number {
  return reversals.reduce((sum, { credits }) => sum + credits, 0);
}
