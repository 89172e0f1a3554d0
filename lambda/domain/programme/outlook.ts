// The outlook of a programme: rules that have nothing to play in the days to come, and distances that cannot be kept.
// It warns of nothing that a plan of these days would show to be false.
import { blockTimesOf, otherWork } from './block-times.ts';
import type { CalendarPart, NextTurn } from './block-times.ts';
import { ZoneOffsets } from './breaks.ts';
import type { PlannableCollection } from './plannable.ts';
import { sourceKey, sourcesOf } from './programme-rules.ts';
import type { Insert, ItemSource, ProgrammeRules } from './programme-rules.ts';
import { sourceFactsOf } from './source-facts.ts';
import type { SourceFacts } from './source-facts.ts';
import { UploadTimes } from './upload-times.ts';
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
  /** Its collection has more members than a plan reads beside those of the other collections. */
  | { readonly code: 'collection_cut'; readonly rule: NamedRule }
  /** Blocks of higher priority have all times of a block. */
  | { readonly code: 'overlap_shadowed'; readonly rule: NamedRule }
  /** A block names a live input that is deleted, or its stream cannot be taken over. */
  | { readonly code: 'live_input_missing' | 'live_needs_manifest'; readonly rule: NamedRule }
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

/** @param nextTurn called from time to time */
export async function outlookOf(
  rules: ProgrammeRules,
  collections: Collections,
  nowMs: number,
  nextTurn = otherWork,
): Promise<Warning[]> {
  const part = { fromMs: nowMs, untilMs: nowMs + outlookDays * dayMs };
  const facts = await allFacts(rules, collections, part, nextTurn);
  const blockTimes = await blockTimesOf(rules, part, nextTurn);
  const timesOf = (id: string) => blockTimes.filter(({ block }) => block.id === id);
  const shadowed: Warning[] = [];
  for (const block of rules.blocks) {
    const isMissing = block.hours !== null && timesOf(block.id).length === 0;
    const own = isMissing ? await blockTimesOf({ ...rules, blocks: [block] }, part, nextTurn) : [];
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
  return [
    ...shadowed,
    ...cuts(drawing, collections),
    ...drawing.flatMap((each) => (isCut(each, collections) ? [] : warningOf(each, facts(each.from)))),
    ...rules.inserts.flatMap((insert) => unfitting(insert, rules, facts)),
    ...endings(drawing, facts, nowMs),
    ...(await unmeetableRules(rules, blockTimes, (from) => collections.get(sourceKey(from)), nextTurn)),
  ];
}

/** @param inputIDs of the live inputs of the stream */
export function liveWarnings(
  { blocks }: Pick<ProgrammeRules, 'blocks'>,
  { inputIDs, isPrepared }: { readonly inputIDs: ReadonlySet<string>; readonly isPrepared: boolean },
): Warning[] {
  return blocks.flatMap(({ name, liveInputID }): Warning[] => {
    if (liveInputID === undefined) return [];
    const rule = { kind: 'block', name } as const;
    if (!inputIDs.has(liveInputID)) return [{ code: 'live_input_missing', rule }];
    return isPrepared ? [] : [{ code: 'live_needs_manifest', rule }];
  });
}

/** By `sourceKey`, with the members that can be played. */
type Collections = ReadonlyMap<string, PlannableCollection>;

type FactsOf = (from: ItemSource) => SourceFacts;

async function allFacts(
  rules: ProgrammeRules,
  collections: Collections,
  part: CalendarPart,
  nextTurn: NextTurn,
): Promise<FactsOf> {
  const [zone, times] = [new ZoneOffsets(rules.timeZone), new UploadTimes()];
  const found = new Map<string, SourceFacts>();
  for (const key of new Set(sourcesOf(rules).map(sourceKey)))
    found.set(key, await sourceFactsOf(collections.get(key)?.members ?? [], times, part, zone, nextTurn));
  return (from) => found.get(sourceKey(from))!;
}

function warningOf({ rule, times }: DrawingRule, { isEmpty, mayBegin }: SourceFacts): Warning[] {
  if (isEmpty) return [{ code: 'collection_empty', rule }];
  return times.length === 0 || times.some(mayBegin) ? [] : [{ code: 'never_plays', rule }];
}

/** The mid-roll that no item of its blocks is long enough for. */
function unfitting({ name, when }: Insert, { blocks }: ProgrammeRules, factsOf: FactsOf): Warning[] {
  if (!('midRoll' in when)) return [];
  const { everyMinutes, keepLastMinutes, blockID } = when.midRoll;
  const divided = blocks.filter(({ id, isOffAir }) => !isOffAir && (blockID === null || id === blockID));
  const longest = divided.flatMap(({ steps }) => steps.map(({ from }) => factsOf(from).longestSeconds));
  const leastMinutes = everyMinutes + keepLastMinutes;
  const longestSeconds = Math.max(0, ...longest);
  if (longestSeconds === 0 || longestSeconds >= leastMinutes * 60) return [];
  return [{ code: 'insert_does_not_fit', rule: { kind: 'insert', name }, leastMinutes }];
}

function isCut({ from }: DrawingRule, collections: Collections): boolean {
  return collections.get(sourceKey(from))?.isCut ?? false;
}

/** The sources that a plan does not read whole, each once. */
function cuts(drawing: readonly DrawingRule[], collections: Collections): Warning[] {
  const cut = oneOfSource(drawing).filter((each) => isCut(each, collections));
  return cut.map(({ rule }) => ({ code: 'collection_cut', rule }));
}

/** For each source, the last rule that draws from it. */
function oneOfSource(drawing: readonly DrawingRule[]): DrawingRule[] {
  return [...new Map(drawing.map((each) => [sourceKey(each.from), each])).values()];
}

/** The sources whose members all end soon, each once. */
function endings(drawing: readonly DrawingRule[], factsOf: FactsOf, nowMs: number): Warning[] {
  return oneOfSource(drawing).flatMap(({ rule, from }): Warning[] => {
    const { endsAtMs: atMs } = factsOf(from);
    return atMs > nowMs && atMs < nowMs + endDays * dayMs ? [{ code: 'runs_empty', rule, atMs }] : [];
  });
}
