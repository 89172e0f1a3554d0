// Makes sure that only one command at a time does a piece of work that many commands may request.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';

/** The delivery of a command by its queue. */
export interface Attempt {
  /** Id of the command, which every delivery of it has. */
  readonly commandID: string;
  /** The number of earlier failures of the command. */
  readonly failures: number;
  /** Whether the queue drops the command if it fails now. Then its failure must be recorded. */
  readonly isLast: boolean;
  /** Aborts when the worker must end. Interrupted work is no failure; another worker does it again. */
  readonly signal: AbortSignal;
}

/** Carries out work if this command can claim it. Opens no transaction. @returns null if another command does it */
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
