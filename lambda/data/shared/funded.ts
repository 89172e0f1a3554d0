// SQL condition that distinguishes users who have paid from those with nothing but free credits.
import { smallestTopUpCents } from '../../domain/billing/invoices.ts';

/** The name of all users together who are not funded, as the subject of a limit. */
export const unfundedUsers = 'users who are not funded';

/**
 * Whether a user is funded: has a purchase that was not refunded whole, or credits from an operator, of at least the
 * smallest top-up by card: deposits of coins may be of a cent, which keeps no stranger away. One credit costs one cent.
 *
 * It is not an `exists`, for which Postgres would hash the invoices of all users. The live ingest may read no invoices:
 * the function `is_funded` has the same rule.
 * @param user SQL of the id
 */
export const isFunded = (user: string) => `coalesce((
  select true from invoices
  where invoices.user_id = ${user} and state = 'paid' and type <> 'free_credits'
    and credits >= ${smallestTopUpCents} limit 1), false)`;
