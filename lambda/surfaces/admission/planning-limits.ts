// Limits of planning: the time of a processor that plans of a user take is counted like requests, in ms.
// Decision D260.
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { PlanningBudget } from '../../orchestration/programme/planning-turns.ts';
import type { Service } from '../service.ts';
import type { CallTimer } from './call-time.ts';
import { countRequest } from './rate-limits.ts';
import type { PlanningClass } from './rate-limits.ts';

/** Milliseconds that each call may plan uncounted. Small plans take less. */
const freeMs = 25;
/** Milliseconds that a read pays for at a time. */
const paidMs = 100;
/** A change that plans longer than it has paid for begins again, and pays for so many times as much. */
const growth = 4;
/** Milliseconds that a change plans at most: for both tracks of a stream, and what these plans read. */
const mostOfChangeMs = 12_000;

export interface Planner {
  readonly userID: string;
  readonly planningClass: PlanningClass;
  /** Aborted once the client is gone. Absent: others wait for the result as well. */
  readonly signal?: AbortSignal | undefined;
  /** The time of the call, which counts beside its plans. Absent: it is not counted. */
  readonly time?: CallTimer | null;
}

/** The reason for which a read ended: no client receives it. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * The budget of a call outside of transactions, whose plans are paid for before they continue. It throws `ProblemError`
 * rate_limited, and `ClientGone`.
 */
export function budgetOfRead(service: Service, planner: Planner): PlanningBudget {
  const meter = meterOf(planner, freeMs);
  return {
    ...meter.uses,
    assertMayContinue: async () => {
      if (planner.signal?.aborted) throw new ClientGone('The client has closed its connection.');
      while (meter.leftMs() < 0) {
        await pay(service, planner, paidMs);
        meter.pay(paidMs);
      }
    },
  };
}

/**
 * Does work in a transaction, whose plans are paid for before it begins: a rollback would take back what is counted
 * within it, and a process may have no second connection. The client's end does not end it.
 * @param work may run several times, as any transaction may
 * @throws {ProblemError} rate_limited
 */
export async function limitPlansOfChange<Result>(
  service: Service,
  planner: Planner,
  work: (budget: PlanningBudget) => Promise<Result>,
): Promise<Result> {
  for (let mostMs = freeMs; ; mostMs = Math.min(growth * mostMs, mostOfChangeMs)) {
    if (mostMs > freeMs) await pay(service, planner, mostMs);
    try {
      return await work(fixedBudget(planner, mostMs));
    } catch (error) {
      if (!(error instanceof PaidTooLittle)) throw error;
    }
  }
}

function fixedBudget(planner: Planner, mostMs: number): PlanningBudget {
  const isPaid = mostMs > freeMs;
  const meter = meterOf(planner, isPaid ? 0 : mostMs);
  if (isPaid) meter.pay(mostMs);
  return {
    ...meter.uses,
    assertMayContinue: async () => {
      if (meter.leftMs() < 0) throw new PaidTooLittle();
    },
  };
}

/**
 * Measures plans against what is paid for them. It leaves their turns out of the time of the call, as far as they are
 * paid for; their waits for the database are part of that time.
 */
function meterOf({ time }: Planner, allowedMs: number) {
  let [leftMs, usedMs, unusedMs] = [allowedMs, 0, 0];
  const exclude = () => {
    const ms = Math.min(usedMs, unusedMs);
    usedMs -= ms;
    unusedMs -= ms;
    time?.exclude(ms);
  };
  return {
    leftMs: () => leftMs,
    pay(ms: number): void {
      leftMs += ms;
      unusedMs += ms;
      exclude();
    },
    uses: {
      use: (ms: number) => {
        leftMs -= ms;
        usedMs += ms;
        exclude();
      },
      useDatabase: (ms: number) => void (leftMs -= ms),
    },
  };
}

class PaidTooLittle extends Error {}

/** @throws {ProblemError} rate_limited */
async function pay(service: Service, { userID, planningClass }: Planner, ms: number): Promise<void> {
  const { exceeded, limit, resetSeconds } = await countRequest(service, subjectOfUser(userID), planningClass, ms);
  if (!exceeded) return;
  throw new ProblemError(
    'rate_limited',
    `Plans of ${planned[planningClass]} took more than ${limit / 1000} seconds of a processor within a minute. Try ` +
      `again in ${resetSeconds} seconds. Simpler rules, and fewer days or hours at a time, take less.`,
    { headers: { 'retry-after': String(resetSeconds) } },
  );
}

const planned: Readonly<Record<PlanningClass, string>> = {
  planning: 'your programmes',
  changes: 'changes to your programmes and streams',
};
