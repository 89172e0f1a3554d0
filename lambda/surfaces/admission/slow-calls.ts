// Calls that take long count as several requests of their user. Decision D270. Those of pictures: decision D274.
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Service } from '../service.ts';
import { kindOf } from './admit.ts';
import { countRequest, requestClassOf } from './rate-limits.ts';

/** Milliseconds that a counted request pays for: half a minute of each minute, and less for pictures. */
const msPerRequest = { read: 25, write: 50, page: 25, poster: 15, preview: 25 } as const;
/** A call that takes less counts once. */
const freeMs = 50;

/** The limit that the time of a call counts against. */
interface Counted {
  /** Names a user or an address. */
  readonly subject: string;
  readonly requestClass: keyof typeof msPerRequest;
}

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
  if (caller === null) return work();
  const requestClass = requestClassOf(caller, kindOf(operation));
  return countingTimeOf(service, { subject: subjectOfUser(caller.userID), requestClass }, work);
}

/** Does work, and counts the time that it took against a limit. */
export async function countingTimeOf<Result>(
  service: Service,
  counted: Counted,
  work: () => Promise<Result>,
): Promise<Result> {
  const beganMs = service.steadyClock();
  try {
    return await work();
  } finally {
    const tookMs = service.steadyClock() - beganMs;
    if (tookMs >= freeMs) await countTime(service, counted, tookMs);
  }
}

async function countTime(service: Service, { subject, requestClass }: Counted, ms: number): Promise<void> {
  const count = Math.floor(ms / msPerRequest[requestClass]);
  await countRequest(service, subject, requestClass, count).catch((cause: unknown) =>
    service.log('slow_call_not_counted', { cause }),
  );
}
