// The windows of a live input together with those that blocks of programmes give it. Decision D262.
import { blockTimesOf, otherWork } from '../programme/block-times.ts';
import type { ProgrammeRules } from '../programme/programme-rules.ts';
import { firstIndex } from '../shared/binary-search.ts';
import { fixedAheadSeconds } from './takeover-plan.ts';
import { stretchesOf, windowAround } from './take-windows.ts';
import type { OpenWindow, Stretch, StretchAt, TakeWindows } from './take-windows.ts';

/** The part of published rules that gives windows. */
export type BlockRules = Pick<ProgrammeRules, 'blocks' | 'timeZone'>;

export interface WindowedInput {
  readonly id: string;
  readonly takes: 'on_request' | 'always' | 'in_windows';
  readonly windows: TakeWindows | null;
}

/** Block windows are right for so long after the time that they were computed for. */
export const keptMs = 3_600_000;
/** A takeover by a window looks again for its end after so long: ends are known a week ahead. */
export const lookAgainMs = 86_400_000;
/** From a look to one that a change asks for: each computes the times of blocks, as a plan does. */
export const lookRestSeconds = 5;
/** As far as block windows are looked for. A block lasts a week at most. */
const aroundMs = 7 * 86_400_000 + keptMs;

/**
 * The window in which an input may begin to take over by itself.
 * @param ofBlocks from `blockWindowsOf`
 * @returns null: none is open, or one ends before all agents can show a takeover
 */
export function takeWindowOf(
  input: Omit<WindowedInput, 'id'>,
  ofBlocks: readonly Stretch[],
  now: Date,
): OpenWindow | null {
  const window = inputWindowOf(input, ofBlocks, now);
  const isTooLate = window?.until && window.until.getTime() - now.getTime() <= fixedAheadSeconds * 1000;
  return isTooLate ? null : window;
}

/**
 * The window of an input at a time: its own hours and the times of blocks that name it. Those that adjoin are one.
 * @param ofBlocks from `blockWindowsOf`
 * @returns null: none is open, or the input takes over always
 */
export function inputWindowOf(
  { takes, windows }: Omit<WindowedInput, 'id'>,
  ofBlocks: readonly Stretch[],
  now: Date,
): OpenWindow | null {
  if (takes === 'always') return null;
  const ownAt: StretchAt = takes === 'in_windows' && windows ? stretchesOf(windows) : () => null;
  return windowAround(now, (ms) => blockAt(ofBlocks, ms) ?? ownAt(ms));
}

/**
 * The times around now in which blocks that name an input decide, in order, without two that touch.
 * @param programmes the published rules of the programmes of its stream
 * @param nextTurn as of `blockTimesOf`
 */
export async function blockWindowsOf(
  { id }: Pick<WindowedInput, 'id'>,
  programmes: readonly BlockRules[],
  now: Date,
  nextTurn = otherWork,
): Promise<Stretch[]> {
  const part = { fromMs: now.getTime() - aroundMs, untilMs: now.getTime() + aroundMs };
  const times: Stretch[] = [];
  for (const rules of programmes) {
    if (rules.blocks.every(({ liveInputID }) => liveInputID !== id)) continue;
    const own = (await blockTimesOf(rules, part, nextTurn)).filter(({ block }) => block.liveInputID === id);
    times.push(...own);
  }
  return united(times);
}

function united(times: readonly Stretch[]): Stretch[] {
  const all: { readonly fromMs: number; untilMs: number }[] = [];
  for (const { fromMs, untilMs } of times.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = all.at(-1);
    if (last && fromMs <= last.untilMs) last.untilMs = Math.max(last.untilMs, untilMs);
    else all.push({ fromMs, untilMs });
  }
  return all;
}

/** @param ofBlocks in order, without two that touch */
function blockAt(ofBlocks: readonly Stretch[], ms: number): Stretch | null {
  const found = ofBlocks[firstIndex(ofBlocks, ({ untilMs }) => untilMs > ms)];
  return found && found.fromMs <= ms ? found : null;
}
