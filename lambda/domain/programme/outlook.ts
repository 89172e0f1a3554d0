// The outlook of a programme: rules that have nothing to play in the days to come, and distances that cannot be kept.
// It warns of nothing that a plan of these days would show to be false.
import { isAvailableAt } from '../media/availability.ts';
import type { Availability } from '../media/availability.ts';
import { minutesOf } from '../shared/wall-clock.ts';
import { blockTimesOf } from './block-times.ts';
import type { CalendarPart } from './block-times.ts';
import { ZoneOffsets } from './breaks.ts';
import type { PlannableCollection, PlannableItem } from './plannable.ts';
import { sourceKey } from './programme-rules.ts';
import type { Insert, ItemSource, ProgrammeRules } from './programme-rules.ts';
import { unmeetableRules } from './unmeetable-rules.ts';
import type { UnmeetableRule } from './unmeetable-rules.ts';

/** The rule that a warning is about. */
export interface NamedRule {
  readonly kind: 'block' | 'insert' | 'filler';
  /** Empty for filler, which has no name. */
  readonly name: string;
  /** The number of the step of a block, from 1; absent: the whole block. */
  readonly step?: number;
}

export type Warning =
  /** Nothing of its source can be played, or may begin at any of its times. */
  | { readonly code: 'collection_empty' | 'never_plays'; readonly rule: NamedRule }
  /** Blocks of higher priority have all times of a block. */
  | { readonly code: 'overlap_shadowed'; readonly rule: NamedRule }
  /** No item is long enough for the breaks of an insert. */
  | { readonly code: 'insert_does_not_fit'; readonly rule: NamedRule; readonly leastMinutes: number }
  /** Nothing of its source may begin from a Unix time in ms on. */
  | { readonly code: 'runs_empty'; readonly rule: NamedRule; readonly atMs: number }
  | UnmeetableRule;

export const outlookDays = 8;
const dayMs = 86_400_000;
/** Days within which the end of a source is a warning. */
const endDays = 30;

interface DrawingRule {
  readonly rule: NamedRule;
  readonly from: ItemSource;
  /** The times at which it may play; empty: none in these days, or unknown. */
  readonly times: readonly CalendarPart[];
}

/** @param collections by `sourceKey`, with the members that can be played */
export async function outlookOf(
  rules: ProgrammeRules,
  collections: ReadonlyMap<string, PlannableCollection>,
  nowMs: number,
): Promise<Warning[]> {
  const part = { fromMs: nowMs, untilMs: nowMs + outlookDays * dayMs };
  const membersOf = (from: ItemSource) => collections.get(sourceKey(from))?.members ?? [];
  const blockTimes = await blockTimesOf(rules, part);
  const timesOf = (id: string) => blockTimes.filter(({ block }) => block.id === id);
  const shadowed: Warning[] = [];
  for (const block of rules.blocks) {
    const isMissing = block.hours !== null && timesOf(block.id).length === 0;
    const own = isMissing ? await blockTimesOf({ blocks: [block], timeZone: rules.timeZone }, part) : [];
    if (own.length > 0) shadowed.push({ code: 'overlap_shadowed', rule: { kind: 'block', name: block.name } });
  }
  const drawing: DrawingRule[] = [
    ...rules.blocks.flatMap(({ id, name, steps }) =>
      steps.map(({ from }, index) => ({
        rule: { kind: 'block' as const, name, ...(steps.length > 1 && { step: index + 1 }) },
        from,
        times: timesOf(id),
      })),
    ),
    ...rules.inserts.map(({ name, from }) => ({ rule: { kind: 'insert' as const, name }, from, times: blockTimes })),
    ...(rules.filler ? [{ rule: { kind: 'filler' as const, name: '' }, from: rules.filler.from, times: [part] }] : []),
  ];
  const zone = new ZoneOffsets(rules.timeZone);
  return [
    ...shadowed,
    ...drawing.flatMap((each) => warningOf(each, membersOf(each.from), zone)),
    ...rules.inserts.flatMap((insert) => unfitting(insert, rules, membersOf)),
    ...endings(drawing, membersOf, nowMs),
    ...unmeetableRules(rules, blockTimes, (from) => collections.get(sourceKey(from))),
  ];
}

function warningOf({ rule, times }: DrawingRule, members: readonly PlannableItem[], zone: ZoneOffsets): Warning[] {
  if (members.length === 0) return [{ code: 'collection_empty', rule }];
  const windows = availabilitiesOf(members);
  const mayPlay = windows === null || times.some((time) => windows.some((window) => meets(window, time, zone)));
  return mayPlay || times.length === 0 ? [] : [{ code: 'never_plays', rule }];
}

/** The different times of members; null: one of them may begin at any time. */
function availabilitiesOf(members: readonly PlannableItem[]): Availability[] | null {
  const found = new Map<string, Availability>();
  for (const { availability } of members) {
    if (availability === undefined) return null;
    found.set(JSON.stringify(availability), availability);
  }
  return [...found.values()];
}

/** Whether an item may begin within a time: at its beginning, or when a window opens. */
function meets(availability: Availability, { fromMs, untilMs }: CalendarPart, zone: ZoneOffsets): boolean {
  const { from, until, hours } = availability;
  const first = Math.max(fromMs, from === null ? -Infinity : Date.parse(from));
  const end = Math.min(untilMs, until === null ? Infinity : Date.parse(until));
  const isOpen = (ms: number) => isAvailableAt(availability, ms, zone.offsetMsAt(ms));
  if (first >= end) return false;
  if (isOpen(first)) return true;
  for (let dayAt = first - dayMs; dayAt < end + dayMs; dayAt += dayMs) {
    const midnightMs = zone.midnightMsBefore(dayAt);
    const openings = hours.map((each) => midnightMs + minutesOf(each.from) * 60_000);
    if (openings.some((ms) => ms >= first && ms < end && isOpen(ms))) return true;
  }
  return false;
}

/** The mid-roll that no item of its blocks is long enough for. */
function unfitting(
  { name, when }: Insert,
  { blocks }: ProgrammeRules,
  membersOf: (from: ItemSource) => readonly PlannableItem[],
): Warning[] {
  if (!('midRoll' in when)) return [];
  const { everyMinutes, keepLastMinutes, blockID } = when.midRoll;
  const divided = blocks.filter(({ id, isOffAir }) => !isOffAir && (blockID === null || id === blockID));
  const items = divided.flatMap(({ steps }) => steps).flatMap(({ from }) => membersOf(from));
  const leastMinutes = everyMinutes + keepLastMinutes;
  if (items.length === 0 || items.some(({ durationSeconds }) => durationSeconds >= leastMinutes * 60)) return [];
  return [{ code: 'insert_does_not_fit', rule: { kind: 'insert', name }, leastMinutes }];
}

/** The sources whose members all end soon, each once. */
function endings(
  drawing: readonly DrawingRule[],
  membersOf: (from: ItemSource) => readonly PlannableItem[],
  nowMs: number,
): Warning[] {
  const rules = new Map(drawing.map(({ rule, from }) => [sourceKey(from), { rule, from }]));
  return [...rules.values()].flatMap(({ rule, from }): Warning[] => {
    const members = membersOf(from);
    const ends = members.map(({ availability }) => Date.parse(availability?.until ?? '') || Infinity);
    const atMs = ends.reduce((last, each) => Math.max(last, each), -Infinity);
    return atMs > nowMs && atMs < nowMs + endDays * dayMs ? [{ code: 'runs_empty', rule, atMs }] : [];
  });
}
