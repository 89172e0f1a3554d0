// The time that calls, pictures and guides of a user take is limited by minute, and some pay in advance.
// Decision D271, after decision D270.
import { databaseOn } from '../../data/database.ts';
import type { CallTime, CallWindow, Payers } from '../../data/shared/request-windows.ts';
import type { Queryable } from '../../data/shared/queryable.ts';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { unfundedUsers } from '../../data/shared/funded.ts';
import type { Service } from '../service.ts';
import { ownMsOfUnfunded, workLimits } from './work-limits.ts';
import type { WorkClass } from './work-limits.ts';

/** Milliseconds of each call that do not count. */
const freeMs = 10;
/** The most calls of a request that pay in advance: a document of GraphQL may have hundreds of small ones. */
const mostReserved = 4;
/** Less is counted later: by the same call, or by the next one of the user in this process. */
const countedLaterMs = 50;
/**
 * Seconds of counted time after which a request ends. read: no change and no statement outside of transactions begins.
 * change: no statement of a change begins. With the statement under way, and plans that are paid for, a request ends
 * before its function does, so that its time always counts.
 */
const longestSeconds = { read: 10, change: 15 } as const;
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
  const limits = limitsOf(service, calls);
  const reservedMs = reservedMsOf(service, calls);
  return service.uncountedWorks.count(calls.credential, calls.requestClass, (uncounted) =>
    count({ ...limits, reservedMs, uncounted }),
  );
}

const inStage = ({ settings }: Service, ms: number) => Math.ceil(ms * settings.rateLimitFactor);

function limitsOf(service: Service, { requestClass }: CountedCalls): Pick<CallTime, 'mostMs' | 'ownMs'> {
  const { mostMs, unfundedMs } = workLimits[requestClass];
  return {
    mostMs: [...mostMs, unfundedMs].map((ms) => inStage(service, ms)),
    ownMs: inStage(service, ownMsOfUnfunded),
  };
}

const reservedMsOf = (service: Service, calls: CountedCalls) =>
  Math.min(calls.arrival.longCalls, mostReserved) * reservedMsOfOne(service, calls);

const reservedMsOfOne = ({ settings }: Service, { requestClass }: CountedCalls) =>
  Math.ceil(workLimits[requestClass].reservedMs * Math.min(1, settings.rateLimitFactor));

/** The time that the calls of an admitted request take. */
export interface CallTimer {
  /** Does a part of the work. Parts may be within each other, or at the same time: no moment counts twice. */
  during<Result>(part: () => Promise<Result>): Promise<Result>;
  /** Leaves milliseconds out that were paid for elsewhere, as turns of plans are. */
  exclude(ms: number): void;
  /**
   * Pays for the time so far, if more was taken than is paid for, and for some more in advance.
   * @throws {ProblemError} rate_limited once the time of the minute is used up, and upstream_unavailable after
   * `longestSeconds.read`
   */
  assertMayContinue(): Promise<void>;
  /**
   * Pays for a read that may take long in advance.
   * @throws {ProblemError} rate_limited once the time of the minute is used up
   */
  reserve(): Promise<void>;
  /**
   * Checks, without a statement, the time of a change.
   * @throws {ProblemError} upstream_unavailable after `longestSeconds.change`
   */
  assertMayChange(): void;
  /** Does a statement of a read, if it may continue once the statements before have ended. */
  statement<Result>(send: () => Promise<Result>): Promise<Result>;
  /** Counts the time, once the request has ended. Never throws. */
  count(): Promise<void>;
}

/** @param arrived the window that has counted the arrival of the calls */
export function createCallTimer(service: Service, payers: Payers, calls: CountedCalls, arrived: CallWindow): CallTimer {
  const { steadyClock, uncountedWorks } = service;
  const { credential, requestClass } = calls;
  const [limits, subject] = [limitsOf(service, calls), payers.subjects[0]!];
  let [parts, beganMs, tookMs, paidMs] = [0, 0, 0, reservedMsOf(service, calls)];
  let [window, ended]: [CallWindow, ProblemError | null] = [arrived, null];
  /** The windows that reserved time; undefined: none have yet; null: several, so that each has counted a part. */
  let reservedIn: string | null | undefined = paidMs > 0 ? arrived.began : undefined;
  let statements: Promise<unknown> = Promise.resolve();
  uncountedWorks.know(credential, subject);

  const soFarMs = () => tookMs + (parts > 0 ? steadyClock() - beganMs : 0);
  const endAfter = (seconds: number, isChange: boolean) => {
    if (soFarMs() >= seconds * 1000) throw (ended ??= tookLong(seconds, isChange));
  };
  /** The milliseconds that are not paid for yet; below 0: more are paid for than were used. */
  const owedMs = () => Math.round(Math.max(0, soFarMs() - freeMs)) - paidMs;

  /** Has the next statement count what is owed. @returns all that it will count */
  function owe() {
    const ms = owedMs();
    paidMs += ms;
    return uncountedWorks.add(subject, requestClass, { ms, began: reservedIn ?? null });
  }

  async function countNow(reservedMs: number): Promise<void> {
    const { requestWindows } = databaseOn(service.pool);
    window = await uncountedWorks.count(credential, requestClass, (uncounted) =>
      requestWindows.countCalls(payers, requestClass, 0, { ...limits, reservedMs, uncounted }),
    );
    if (window.used_up !== null || reservedMs === 0) return;
    reservedIn = reservedIn === undefined || window.began === reservedIn ? window.began : null;
    paidMs += reservedMs;
  }

  async function assertMayContinue(): Promise<void> {
    if (ended) throw ended;
    endAfter(longestSeconds.read, false);
    if (owedMs() >= countedLaterMs) await reserve();
  }

  async function reserve(): Promise<void> {
    owe();
    await countNow(reservedMsOfOne(service, calls));
    if (window.used_up !== null) throw (ended = tookTooMuch(service, calls, payers, window));
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
    assertMayContinue,
    reserve,
    assertMayChange: () => endAfter(longestSeconds.change, true),
    statement(send) {
      const sent = statements.then(async () => {
        await assertMayContinue();
        return send();
      });
      statements = sent.catch(() => {});
      return sent;
    },
    async count() {
      const uncounted = owe();
      const isMuch = uncounted.ms >= countedLaterMs;
      const isGivenBack = uncounted.ms < 0 && window.share > givenBackLater;
      if (isMuch || isGivenBack)
        await countNow(0).catch((cause: unknown) => service.log('slow_call_not_counted', { cause }));
    },
  };
}

/**
 * Does work that may take long for anyone with a link. Its time is paid before it begins, and the remainder is given
 * back.
 * @throws {ProblemError} rate_limited once the time of the minute is used up, and as `work` does
 */
export async function payingInAdvance<Result>(
  service: Service,
  payers: Payers,
  requestClass: WorkClass,
  work: (time: CallTimer) => Promise<Result>,
): Promise<Result> {
  const { time } = await admitWork(service, payers, requestClass, 1);
  try {
    return await time.during(() => work(time));
  } finally {
    await time.count();
  }
}

/**
 * Admits work for anyone with a link, which the user of the link pays for.
 * @param longCalls 1: it pays in advance
 * @throws {ProblemError} rate_limited once the time of the minute is used up
 */
export async function admitWork(
  service: Service,
  payers: Payers,
  requestClass: WorkClass,
  longCalls: 0 | 1,
): Promise<{ readonly time: CallTimer; readonly window: CallWindow }> {
  const arrival = { kind: 'read', calls: 1, longCalls } as const;
  const calls = { credential: payers.subjects[0]!, requestClass, arrival };
  const { requestWindows } = databaseOn(service.pool);
  const window = await countArrival(service, calls, (time) => requestWindows.countCalls(payers, requestClass, 1, time));
  if (window.used_up !== null) throw tookTooMuch(service, calls, payers, window);
  return { time: createCallTimer(service, payers, calls, window), window };
}

/** A pool for one call, whose statements begin only if the call may continue. */
export function payingFor(time: CallTimer, pool: Queryable): Queryable {
  return { query: (statement, values) => time.statement(() => pool.query(statement, values)) };
}

/** The problem of work for which the time of the minute is used up. @param window of its subject `used_up` */
export function tookTooMuch(
  service: Service,
  { requestClass }: CountedCalls,
  { subjects }: Payers,
  { used_up: usedUp, reset_seconds: resetSeconds }: CallWindow,
): ProblemError {
  const { name, mostMs, unfundedMs } = workLimits[requestClass];
  const together = usedUp === unfundedUsers;
  const ms = together ? unfundedMs : mostMs[subjects.indexOf(usedUp!)]!;
  const makers = together ? `${name} of all users without a purchase` : name;
  return new ProblemError(
    'rate_limited',
    `${makers} took more than ${inStage(service, ms) / 1000} seconds within a minute, or many that may take long ` +
      `are under way. Try again in ${resetSeconds} seconds. Smaller pages, shorter spans and fewer calls at once ` +
      `take less${together ? ', and a purchase of credits ends this limit' : ''}.`,
    { headers: { 'retry-after': String(resetSeconds) } },
  );
}

function tookLong(seconds: number, isChange: boolean): ProblemError {
  const detail =
    `The request took more than ${seconds} seconds${isChange ? ', and by this change nothing was changed' : ''}. Ask ` +
    'for less at once: smaller pages, shorter spans of time, fewer fields or items.';
  return new ProblemError('upstream_unavailable', detail);
}
