// Calls that take long count as several requests of their user. Decision D270.
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Service } from '../service.ts';
import { kindOf } from './admit.ts';
import { countRequest, requestClassOf } from './rate-limits.ts';

/** Milliseconds that a counted request pays for: half a minute of each minute. */
const msPerRequest = { read: 25, write: 50, page: 25 } as const;
/** A call that takes less counts once. */
const freeMs = 50;

/**
 * Does the work of a call, and counts the time that it took against the limit of its user: a user whose calls are all
 * slow may make few of them.
 */
export async function countingTime<Result>(
  service: Service,
  caller: Caller | null,
  operation: Operation,
  work: () => Promise<Result>,
): Promise<Result> {
  const beganMs = service.steadyClock();
  try {
    return await work();
  } finally {
    const tookMs = service.steadyClock() - beganMs;
    if (caller && tookMs >= freeMs) await countTime(service, caller, operation, tookMs);
  }
}

async function countTime(service: Service, caller: Caller, operation: Operation, ms: number): Promise<void> {
  const requestClass = requestClassOf(caller, kindOf(operation));
  const count = Math.floor(ms / msPerRequest[requestClass]);
  await countRequest(service, subjectOfUser(caller.userID), requestClass, count).catch((cause: unknown) =>
    service.log('slow_call_not_counted', { cause }),
  );
}
