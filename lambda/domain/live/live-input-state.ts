// States of live inputs, and the time until a session can take its stream over.
import { gopSeconds } from '../playout/rendition.ts';

export const liveInputStates = ['idle', 'receiving', 'ready', 'on_air'] as const;
export type LiveInputState = (typeof liveInputStates)[number];

/** Facts about a running session. */
export interface ReceivedSession {
  /** The arrival of its first picture; null: none has come. */
  readonly firstPictureAt: Date | null;
  /** Whole segments that are stored. */
  readonly segmentCount: number;
  /** Whether it counts as lost, as it is silent or black. Absent: it does not. */
  readonly isLost?: boolean;
}

/**
 * Whole seconds until a session has been received for long enough; 0: it has. Infinity: no picture has come, or it is
 * lost.
 * @param stableSeconds for which it has to be received
 */
export function secondsUntilReady(
  { firstPictureAt, segmentCount, isLost = false }: ReceivedSession,
  { stableSeconds, now }: { readonly stableSeconds: number; readonly now: Date },
): number {
  if (firstPictureAt === null || isLost) return Infinity;
  const receivedSeconds = Math.min(segmentCount * gopSeconds, (now.getTime() - firstPictureAt.getTime()) / 1000);
  // A segment takes two seconds, so the wish is met by the segment in which it lies.
  return Math.max(0, Math.ceil(stableSeconds - gopSeconds - receivedSeconds));
}

/**
 * The state of an input.
 * @param running its running session; null: there is none
 * @param isShown whether its stream shows this session
 */
export function liveInputState(
  running: ReceivedSession | null,
  options: { readonly stableSeconds: number; readonly isShown: boolean; readonly now: Date },
): LiveInputState {
  if (running === null) return 'idle';
  if (options.isShown) return 'on_air';
  return secondsUntilReady(running, options) === 0 ? 'ready' : 'receiving';
}
