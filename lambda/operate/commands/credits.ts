// Commands that add and remove credits, through the ledger.
import * as z from 'zod';
import type { Database } from '../../data/database.ts';
import { reassess } from '../../orchestration/billing/meter.ts';
import { operatorCommand, OperatorRefusal, userArg } from '../command.ts';
import type { Outcome } from '../command.ts';
import { foundUser } from '../found-user.ts';

/** The ledger has four decimals. A larger amount than this is a typing error. */
const creditsArg = z
  .string()
  .regex(/^\d{1,7}(?:\.\d{1,4})?$/, 'is no number of credits, such as 100 or 2.5, below ten million')
  .transform(Number)
  .refine((credits) => credits > 0, 'is nothing');

export const grantCredits = operatorCommand({
  noun: 'credits',
  verb: 'grant',
  summary: 'gives a user credits',
  changes: true,
  args: { user: userArg, credits: creditsArg },
  async handle({ data, now, commandID }, { user: name, credits }) {
    const user = await foundUser(data, name);
    await data.creditAccounts.lock(user.id);
    const invoiceID = `inv_${commandID}`;
    await data.invoices.ensurePaid({
      id: invoiceID,
      userID: user.id,
      type: 'adjustment',
      method: 'grant',
      cost: 0,
      credits,
    });
    await data.ledger.payDebt(user.id, invoiceID, `grant/${invoiceID}`, now);
    await data.replicaClaims.markFunded(user.id);
    await reassess(data, user.id, now);
    return outcomeOf(data, user, `${user.email} gets ${credits} credits`);
  },
});

export const takeCredits = operatorCommand({
  noun: 'credits',
  verb: 'take',
  summary: 'takes credits back from a user, no more than are left',
  changes: true,
  args: { user: userArg, credits: creditsArg },
  async handle({ data, now, commandID }, { user: name, credits }) {
    const user = await foundUser(data, name);
    await data.creditAccounts.lock(user.id);
    const left = await data.creditAccounts.creditsLeft(user.id);
    if (credits > left) throw new OperatorRefusal(`${user.email} has only ${left} credits left.`);
    await data.ledger.take({
      userID: user.id,
      cause: 'taken',
      reference: commandID,
      credits,
      account: 'grants',
      at: now,
    });
    await reassess(data, user.id, now);
    return outcomeOf(data, user, `${user.email} loses ${credits} credits`);
  },
});

async function outcomeOf(data: Database, { id }: { readonly id: string }, what: string): Promise<Outcome> {
  return { says: `${what}, and has ${await data.creditAccounts.creditsLeft(id)} left.`, subjects: [id] };
}
