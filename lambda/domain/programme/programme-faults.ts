// Faults of the rules of a programme, each with its place in them and a remedy.
import { faultOfRecurrence } from '../streams/recurrence.ts';
import { isTimeZone } from '../shared/time-zone.ts';
import { otherWork } from './block-times.ts';
import type { NextTurn } from './block-times.ts';
import { sourcesOf } from './programme-rules.ts';
import type { Block, BlockHours, Insert, ProgrammeRules } from './programme-rules.ts';

/** Bounds of a programme that are the same for all users. */
export const programmeBounds = {
  blocks: 50,
  stepsOfBlock: 20,
  inserts: 20,
  separation: 10,
  /** A week, in minutes. */
  minutes: 10_080,
  weight: 1000,
  /** Minutes between the breaks of an item, and those that it keeps at its end. */
  midRollMinutes: 720,
  /** Queued items that wait. */
  queuedItems: 100,
  /** Plans for changes: so many may follow each other at once, then one after each rest. */
  changePlans: { atOnce: 5, restSeconds: 5 },
  /** Published versions that are kept, as far as their rules have these bytes together; the latest is kept always. */
  versions: { count: 100, bytes: 1_000_000 },
  /** Collections that all rules together draw from: each has up to 10,000 members. */
  collections: 30,
  /** The sum of COUNT of all blocks: each plan counts them from their first days on. */
  counted: 1000,
  /** Sum over all collections of a plan. Decision D259. */
  members: {
    /** Uploads that are read: a union of ten collections is read whole. */
    rows: 100_000,
    /** Members: an upload counts in each collection. */
    places: 50_000,
    /** Different uploads. */
    uploads: 20_000,
  },
  /** Rules are searched from their first day on. */
  firstDay: '2020-01-01',
} as const;

/** A pointer into the rules, such as blocks/0/rule, and the fault with its remedy. */
export type RuleFault = readonly [pointer: string, detail: string];

/** The most faults, beyond which no recurrence is searched: each search may need 30 ms. */
const mostFaults = 5;

/**
 * @param nextTurn called before each search by a recurrence: it lets other work run, or throws
 * @returns an empty list: the rules can be planned
 */
export async function faultsOfRules(rules: ProgrammeRules, nextTurn = otherWork): Promise<RuleFault[]> {
  if (!isTimeZone(rules.timeZone))
    return [['timeZone', 'It has to be an IANA time zone, such as Europe/Berlin or UTC.']];
  const faults: RuleFault[] = [
    ...repeatedIDs('blocks', rules.blocks),
    ...repeatedIDs('inserts', rules.inserts),
    ...rules.blocks.flatMap(({ steps }, place) => repeatedIDs(`blocks/${place}/steps`, steps)),
    ...rules.inserts.flatMap((insert, place) => faultsOfInsert(insert, `inserts/${place}`, rules.blocks)),
    ...rules.separation.flatMap(({ by, tagPrefix, items, minutes }, place): RuleFault[] => [
      ...(tagPrefix !== null && by !== 'tag'
        ? [[`separation/${place}/tagPrefix`, 'Only rules by tag have a tagPrefix.'] as const]
        : []),
      ...(items === 0 && minutes === 0
        ? [[`separation/${place}`, 'Use items, minutes or both, greater than 0.'] as const]
        : []),
    ]),
  ];
  const collections = new Set(sourcesOf(rules).flatMap((from) => ('collectionID' in from ? [from.collectionID] : [])));
  if (collections.size > programmeBounds.collections)
    faults.push([
      'blocks',
      `A programme may draw from ${programmeBounds.collections} collections. Unite some: a collection may be a union.`,
    ]);
  const counted = rules.blocks.reduce(
    (sum, { hours }) => sum + Number(/COUNT=(\d+)/iu.exec(hours?.rule ?? '')?.[1] ?? 0),
    0,
  );
  if (counted > programmeBounds.counted)
    faults.push(['blocks', `COUNT of all blocks may be ${programmeBounds.counted} together. Use lastDay instead.`]);
  for (const [place, { hours }] of rules.blocks.entries()) {
    if (faults.length >= mostFaults) break;
    if (hours !== null) faults.push(...(await faultsOfHours(hours, rules.timeZone, `blocks/${place}`, nextTurn)));
  }
  return faults;
}

function repeatedIDs(path: string, each: readonly { readonly id: string }[]): RuleFault[] {
  return each.flatMap(({ id }, place): RuleFault[] =>
    each.findIndex((other) => other.id === id) < place ? [[`${path}/${place}/id`, 'Another one has this id.']] : [],
  );
}

function faultsOfInsert({ when }: Insert, path: string, blocks: readonly Block[]): RuleFault[] {
  const named = Object.entries(when).filter(([field]) => field === 'beforeBlockID' || field === 'afterBlockID');
  if ('midRoll' in when && when.midRoll.blockID !== null) named.push(['midRoll/blockID', when.midRoll.blockID]);
  return named
    .filter(([, id]) => !blocks.some((block) => block.id === id))
    .map(([field]) => [`${path}/${field}`, 'The programme has no block with this id.']);
}

async function faultsOfHours(
  hours: BlockHours,
  timeZone: string,
  path: string,
  nextTurn: NextTurn,
): Promise<RuleFault[]> {
  if (/FREQ=(?:SECONDLY|MINUTELY|HOURLY)|BYHOUR|BYMINUTE|BYSECOND|UNTIL/iu.test(hours.rule))
    return [[`${path}/rule`, 'The rule gives days only: at has the time of day, and lastDay the end.']];
  if (hours.lastDay !== null && hours.lastDay < hours.firstDay) return [[`${path}/lastDay`, 'It is before firstDay.']];
  if (hours.firstDay < programmeBounds.firstDay)
    return [[`${path}/firstDay`, `Use a day from ${programmeBounds.firstDay} on.`]];
  const firstStartAt = new Date(`${hours.firstDay}T00:00:00Z`);
  const fault = await faultOfRecurrence({ rule: hours.rule, timeZone }, firstStartAt, nextTurn);
  return fault === null ? [] : [[`${path}/rule`, fault.detail]];
}
