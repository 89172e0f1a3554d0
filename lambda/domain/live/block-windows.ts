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

/** As far as windows of inputs are looked for. A block lasts a week at most. */
const weekMs = 7 * 86_400_000;

/**
 * The window in which an input takes over by itself: its own hours and the times of blocks that name it. Those that
 * adjoin are one.
 * @param programmes the published rules of the programmes of its stream
 * @returns null: none is open, one ends before all agents can show a takeover, or the input takes over always
 */
export async function takeWindowOf(
  input: WindowedInput,
  programmes: readonly BlockRules[],
  now: Date,
): Promise<OpenWindow | null> {
  if (input.takes === 'always') return null;
  const nowMs = now.getTime();
  const ownAt: OpenAt = (ms) => {
    const own = input.takes === 'in_windows' && input.windows ? openWindow(input.windows, new Date(ms)) : null;
    return own ? [own] : [];
  };
  const naming = programmes.filter(({ blocks }) => blocks.some(isOf(input)));
  if (ownAt(nowMs).length === 0 && !(await mayBeOn(input, naming, nowMs))) return null;
  const ofBlocks: OpenWindow[] = [];
  for (const rules of naming) ofBlocks.push(...(await timesOf(input, rules, nowMs)));
  const openAt: OpenAt = (ms) => [...ownAt(ms), ...ofBlocks.filter((each) => contains(each, ms))];
  if (openAt(nowMs).length === 0) return null;
  const until = endOf(openAt, nowMs);
  if (until !== null && until.getTime() - nowMs <= fixedAheadSeconds * 1000) return null;
  return { from: beginningOf(openAt, nowMs), until };
}

/** Whether a block names an input. */
function isOf({ id }: Pick<WindowedInput, 'id'>) {
  return ({ liveInputID }: BlockRules['blocks'][number]): boolean => liveInputID === id;
}

/** Whether hours of a block that names the input contain a time. It is a fraction of the work for all blocks. */
async function mayBeOn(input: WindowedInput, naming: readonly BlockRules[], nowMs: number): Promise<boolean> {
  for (const { blocks, timeZone } of naming) {
    const own = { blocks: blocks.filter(isOf(input)), timeZone };
    if ((await blockTimesOf(own, { fromMs: nowMs, untilMs: nowMs + 1 })).length > 0) return true;
  }
  return false;
}

/** The times around now in which the blocks of an input decide. */
async function timesOf(input: WindowedInput, rules: BlockRules, nowMs: number): Promise<OpenWindow[]> {
  const part = { fromMs: nowMs - weekMs, untilMs: nowMs + weekMs };
  const times = await blockTimesOf(rules, part);
  return times
    .filter(({ block }) => isOf(input)(block))
    .map(({ fromMs, untilMs }) => ({
      from: fromMs > part.fromMs ? new Date(fromMs) : null,
      until: untilMs < part.untilMs ? new Date(untilMs) : null,
    }));
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
