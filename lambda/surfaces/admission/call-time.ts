// The time that calls of a user take counts against a limit of each minute, and some reads pay in advance.
// Decision D271, after decision D270.
import { databaseOn } from '../../data/database.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import type { CallTime, CallWindow } from '../../data/shared/request-windows.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Service } from '../service.ts';

/**
 * Milliseconds per minute that calls of a user take, before the factor of the stage. read, write: of the user's
 * programs. page: of all web pages that the user has open. They are apart, so that no program keeps its user from a
 * stop, and together a third of the time of two processors.
 */
export const workMsPerMinute = { read: 10_000, write: 15_000, page: 15_000 } as const;

type WorkClass = keyof typeof workMsPerMinute;

/** Milliseconds of each call that do not count. */
const freeMs = 10;
/**
 * Milliseconds that a call which may take long pays in advance. A factor of the stage does not increase them: it allows
 * more calls at once.
 */
const reservedMsOfCall = 250;
/** The most calls of a request that pay in advance: a document of GraphQL may have hundreds of small ones. */
const mostReserved = 4;
/** Less is counted by the next call of the user in this process. */
const countedLaterMs = 50;
/**
 * The part of a window up to which time that was reserved and not used is given back by the next call as well. In AWS
 * that may be in another process: then it is given back as the window ends.
 */
const givenBackLater = 0.25;

/** Calls that arrive in one request. */
export interface Arrival {
  readonly kind: 'read' | 'write';
  readonly calls: number;
  /** The number of calls that may take long. */
  readonly longCalls: number;
}

/** The arrival of a request that calls one operation. */
export function arrivalOf(operation: Operation): Arrival {
  return { kind: kindOf(operation), calls: 1, longCalls: mayTakeLong(operation) ? 1 : 0 };
}

export function kindOf({ method }: Pick<Operation, 'method'>): 'read' | 'write' {
  return method === 'GET' ? 'read' : 'write';
}

/** Whether an operation is a read that pays in advance, such as one whose caller chooses how much it reads. */
function mayTakeLong({ method, query, readsMuch }: Operation): boolean {
  return method === 'GET' && (readsMuch === true || Object.keys(query.shape).length > 0);
}

/** The calls of a user that are counted together. */
export interface CountedCalls {
  /** Names the credential of the request, before its user is known. */
  readonly credential: string;
  readonly requestClass: WorkClass;
  readonly arrival: Arrival;
}

/** Counts calls that arrive. @param count does it, in one statement that also may do more */
export function countArrival<Counted>(
  service: Service,
  calls: CountedCalls,
  count: (time: CallTime) => Promise<Counted>,
): Promise<Counted> {
  const [reservedMs, mostMs] = [reservedMsOf(service, calls), mostMsOf(service, calls)];
  return service.uncountedWorks.count(calls.credential, calls.requestClass, (uncounted) =>
    count({ reservedMs, mostMs, uncounted }),
  );
}

const mostMsOf = ({ settings }: Service, { requestClass }: CountedCalls) =>
  Math.ceil(workMsPerMinute[requestClass] * settings.rateLimitFactor);

const reservedMsOf = ({ settings }: Service, { arrival }: CountedCalls) =>
  Math.ceil(Math.min(arrival.longCalls, mostReserved) * reservedMsOfCall * Math.min(1, settings.rateLimitFactor));

/** The time that the calls of an admitted request take. */
export interface CallTimer {
  /** Does a part of the work. Parts may be within each other, or at the same time: no moment counts twice. */
  during<Result>(part: () => Promise<Result>): Promise<Result>;
  /** Leaves milliseconds out that were paid for elsewhere, as turns of plans are. */
  exclude(ms: number): void;
  /** Counts the time, once the request has ended. Never throws. */
  count(): Promise<void>;
}

/** @param window that has counted the arrival of the calls */
export function createCallTimer(service: Service, userID: string, calls: CountedCalls, window: CallWindow): CallTimer {
  const { steadyClock, uncountedWorks } = service;
  const { credential, requestClass } = calls;
  const mostMs = mostMsOf(service, calls);
  let [parts, beganMs, tookMs] = [0, 0, 0];
  uncountedWorks.know(credential, userID);

  async function countNow(): Promise<void> {
    const { requestWindows } = databaseOn(service.pool);
    await uncountedWorks.count(credential, requestClass, (uncounted) =>
      requestWindows.countCalls(subjectOfUser(userID), requestClass, 0, { reservedMs: 0, mostMs, uncounted }),
    );
  }
  return {
    async during(part) {
      if (parts++ === 0) beganMs = steadyClock();
      try {
        return await part();
      } finally {
        if (--parts === 0) tookMs += steadyClock() - beganMs;
      }
    },
    exclude: (ms) => void (tookMs -= ms),
    async count() {
      const ms = Math.round(Math.max(0, tookMs - freeMs)) - reservedMsOf(service, calls);
      const uncounted = uncountedWorks.add(userID, requestClass, { ms, began: window.began });
      const isMuch = uncounted.ms >= countedLaterMs;
      const isGivenBack = uncounted.ms < 0 && window.work_ms > givenBackLater * mostMs;
      if (isMuch || isGivenBack)
        await countNow().catch((cause: unknown) => service.log('slow_call_not_counted', { cause }));
    },
  };
}
