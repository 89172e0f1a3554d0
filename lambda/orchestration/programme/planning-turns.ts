// The turns of planning: plans of this process take turns with each other, and with all its other work. Decision D256.
import type { Plan, PlanRequest } from '../../domain/programme/plan-request.ts';
import { planInParts } from '../../domain/programme/planner.ts';

/** The time after which other work of the process runs. */
const turnMs = 15;
/** Rows of a turn at most. */
const rowsOfTurn = 300;
/** The time of a processor that one plan takes at most. It ends sooner if that is over, after one row at least. */
const usualProcessorMs = 5000;

export interface PlanBounds {
  readonly mostRows: number;
  readonly mostProcessorMs?: number | undefined;
  /** A steady clock, in ms. */
  readonly clock?: () => number;
}

let turns: Promise<void> = Promise.resolve();

/** Lets other work of the process run. All plans of the process take turns, so many take no more of it than one. */
function turnOfOthers(): Promise<void> {
  turns = turns.then(() => new Promise((resolve) => setImmediate(resolve)));
  return turns;
}

/**
 * Plans rows from a frame on, in parts. A plan that takes too long ends before the wanted frame, and can be continued.
 */
export async function* planInTurns(
  request: PlanRequest,
  { mostRows, mostProcessorMs = usualProcessorMs, clock = () => performance.now() }: PlanBounds,
): AsyncGenerator<Plan, void> {
  let [rows, processorMs, beganMs] = [0, 0, clock()];
  const endsPart = (count: number) => count >= rowsOfTurn || rows + count >= mostRows || clock() - beganMs >= turnMs;
  for (const part of planInParts(request, endsPart)) {
    processorMs += clock() - beganMs;
    rows += part.rows.length;
    yield part;
    if (rows >= mostRows || (rows > 0 && processorMs >= mostProcessorMs)) return;
    await turnOfOthers();
    beganMs = clock();
  }
}
