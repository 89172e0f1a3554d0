// The turns of planning: plans of this process take turns with each other, and with all its other work. Decision D256.
// The plans of a call of the API have a budget, which ends them between two turns. Decision D260.
import type { Database } from '../../data/database.ts';
import type { NextTurn } from '../../domain/programme/block-times.ts';
import type { Plan, PlanRequest } from '../../domain/programme/plan-request.ts';
import { planInParts } from '../../domain/programme/planner.ts';

/** The time after which other work of the process runs. */
const mostOfTurnMs = 15;
/** Rows of a turn at most. */
const rowsOfTurn = 300;
/** The time of a processor that one plan takes at most. It ends sooner if that is over, after one row at least. */
const usualProcessorMs = 5000;
/** The time of a processor after which a search for the starts of a range ends with those that it has found, in ms. */
export const mostOfSearchMs = 250;

export interface PlanBounds {
  readonly mostRows: number;
  readonly mostProcessorMs?: number | undefined;
  readonly budget?: PlanningBudget | undefined;
  /** A steady clock, in ms. */
  readonly clock?: () => number;
}

/** The bounds of all plans of a call together. */
export interface PlanningBudget {
  /** Counts what a turn has used. */
  readonly use: (processorMs: number) => void;
  /** Counts a wait for the database. It also counts as time of the call. */
  readonly useDatabase: (waitedMs: number) => void;
  /** @throws if the work of the call has to end */
  readonly assertMayContinue: () => Promise<void>;
}

const budgetKey = Symbol('planning budget');

/** The same data, with a budget for all plans that are made of it. */
export function withPlanningBudget(data: Database, budget: PlanningBudget): Database {
  return Object.create(data, { [budgetKey]: { value: budget } }) as Database;
}

/** The budget of plans; undefined: only each single plan is bounded. */
export function budgetOf(data: Database): PlanningBudget | undefined {
  return (data as { readonly [budgetKey]?: PlanningBudget })[budgetKey];
}

let turns: Promise<void> = Promise.resolve();

/** Lets other work of the process run. All plans of the process take turns, so many take no more of it than one. */
function turnOfOthers(): Promise<void> {
  turns = turns.then(() => new Promise((resolve) => setImmediate(resolve)));
  return turns;
}

/**
 * Does a part of planning, which asks for its next turn from time to time. The first one begins when it asks for it: a
 * library that is loaded before is not counted.
 * @param work with the time of a processor that it has taken so far, in ms
 */
export async function inTurns<Result>(
  budget: PlanningBudget | undefined,
  work: (nextTurn: NextTurn, processorMs: () => number) => Promise<Result>,
  clock = () => performance.now(),
): Promise<Result> {
  let [endedMs, beganMs]: [number, number | null] = [0, null];
  const turnMs = () => (beganMs === null ? 0 : clock() - beganMs);
  const endTurn = () => {
    const tookMs = turnMs();
    budget?.use(tookMs);
    endedMs += tookMs;
    beganMs = null;
  };
  const nextTurn = async () => {
    endTurn();
    await budget?.assertMayContinue();
    await turnOfOthers();
    beganMs = clock();
  };
  const result = await work(nextTurn, () => endedMs + turnMs());
  endTurn();
  return result;
}

/**
 * Plans rows from a frame on, in parts. A plan that takes too long ends before the wanted frame, and can be continued.
 */
export async function* planInTurns(
  request: PlanRequest,
  { mostRows, mostProcessorMs = usualProcessorMs, budget, clock = () => performance.now() }: PlanBounds,
): AsyncGenerator<Plan, void> {
  let [rows, processorMs, beganMs] = [0, 0, clock()];
  const endsPart = (count: number) =>
    count >= rowsOfTurn || rows + count >= mostRows || clock() - beganMs >= mostOfTurnMs;
  for (const part of planInParts(request, endsPart)) {
    const turnTookMs = clock() - beganMs;
    budget?.use(turnTookMs);
    processorMs += turnTookMs;
    rows += part.rows.length;
    yield part;
    if (rows >= mostRows || (rows > 0 && processorMs >= mostProcessorMs)) return;
    await budget?.assertMayContinue();
    await turnOfOthers();
    beganMs = clock();
  }
}
