// Answers stored for their Idempotency-Key.
// A repeated request gets the stored answer, or reads the resource again if the answer was large.
import { createHash } from 'node:crypto';
import type { Database } from '../data/database.ts';
import { bounds } from '../domain/shared/bounds.ts';
import { answerPlace } from '../domain/shared/sealed-places.ts';
import type { Operation } from '../operations/operation.ts';
import { limitProblem } from '../operations/limits.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import { limitsOf } from '../orchestration/shared/limits.ts';
import type { Answer, Call } from './call-types.ts';
import type { Service } from './service.ts';

type KeyedCall = Call & { readonly caller: NonNullable<Call['caller']>; readonly idempotencyKey: string };

/**
 * Runs a call, or returns the answer of an earlier call with the same Idempotency-Key. The answer is stored in the
 * transaction of its changes, so neither exists without the other.
 * @param run runs a call in that transaction
 * @throws {ProblemError} idempotency_in_progress, idempotency_key_reused, limit_reached, and the problems of the
 * operation
 */
export async function answerOnce(
  service: Service,
  call: KeyedCall,
  data: Database,
  run: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const { operation, caller, input, idempotencyKey: key } = call;
  const { userID } = caller;
  if (!(await data.idempotency.tryLock(userID, operation.id, key))) {
    throw new ProblemError('idempotency_in_progress', 'A request with this Idempotency-Key is still running.');
  }
  const requestSha256 = createHash('sha256')
    .update(JSON.stringify([input.params, input.query, input.body]))
    .digest();
  const kept = await data.idempotency.find(userID, operation.id, key);
  if (kept && !kept.request_sha256.equals(requestSha256)) {
    throw new ProblemError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a different request within the last 24 hours.',
    );
  }
  const place = answerPlace(userID, operation.id, key);
  const { isSecret = false } = operation.output;
  const reader = readerOf(service, operation);
  if (kept) {
    const bodyOf = async () => {
      if (isSecret) return service.sealer.open(Buffer.from(kept.body, 'base64'), place);
      if (!kept.is_reread) return kept.body;
      const params = JSON.parse(kept.body) as { id: string };
      const input = { params, query: {}, body: undefined };
      return (await run({ operation: reader!, caller, time: null, input, idempotencyKey: null })).body;
    };
    return { status: kept.status, headers: { ...kept.headers, 'idempotency-replayed': 'true' }, body: await bodyOf() };
  }
  await assertRoomToKeep(service, data, userID);
  const answer = await run(call);
  // This check decides between concurrent requests. Its lock is taken after the work: otherwise, requests with keys
  // would run one at a time.
  await data.idempotency.lockUse(userID);
  await assertRoomToKeep(service, data, userID);
  const bytes = Buffer.byteLength(answer.body);
  const isReread = reader !== null && (await isTooMuch(data, userID, bytes));
  const shown = isReread ? JSON.stringify({ id: (JSON.parse(answer.body) as { id: string }).id }) : answer.body;
  const body = isSecret ? service.sealer.seal(shown, place).toString('base64') : shown;
  const row = { ...answer, body, request_sha256: requestSha256, is_reread: isReread };
  await data.idempotency.keep(userID, operation.id, key, row);
  return answer;
}

/** @throws {ProblemError} limit_reached */
async function assertRoomToKeep(service: Service, data: Database, userID: string): Promise<void> {
  const [use] = await limitsOf(data, userID, service.settings.limitFactor, ['keptAnswers']);
  if (use!.used >= use!.allowed) throw limitProblem(use!);
}

/** The operation that reads the resource in the answer of an operation; null if there is none. */
function readerOf({ operations }: Service, { output }: Operation): Operation | null {
  const reads = ({ method, output: other, params }: Operation) =>
    method === 'GET' && other.body === output.body && Object.keys(params.shape).join() === 'id';
  return (output.body && operations.find(reads)) ?? null;
}

async function isTooMuch(data: Database, userID: string, bytes: number): Promise<boolean> {
  if (bytes > bounds.keptAnswerBytes) return true;
  // Most answers are so small that the limit of their number is enough.
  if (bytes <= bounds.smallAnswerBytes) return false;
  return (await data.idempotency.keptBytes(userID)) + bytes > bounds.keptAnswerBytesPerUser;
}
