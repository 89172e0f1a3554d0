// Reason of a stream that waits for a machine: stages without a standing machine start one for it.
import { shareOf } from './capacity.ts';
import type { StreamCost } from './capacity.ts';
import type { PossibleTaker } from './no-capacity.ts';

/** Whether a running agent has room for a stream of this cost now. */
export function isRoomFor(cost: StreamCost, takers: readonly PossibleTaker[]): boolean {
  return takers.some(
    ({ capacity, usedShare, behindReason }) => behindReason === null && usedShare + shareOf(cost, capacity) <= 1,
  );
}

/** @param machineSeconds time until a machine is ready */
export function machineStart(machineSeconds: number): { readonly code: string; readonly detail: string } {
  const minutes = Math.ceil(machineSeconds / 60);
  return {
    code: 'machine_starting',
    detail:
      `No publisher that runs has room for this stream, so a machine is started for it: on air in about ${minutes} ` +
      'minutes. A lower quality or framerate, or prepared media (`streamBackend`: `manifest`), need not wait for one.',
  };
}
