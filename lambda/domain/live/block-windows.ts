// The windows of a live input together with those that blocks of programmes give it. Decision D262.
import { blockTimesOf } from '../programme/block-times.ts';
import type { ProgrammeRules } from '../programme/programme-rules.ts';
import { fixedAheadSeconds } from './takeover-plan.ts';
import { openWindow } from './take-windows.ts';
import type { OpenWindow, TakeWindows } from './take-windows.ts';

/** The part of published rules that gives windows. */
export type BlockRules = Pick<ProgrammeRules, 'blocks' | 'timeZone'>;

export interface WindowedInput {
  readonly id: string;
  readonly takes: 'on_request' | 'always' | 'in_windows';
  readonly windows: TakeWindows | null;
}

/** The windows that are open at a Unix time in ms. */
type OpenAt = (ms: number) => readonly OpenWindow[];

/** Block windows are right for so long after the time that they were computed for. */
export const keptMs = 3_600_000;
/** As far as they are looked for. A block lasts a week at most. */
const aroundMs = 7 * 86_400_000 + keptMs;

/**
 * The window in which an input takes over by itself: its own hours and the times of blocks that name it. Those that
 * adjoin are one.
 * @param ofBlocks from `blockWindowsOf`
 * @returns null: none is open, one ends before all agents can show a takeover, or the input takes over always
 */
export function takeWindowOf(
  input: Omit<WindowedInput, 'id'>,
  ofBlocks: readonly OpenWindow[],
  now: Date,
): OpenWindow | null {
  if (input.takes === 'always') return null;
  const nowMs = now.getTime();
  const ownAt: OpenAt = (ms) => {
    const own = input.takes === 'in_windows' && input.windows ? openWindow(input.windows, new Date(ms)) : null;
    return own ? [own] : [];
  };
  const openAt: OpenAt = (ms) => [...ownAt(ms), ...ofBlocks.filter((each) => contains(each, ms))];
  if (openAt(nowMs).length === 0) return null;
  const until = endOf(openAt, nowMs);
  if (until !== null && until.getTime() - nowMs <= fixedAheadSeconds * 1000) return null;
  return { from: beginningOf(openAt, nowMs), until };
}

/**
 * The times around now in which blocks that name an input decide.
 * @param programmes the published rules of the programmes of its stream
 */
export async function blockWindowsOf(
  { id }: Pick<WindowedInput, 'id'>,
  programmes: readonly BlockRules[],
  now: Date,
): Promise<OpenWindow[]> {
  const part = { fromMs: now.getTime() - aroundMs, untilMs: now.getTime() + aroundMs };
  const windows: OpenWindow[] = [];
  for (const rules of programmes) {
    if (rules.blocks.every(({ liveInputID }) => liveInputID !== id)) continue;
    for (const { block, fromMs, untilMs } of await blockTimesOf(rules, part)) {
      if (block.liveInputID !== id) continue;
      const from = fromMs > part.fromMs ? new Date(fromMs) : null;
      windows.push({ from, until: untilMs < part.untilMs ? new Date(untilMs) : null });
    }
  }
  return windows;
}

function contains({ from, until }: OpenWindow, ms: number): boolean {
  return ms >= (from?.getTime() ?? -Infinity) && ms < (until?.getTime() ?? Infinity);
}

function beginningOf(openAt: OpenAt, ms: number): Date | null {
  const firstMs = Math.min(...openAt(ms).map(({ from }) => from?.getTime() ?? -Infinity));
  if (firstMs === -Infinity) return null;
  return openAt(firstMs - 1).length === 0 ? new Date(firstMs) : beginningOf(openAt, firstMs - 1);
}

function endOf(openAt: OpenAt, ms: number): Date | null {
  const lastMs = Math.max(...openAt(ms).map(({ until }) => until?.getTime() ?? Infinity));
  if (lastMs === Infinity) return null;
  return openAt(lastMs).length === 0 ? new Date(lastMs) : endOf(openAt, lastMs);
}
