// Runs one operation for one caller: in a transaction if it changes data, and once per Idempotency-Key.
// Every surface calls operations through this file.
import { randomBytes } from 'node:crypto';
import { databaseOn, inChange } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import { boundsOfUser } from '../data/shared/change-bounds.ts';
import { withPlanningBudget } from '../orchestration/programme/planning-turns.ts';
import type { PlanningBudget } from '../orchestration/programme/planning-turns.ts';
import type { Caller, Context } from '../operations/context.ts';
import { toolName } from '../operations/operation.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import { guestHash } from './admission/guests.ts';
import { payingFor } from './admission/call-time.ts';
import { budgetOfRead, limitPlansOfChange } from './admission/planning-limits.ts';
import { bearerChallenge } from './admission/protected-resource.ts';
import { cursorsOf } from './cursors.ts';
import { endOfPosterLinks, sealPreviewLink } from './preview-links.ts';
import { newID } from '../data/shared/new-id.ts';
import { answerOnce } from './kept-answers.ts';
import type { Answer, Call } from './call-types.ts';
import type { Service } from './service.ts';

/**
 * Runs a call.
 * @throws {ProblemError} if the operation refuses the call. Any other error is a fault of the platform.
 */
export async function callOperation(service: Service, call: Call): Promise<Answer> {
  const { operation, caller, signal, time } = call;
  const timed = <Result>(work: () => Promise<Result>) => (time ? time.during(work) : work());
  const planningClass = operation.method === 'GET' ? 'planning' : 'changes';
  const planner = caller && ({ userID: caller.userID, planningClass, signal, time } as const);
  if (operation.method === 'GET') {
    const data = databaseOn(time ? payingFor(time, service.pool) : service.pool);
    return timed(() => run(service, call, planner ? withPlanningBudget(data, budgetOfRead(service, planner)) : data));
  }
  // The operation of a guest bounds it, as only that knows whose channel it is.
  const bounds = caller && boundsOfUser(caller.userID, caller.isOnPage === true);
  const change = (budget?: PlanningBudget) =>
    inChange(
      service.pool,
      bounds,
      (data) => runInTransaction(service, call, budget ? withPlanningBudget(data, budget) : data),
      () => time?.assertMayChange(),
    );
  const limited = () => timed(() => (planner ? limitPlansOfChange(service, planner, change) : change()));
  const answered = await (bounds ? service.inTurn(bounds, limited) : limited());
  await service.relay();
  return answered;
}

async function runInTransaction(service: Service, call: Call, data: Database): Promise<Answer> {
  const { caller, idempotencyKey } = call;
  await assertNotHeld(call, data);
  await assertConnected(service, call, data);
  const runInIt = (one: Call) => run(service, one, data);
  if (idempotencyKey === null || caller === null) return runInIt(call);
  return answerOnce(service, { ...call, caller, idempotencyKey }, data, runInIt);
}

/**
 * Refuses changes by a user on hold, who may only read and delete.
 * @throws {ProblemError} account_on_hold
 */
async function assertNotHeld({ operation, caller }: Call, data: Database): Promise<void> {
  if (caller === null || operation.method === 'DELETE') return;
  const hold = caller.hold === undefined ? await data.users.holdOf(caller.userID) : caller.hold;
  if (hold === null) return;
  throw new ProblemError('account_on_hold', `The account is on hold. ${hold || 'Ask the operator of the platform.'}`);
}

/**
 * Refuses changes by an application that the user has disconnected: its access token is accepted for some seconds more,
 * and its changes would stay. Decision D255.
 * @throws {ProblemError} unauthenticated
 */
async function assertConnected({ baseURL }: Service, { caller }: Call, data: Database): Promise<void> {
  if (!caller?.clientID || (await data.applications.holdConsent(caller.userID, caller.clientID))) return;
  throw new ProblemError('unauthenticated', 'The user has disconnected this application.', {
    headers: { 'www-authenticate': bearerChallenge(new URL(baseURL).origin, '/v1', 'invalid') },
  });
}

async function run(service: Service, call: Call, data: Database): Promise<Answer> {
  const { operation, caller, input, isWanted, address = '', buildDocument } = call;
  const guestOf = (streamID: string) => guestHash(service.serviceSecret, streamID, address);
  const context = {
    ...contextOf(service, caller, data, isWanted),
    openapi: () => buildDocument?.(service.operations, service.baseURL),
    ...(operation.isForGuests && { guestOf }),
  };
  const result = await operation.handle(context, input);
  const { status, body: schema, location } = operation.output;
  if (!schema) return { status, headers: {}, body: '' };
  const parsed = schema.safeParse(result);
  if (!parsed.success)
    throw new Error(`${toolName(operation)} answers what it does not declare: ${parsed.error.message}`);
  const headers: Record<string, string> = location ? { location: service.baseURL + location(parsed.data) } : {};
  return { status, headers, body: JSON.stringify(parsed.data) };
}

/** The context for operations and relations. */
export function contextOf(
  service: Service,
  caller: Caller | null,
  data: Database,
  isWanted: Context['isWanted'] = () => true,
): Context {
  const now = service.clock();
  return {
    ...service,
    // The caller is null only for public operations, whose type has no caller.
    caller: caller as Caller,
    now,
    data,
    newID: (prefix) => newID(prefix, now),
    isWanted,
    previewURL: (streamID, expiresAt) => {
      const link = { streamID, userID: caller!.userID, expiresAt };
      return `${service.baseURL}/previews/${sealPreviewLink(service.serviceSecret, 'preview', link)}/live.m3u8`;
    },
    posterURL: (streamID) => {
      const link = { streamID, userID: caller!.userID, expiresAt: endOfPosterLinks(now) };
      return `${service.baseURL}/posters/${sealPreviewLink(service.serviceSecret, 'poster', link)}/now.jpg`;
    },
    randomBytes,
    openapi: () => undefined,
    cursors: cursorsOf(service.serviceSecret, caller?.userID ?? ''),
  };
}
