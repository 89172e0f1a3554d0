// Grants free credits, once, to eligible users.
import type { Database } from '../../data/database.ts';
import { freeCredits, isEligibleForFreeCredits } from '../../domain/billing/credits.ts';
import { inboxOf } from '../../domain/billing/inbox.ts';

/** Whether the user is eligible for free credits and has not had them yet. */
export async function mayHaveFreeCredits(data: Database, userID: string): Promise<boolean> {
  const { email, email_verified: emailVerified } = await data.creditAccounts.emailFacts(userID);
  return isEligibleForFreeCredits({
    emailVerified,
    hadGrant: await data.creditAccounts.hadFreeCredits(userID, inboxOf(email)),
  });
}

/**
 * Grants free credits to an eligible user. Lock the account first, and call `reassess` afterwards.
 */
export async function grantFreeCredits(data: Database, userID: string, at: Date): Promise<void> {
  await data.creditAccounts.markFreeCreditsDecided(userID);
  if (!(await mayHaveFreeCredits(data, userID))) return;
  const { email } = await data.creditAccounts.emailFacts(userID);
  // Another account of the same inbox may have got them meanwhile.
  if (!(await data.creditAccounts.claimFreeCredits(userID, inboxOf(email)))) return;
  const invoiceID = `free_${userID}`;
  await data.invoices.ensurePaid({
    id: invoiceID,
    userID,
    type: 'free_credits',
    method: 'grant',
    cost: 0,
    credits: freeCredits,
  });
  await data.ledger.payDebt(userID, invoiceID, `grant/${invoiceID}`, at);
}
