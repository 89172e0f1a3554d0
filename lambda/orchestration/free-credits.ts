// Free credits: who still gets them, and giving them once.
import type { Database } from '../data/database.ts';
import { freeCredits, inboxOf, isEligibleForFreeCredits } from '../domain/credits.ts';

/** Whether the user gets free credits that they have not had yet. */
export async function mayHaveFreeCredits(data: Database, userID: string): Promise<boolean> {
  const { email, email_verified: emailVerified } = await data.billing.emailFacts(userID);
  return isEligibleForFreeCredits({
    emailVerified,
    hadGrant: await data.billing.hadFreeCredits(userID, inboxOf(email)),
  });
}

/** Gives free credits to a user who may have them. The caller has locked the account, and works out its outlook anew afterwards. */
export async function grantFreeCredits(data: Database, userID: string, at: Date): Promise<void> {
  await data.billing.markFreeCreditsDecided(userID);
  if (!(await mayHaveFreeCredits(data, userID))) return;
  const { email } = await data.billing.emailFacts(userID);
  // Another account of the same inbox may be a moment faster.
  if (!(await data.billing.claimFreeCredits(userID, inboxOf(email)))) return;
  const invoiceID = `free_${userID}`;
  await data.billing.ensurePaidInvoice({
    id: invoiceID,
    userID,
    type: 'free_credits',
    method: 'grant',
    cost: 0,
    credits: freeCredits,
  });
  await data.ledger.payDebt(userID, invoiceID, `grant/${invoiceID}`, at);
}
