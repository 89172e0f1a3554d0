// The rules of a programme while they are edited, and their form in requests.
import { usualFirstDay } from '../../domain/programme/programme-rules.ts';
import { weekdays } from '../../domain/shared/wall-clock.ts';
import type { Weekday } from '../../domain/shared/wall-clock.ts';
import type { Programme } from '../app/types.ts';

export const ruleFields = [
  'timeZone',
  'blocks',
  'inserts',
  'separation',
  'filler',
  'insertSecondsPerHour',
] as const satisfies readonly (keyof Programme)[];

/** The programme that rules are of. */
export type OwnProgramme = Pick<Programme, 'kind' | 'streamID'>;
/** The rules of a programme, in the form of answers. */
export type Rules = Pick<Programme, (typeof ruleFields)[number]>;
export type Block = Rules['blocks'][number];
export type Step = Block['steps'][number];
export type Insert = Rules['inserts'][number];
export type Separation = Rules['separation'][number];
/** The origin of items: a collection or a file. A rule that has neither waits for a choice. */
export interface Source {
  readonly collectionID?: string | undefined;
  readonly uploadID?: string | undefined;
}

export function rulesOf(programme: Programme): Rules {
  return Object.fromEntries(ruleFields.map((name) => [name, programme[name]])) as Rules;
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The fields of a request that makes rules out of others: only those that differ. */
export function changesOf(before: Rules, after: Rules): Record<string, unknown> {
  const changed = ruleFields.filter((name) => !isEqual(before[name], after[name]));
  const requested: Record<string, unknown> = {
    ...after,
    blocks: after.blocks.map(requestedBlock),
    inserts: after.inserts.map(withSource),
    filler: after.filler && withSource(after.filler),
  };
  return Object.fromEntries(changed.map((name) => [name, requested[name]]));
}

function requestedBlock({ rule, at, minutes, firstDay, lastDay, steps, ...block }: Block): object {
  const hours = rule === null ? {} : { rule, at, minutes, lastDay, ...(firstDay !== null && { firstDay }) };
  return { ...block, ...hours, steps: steps.map(withSource) };
}

/** A file that is not chosen yet is no file. */
function withSource({ uploadID, ...rule }: Source): object {
  return uploadID ? { ...rule, uploadID } : rule;
}

/** A new rule needs an id that no other one has. */
const newID = (): string => crypto.randomUUID();

export const newStep = (): Step => ({ id: newID(), count: 1, weight: 1, cursor: 'own' });

export function newBlock(name: string): Block {
  return {
    id: newID(),
    name,
    rule: null,
    at: null,
    minutes: null,
    firstDay: null,
    lastDay: null,
    priority: 50,
    starts: 'next_item',
    latestMinutes: null,
    ends: 'finish',
    ordered: false,
    offAir: false,
    guide: 'items',
    liveInputID: null,
    steps: [newStep()],
  };
}

export function newInsert(name: string): Insert {
  return {
    id: newID(),
    name,
    everyItems: 3,
    perBreak: 1,
    introUploadID: null,
    outroUploadID: null,
    mostPerHour: null,
    shortestGapMinutes: 0,
    join: 'cut',
  };
}

export const newSeparation = (): Separation => ({
  by: 'artist',
  tagPrefix: null,
  items: 2,
  minutes: 0,
  strength: 'should',
});

export const insertTimes = [
  'everyItems',
  'everyMinutes',
  'atMinutes',
  'beforeBlockID',
  'afterBlockID',
  'midRoll',
] as const;
export type InsertTime = (typeof insertTimes)[number];

export function timeOfInsert(insert: Insert): InsertTime {
  return insertTimes.find((name) => insert[name] !== undefined) ?? 'everyItems';
}

/** @param chosen the time in place of its present one */
export function timedInsert(insert: Insert, chosen: Pick<Insert, InsertTime>): Insert {
  const rest = Object.entries(insert).filter(([name]) => !insertTimes.some((time) => time === name));
  return { ...(Object.fromEntries(rest) as Insert), ...chosen };
}

/** The days of a block that repeat by days or weeks. */
export interface Days {
  readonly every: 'day' | 'week';
  readonly interval: number;
  /** Days of the week, with `week`. Empty: that of the first day. */
  readonly weekdays: readonly Weekday[];
}

/** @returns null: a rule of another form */
export function daysOf(rule: string): Days | null {
  const parts = Object.fromEntries(
    rule
      .toUpperCase()
      .replace(/^RRULE:/, '')
      .split(';')
      .map((part) => part.split('=') as [string, string]),
  );
  const { FREQ: every, INTERVAL: interval = '1', BYDAY: byDay, ...others } = parts;
  const chosen = (byDay?.split(',') ?? []) as Weekday[];
  const isKnown = /^[1-9]\d*$/.test(interval) && chosen.every((day) => weekdays.includes(day));
  if (!isKnown || Object.keys(others).length > 0) return null;
  if (every === 'DAILY' && byDay === undefined) return { every: 'day', interval: Number(interval), weekdays: [] };
  return every === 'WEEKLY' ? { every: 'week', interval: Number(interval), weekdays: chosen } : null;
}

export function ruleOfDays({ every, interval, weekdays: chosen }: Days): string {
  return [
    `FREQ=${every === 'day' ? 'DAILY' : 'WEEKLY'}`,
    ...(interval === 1 ? [] : [`INTERVAL=${interval}`]),
    ...(chosen.length === 0 ? [] : [`BYDAY=${chosen.join(',')}`]),
  ].join(';');
}

export const dayMs = 86_400_000;
/** Days since 1970 of a day such as 2026-01-31. */
export const dayNumber = (day: string) => Math.floor(Date.parse(`${day}T00:00Z`) / dayMs);
export const dayOfNumber = (number: number) => new Date(number * dayMs).toISOString().slice(0, 10);
/** The place of a day in its week: 0 is Monday. Day 0, 1 January 1970, was a Thursday. */
export const weekdayOf = (number: number) => (((number + 3) % 7) + 7) % 7;

/** Whether a block begins on a day; null: its rule has another form than days and weeks. */
export function beginsOn({ rule, firstDay, lastDay }: Block, number: number): boolean | null {
  const days = rule === null ? null : daysOf(rule);
  if (days === null) return null;
  const first = dayNumber(firstDay ?? usualFirstDay);
  if (number < first || (lastDay !== null && number > dayNumber(lastDay))) return false;
  if (days.every === 'day') return (number - first) % days.interval === 0;
  const weekOf = (day: number) => Math.floor((day - weekdayOf(day)) / 7);
  const chosen = days.weekdays.length === 0 ? [weekdays[weekdayOf(first)]!] : days.weekdays;
  return (weekOf(number) - weekOf(first)) % days.interval === 0 && chosen.includes(weekdays[weekdayOf(number)]!);
}
