// Runs one operation for one caller, in a transaction where it changes something, and once for each Idempotency-Key.
// Every surface calls operations through this file.
import { createHash, randomBytes } from 'node:crypto';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import { answerPlace } from '../domain/sealed-places.ts';
import type { Caller, Context } from '../operations/context.ts';
import type { Operation } from '../operations/operation.ts';
import { toolName } from '../operations/operation.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import { cursorsOf } from './cursors.ts';
import { newID } from '../data/new-id.ts';
import { buildOpenapi } from './openapi/openapi.ts';
import type { Service } from './service.ts';

export interface Call {
  readonly operation: Operation;
  /** Null for public operations only. */
  readonly caller: Caller | null;
  /** Validated by the operation's schemas. */
  readonly input: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
  readonly idempotencyKey: string | null;
  /** Which fields of the answer the client will see. @default all */
  readonly isWanted?: Context['isWanted'];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or empty. */
  readonly body: string;
}

/** @throws {ProblemError} where the operation refuses the call. Any other error is our fault. */
export async function callOperation(service: Service, call: Call): Promise<Answer> {
  const { operation } = call;
  if (operation.method === 'GET') return run(service, call, databaseOn(service.pool));
  const answer = await inTransaction(service.pool, (data) => runOnce(service, call, data));
  await service.relay();
  return answer;
}

/**
 * Runs a call, or answers what a call with the same Idempotency-Key was answered. The answer is kept in the transaction
 * that made the changes, so that there is never one without the other.
 */
async function runOnce(service: Service, call: Call, data: Database): Promise<Answer> {
  const { operation, caller, input, idempotencyKey: key } = call;
  await assertNotHeld(call, data);
  if (key === null || caller === null) return run(service, call, data);
  if (!(await data.idempotency.claim(caller.userID, operation.id, key))) {
    throw new ProblemError('idempotency_in_progress', 'A request with this Idempotency-Key is running right now.');
  }
  const requestSha256 = createHash('sha256')
    .update(JSON.stringify([input.params, input.query, input.body]))
    .digest();
  const kept = await data.idempotency.find(caller.userID, operation.id, key);
  if (kept && !kept.request_sha256.equals(requestSha256)) {
    throw new ProblemError(
      'idempotency_key_reused',
      'This Idempotency-Key came with another request within the last 24 hours.',
    );
  }
  const place = answerPlace(caller.userID, operation.id, key);
  const { isSecret = false } = operation.output;
  if (kept) {
    const body = isSecret ? service.sealer.open(Buffer.from(kept.body, 'base64'), place) : kept.body;
    return { status: kept.status, headers: { ...kept.headers, 'idempotency-replayed': 'true' }, body };
  }
  const answer = await run(service, call, data);
  const body = isSecret ? service.sealer.seal(answer.body, place).toString('base64') : answer.body;
  await data.idempotency.keep(caller.userID, operation.id, key, { ...answer, body, request_sha256: requestSha256 });
  return answer;
}

/** Whoever is on hold may read and delete. @throws {ProblemError} account_on_hold */
async function assertNotHeld({ operation, caller }: Call, data: Database): Promise<void> {
  if (caller === null || operation.method === 'DELETE') return;
  const hold = await data.users.holdOf(caller.userID);
  if (hold === null) return;
  throw new ProblemError('account_on_hold', `The account is on hold. ${hold || 'Ask whoever runs the platform.'}`);
}

async function run(service: Service, { operation, caller, input, isWanted }: Call, data: Database): Promise<Answer> {
  const result = await operation.handle(contextOf(service, caller, data, isWanted), input);
  const { status, body: schema, location } = operation.output;
  if (!schema) return { status, headers: {}, body: '' };
  const parsed = schema.safeParse(result);
  if (!parsed.success)
    throw new Error(`${toolName(operation)} answers what it does not declare: ${parsed.error.message}`);
  const headers: Record<string, string> = location ? { location: service.baseURL + location(parsed.data) } : {};
  return { status, headers, body: JSON.stringify(parsed.data) };
}

/** The context that operations and relations are called with. */
export function contextOf(
  service: Service,
  caller: Caller | null,
  data: Database,
  isWanted: Context['isWanted'] = () => true,
): Context {
  const now = service.clock();
  return {
    // It is null for public operations only, whose type has no caller.
    caller: caller as Caller,
    now,
    data,
    objects: service.objects,
    sealer: service.sealer,
    payment: service.payment,
    crypto: service.crypto,
    consents: service.consents,
    settings: service.settings,
    newID: (prefix) => newID(prefix, now),
    random: service.random,
    isWanted,
    randomBytes,
    cursors: cursorsOf(service.serviceSecret, caller?.userID ?? ''),
    health: service.health,
    version: service.version,
    openapi: () => buildOpenapi(service.operations, service.baseURL),
  };
}
