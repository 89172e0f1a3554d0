// Lets one command at a time do a piece of work that many commands may ask for.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';

/** The delivery of a command by its queue. */
export interface Attempt {
  /** The same with each delivery. */
  readonly commandID: string;
  /** How often the command has failed before. */
  readonly failures: number;
  /** Whether the queue would set the command aside as dead if it failed: then nobody may be left waiting for it. */
  readonly isLast: boolean;
  /** Aborts when the worker must end: what is under way then is no failure, and is done again elsewhere. */
  readonly signal: AbortSignal;
}

/** Does work that this command can claim, without a transaction. @returns null when another command does it */
export async function unlessClaimed<Result>(
  { pool }: { readonly pool: Pool },
  { commandID }: Attempt,
  work: string,
  carryOut: () => Promise<Result>,
): Promise<Result | null> {
  const { mediaClaims } = databaseOn(pool);
  if (!(await mediaClaims.take(work, commandID))) return null;
  try {
    return await carryOut();
  } finally {
    await mediaClaims.release(work, commandID);
  }
}
