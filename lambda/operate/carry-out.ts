// Runs one command of an operator, and records forever who ran it, the reason, and the result.
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

/** The operator: a person, and the session of the role they use. `refusal` is the reason why they may not. */
export interface Operator {
  readonly name: string;
  readonly via: string;
  readonly refusal?: string;
}

/** A row of a table as it is sent and printed. Times are ISO 8601. */
export type ReplyRow = Readonly<Record<string, string | number | boolean | null>>;

/** The answer that the tool prints: an outcome or a refusal. */
export type Reply =
  | { readonly outcome: 'done' | 'dry_run'; readonly says: string; readonly rows: readonly ReplyRow[] }
  | { readonly outcome: 'refused'; readonly says: string };

/** Rolls back the transaction of a dry run. */
class Dry extends Error {}

/**
 * Records the command before it runs, and its result in the transaction of its changes. A request runs only once.
 * @throws any error that is not the operator's fault, after recording it
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
    // A command that fails after its commit already has a result.
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
