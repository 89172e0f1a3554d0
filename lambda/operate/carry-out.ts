// Carries out one command of an operator, and keeps for ever who asked for what, why, and how it ended.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Log } from '../log.ts';
import { applyRest } from '../orchestration/accounts/account-rest.ts';
import type { DeadLetters } from '../ports/dead-letters/dead-letters.ts';
import { OperatorRefusal } from './command.ts';
import type { Outcome, Row } from './command.ts';
import { readRequest } from './read-request.ts';
import type { OperatorRequest } from './read-request.ts';

export interface OperateOptions {
  readonly pool: Pool;
  readonly deadLetters: DeadLetters;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Who asks, and by which right. A refusal is why they may not. */
export interface Operator {
  readonly name: string;
  readonly via: string;
  readonly refusal?: string;
}

/** A line of a table as it is sent and printed: times are ISO 8601. */
export type ReplyRow = Readonly<Record<string, string | number | boolean | null>>;

/** What the tool prints: an outcome, or why there is none. */
export type Reply =
  | { readonly outcome: 'done' | 'dry_run'; readonly says: string; readonly rows: readonly ReplyRow[] }
  | { readonly outcome: 'refused'; readonly says: string };

/** Undoes a transaction that was only to show what it would do. */
class Dry extends Error {}

/**
 * The command is kept before anything else is done, and how it ended in the transaction that did it. A request is
 * carried out once.
 * @throws what is not the operator's fault; it is kept, too
 */
export async function carryOut(options: OperateOptions, request: OperatorRequest, operator: Operator): Promise<Reply> {
  const { pool, log } = options;
  const { id, words, dryRun } = request;
  const { operatorCommands } = databaseOn(pool);
  log('operator_command', { id, operator: operator.name, via: operator.via, words, dryRun });
  if (!(await operatorCommands.keep({ ...request, operator: operator.name, via: operator.via })))
    return { outcome: 'refused', says: 'This very command was sent before. Nothing was done again.' };
  try {
    if (operator.refusal !== undefined) throw new OperatorRefusal(operator.refusal);
    const outcome = await attempt(options, request);
    if (outcome.settles !== undefined && !dryRun) await applyRest(pool, outcome.settles);
    return { outcome: dryRun ? 'dry_run' : 'done', says: outcome.says, rows: (outcome.rows ?? []).map(asText) };
  } catch (error) {
    const isRefused = error instanceof OperatorRefusal;
    const says = isRefused ? error.message : String(error);
    // What failed after the commit has its outcome.
    await operatorCommands.endUnlessEnded(id, isRefused ? 'refused' : 'failed', says);
    if (!isRefused) throw error;
    return { outcome: 'refused', says };
  }
}

async function attempt({ pool, deadLetters, clock }: OperateOptions, request: OperatorRequest): Promise<Outcome> {
  const { id: commandID, dryRun: isDry } = request;
  const { command, input } = readRequest(request);
  const reason = request.reason?.trim() ?? '';
  let found: Outcome | undefined;
  try {
    await inTransaction(pool, async (data) => {
      const context = { data, deadLetters, now: clock(), commandID, reason, isDry };
      found = await command.handle(context, input as never);
      if (isDry) throw new Dry();
      await data.operatorCommands.end(commandID, 'done', found.says, found.subjects ?? []);
    });
  } catch (error) {
    if (!(error instanceof Dry)) throw error;
    await databaseOn(pool).operatorCommands.end(commandID, 'dry_run', found!.says, found!.subjects ?? []);
  }
  return found!;
}

function asText(row: Row): ReplyRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
}
