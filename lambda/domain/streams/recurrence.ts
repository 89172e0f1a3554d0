// Recurrence of schedules: RFC 5545 rules in a time zone, so that 20:00 stays 20:00 when clocks change.
import type { RRuleTemporal } from 'rrule-temporal';
import { isTimeZone } from '../shared/time-zone.ts';

/** A recurrence as a user enters it. */
export interface Recurrence {
  /** An RFC 5545 recurrence rule, such as FREQ=WEEKLY;BYDAY=MO,FR. */
  readonly rule: string;
  /** An IANA time zone, such as Europe/Berlin. */
  readonly timeZone: string;
}

/** A recurrence with its first start, the origin of INTERVAL and COUNT, and the length of each run. */
export interface Series extends Recurrence {
  readonly firstStartAt: Date;
  /** Length of each run; null if the schedule does not end it. */
  readonly lengthSeconds: number | null;
  /** Starts to skip, in ISO 8601 as in JSON; COUNT still counts them. */
  readonly skipped?: readonly string[];
}

export interface RecurrenceFault {
  readonly field: keyof Recurrence;
  readonly detail: string;
}

const days = '(?:MO|TU|WE|TH|FR|SA|SU)';
const upTo366 = '[+-]?0{0,2}(?:[1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6])';
const upTo53 = '[+-]?0?(?:[1-9]|[1-4]\\d|5[0-3])';
const listOf = (value: string) => new RegExp(`^${value}(?:,${value})*$`);

/**
 * Parts of a rule and the form of their values (RFC 5545, section 3.3.10). COUNT has our own maximum, since its search
 * counts from the first start.
 */
const ruleParts: Readonly<Record<string, RegExp>> = {
  FREQ: /^(?:SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  UNTIL: /^\d{8}(?:T\d{6}Z)?$/,
  COUNT: /^(?:[1-9]\d{0,2}|1000)$/,
  INTERVAL: /^[1-9]\d{0,4}$/,
  BYSECOND: listOf('(?:[0-5]?\\d|60)'),
  BYMINUTE: listOf('[0-5]?\\d'),
  BYHOUR: listOf('(?:[01]?\\d|2[0-3])'),
  BYDAY: listOf(`(?:${upTo53})?${days}`),
  BYMONTHDAY: listOf('[+-]?(?:0?[1-9]|[12]\\d|3[01])'),
  BYYEARDAY: listOf(upTo366),
  BYWEEKNO: listOf(upTo53),
  BYMONTH: listOf('(?:0?[1-9]|1[0-2])'),
  BYSETPOS: listOf(upTo366),
  WKST: new RegExp(`^${days}$`),
};

/** Later times have no ISO 8601 form with four digits for the year. */
const lastTimeMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

interface SearchLimits {
  readonly maxIterations: number;
  readonly maxCandidateEvaluations: number;
}

/**
 * Limits of the search for one start of a new rule. Other work of the process waits meanwhile, such as an agent's
 * pictures: a step takes some 10 µs, a candidate some 20. Four years of days are enough to find 29 February.
 */
const limitsOfCheck: SearchLimits = { maxIterations: 1500, maxCandidateEvaluations: 1000 };
/** Limits for a checked rule: a later start may be further away than the second one was. */
const limitsOfUse: SearchLimits = { maxIterations: 3000, maxCandidateEvaluations: 2000 };
/**
 * Search horizon. 29 February returns within eight years. In later centuries, without recorded clock changes, a single
 * time can take the library milliseconds.
 */
const mostYearsAhead = 10;

const noSecond =
  'It has no second occurrence that could be found within ten years. Check that its parts can come true together.';
const tooManySteps =
  'Finding its occurrences takes too many steps. Choose a coarser FREQ, such as FREQ=DAILY;BYHOUR=20 in place of ' +
  'FREQ=HOURLY;BYHOUR=20, a smaller COUNT, or UNTIL in place of COUNT.';

/** Lets other work of the process run. */
const otherWork = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Fault of a recurrence with its remedy; null if it gives starts from `firstStartAt` on.
 * @param nextTurn called before each search for a start: it lets other work run, or throws
 */
export async function faultOfRecurrence(
  recurrence: Recurrence,
  firstStartAt: Date,
  nextTurn = otherWork,
): Promise<RecurrenceFault | null> {
  if (!isTimeZone(recurrence.timeZone))
    return { field: 'timeZone', detail: 'It has to be an IANA time zone, such as Europe/Berlin or UTC.' };
  const detail =
    faultOfRule(recurrence.rule) ?? (await knownFault({ ...recurrence, firstStartAt, lengthSeconds: null }, nextTurn));
  return detail === null ? null : { field: 'rule', detail };
}

function faultOfRule(rule: string): string | null {
  const parts = rule
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .split(';')
    .map((part) => part.split('='));
  const names = parts.map(([name = '']) => name);
  if (!names.includes('FREQ'))
    return 'It has to be an RFC 5545 recurrence rule with FREQ, such as FREQ=WEEKLY;BYDAY=MO,FR.';
  const unknown = names.find((name) => !Object.hasOwn(ruleParts, name));
  if (unknown === '') return 'Its parts are separated by one semicolon each, with none at the end.';
  if (unknown !== undefined)
    return `A recurrence rule has no part ${unknown}. Its parts are ${Object.keys(ruleParts).join(', ')}.`;
  const repeated = names.find((name, place) => names.indexOf(name) !== place);
  if (repeated !== undefined) return `${repeated} may be there once.`;
  if (names.includes('UNTIL') && names.includes('COUNT'))
    return 'UNTIL and COUNT may not be there together. Choose one.';
  const wrong = parts.find(([name = '', value = '', ...more]) => more.length > 0 || !ruleParts[name]!.test(value))?.[0];
  if (wrong === 'UNTIL') return 'UNTIL has to be a time in UTC, such as 20270101T000000Z, or a date, such as 20270101.';
  if (wrong === 'COUNT') return 'COUNT has to be from 1 to 1000. Leave it out for a recurrence without end.';
  return wrong === undefined ? null : `The value of ${wrong} is not one that RFC 5545 allows.`;
}

/** Found faults by series; null: none. A call that begins again, or is sent again, searches for none twice. */
const checked = new Map<string, string | null>();

async function knownFault(series: Series, nextTurn: typeof otherWork): Promise<string | null> {
  const key = keyOf(series);
  const known = checked.get(key);
  if (known !== undefined) return known;
  const found = await faultOfSearch(series, nextTurn);
  keep(checked, key, found);
  return found;
}

/** Finds faults in combinations of parts that are valid alone: the library knows the RFC's rules. */
async function faultOfSearch(series: Series, nextTurn: typeof otherWork): Promise<string | null> {
  try {
    const starts = await search(series, series.firstStartAt, { count: 2, limits: limitsOfCheck, nextTurn });
    if (starts[0]?.getTime() !== series.firstStartAt.getTime())
      return 'It ends before scheduleStartAt. Set a later UNTIL, or leave it out.';
    if (starts.length < 2 && !/UNTIL|COUNT=1(?:;|$)/i.test(series.rule)) return noSecond;
  } catch (error) {
    if (!(error instanceof FailedSearch)) throw error;
    const { message } = error;
    if (!message.startsWith('Maximum')) return `${message}.`;
    // All starts of a rule with COUNT are counted once.
    return /COUNT/i.test(series.rule) ? tooManySteps : noSecond;
  }
  return null;
}

/**
 * At most `count` starts at or after `from`, in order. The first start of the series is always one. By RFC 5545, times
 * that a day lacks (31 April, the hour that clocks skip) do not occur.
 * @param nextTurn called before each search for a start: it lets other work run, or throws
 */
export async function startsOf(series: Series, from: Date, count: number, nextTurn = otherWork): Promise<Date[]> {
  try {
    return await search(series, from, { count, limits: limitsOfUse, nextTurn });
  } catch (error) {
    // The rule was checked when it was set, so the only failure left is a search that reached its limits.
    if (!(error instanceof FailedSearch)) throw error;
    return [];
  }
}

/** A search that the library refuses or that reached its limits, with the library's message. */
class FailedSearch extends Error {}

/** @throws {FailedSearch} and what `nextTurn` throws */
async function search(
  series: Series,
  from: Date,
  {
    count,
    limits,
    nextTurn,
  }: { readonly count: number; readonly limits: SearchLimits; readonly nextTurn: typeof otherWork },
): Promise<Date[]> {
  // The library is loaded only by the few requests that need it: loading takes longer than most requests.
  const { RRuleTemporal: Rule } = await import('rrule-temporal');
  const starts: Date[] = [];
  let last: Date | undefined;
  while (starts.length < count) {
    await nextTurn();
    const next = startAfter(series, last ?? from, last === undefined, { Rule, limits });
    if (next === null) break;
    last = next;
    if (!series.skipped?.includes(last.toISOString())) starts.push(last);
  }
  return starts;
}

/**
 * The next start of a series, also if it is skipped; null: none.
 * @throws {FailedSearch}
 */
function startAfter(
  { rule, timeZone, firstStartAt }: Series,
  after: Date,
  isIncluded: boolean,
  { Rule, limits }: { readonly Rule: typeof RRuleTemporal; readonly limits: SearchLimits },
): Date | null {
  const endless = rule.replace(/;?\bCOUNT=\d+/i, '').replace(/^(RRULE:)?;/i, '$1');
  try {
    const isCounted = /COUNT/i.test(rule);
    const lastStart = isCounted ? lastOfCount({ rule, timeZone, firstStartAt }, after, Rule, limits) : null;
    const rruleString = `RRULE:${untilHorizon(endless, after)}`;
    const dtstart = originOf(timeZone, firstStartAt);
    const next = new Rule({ rruleString, dtstart, includeDtstart: true, ...limits }).next(after, isIncluded);
    const lastMs = Math.min(lastTimeMs, lastStart?.getTime() ?? lastTimeMs);
    return next === null || next.epochMilliseconds > lastMs ? null : new Date(next.epochMilliseconds);
  } catch (error) {
    throw new FailedSearch((error as Error).message);
  }
}

/** The last start of a counted series up to a horizon, and whether the series has ended by then. */
interface CountedUntil {
  readonly last: Date;
  readonly hasEnded: boolean;
  readonly horizon: Date;
}

/** Counted series. */
const counted = new Map<string, CountedUntil>();

/** Series that are kept in memory of each kind. */
const mostKept = 10_000;

function keep<Value>(known: Map<string, Value>, key: string, value: Value): void {
  if (known.size >= mostKept) known.delete(known.keys().next().value!);
  known.set(key, value);
}

function keyOf({ rule, timeZone, firstStartAt }: Pick<Series, 'rule' | 'timeZone' | 'firstStartAt'>): string {
  return `${rule} ${timeZone} ${firstStartAt.toISOString()}`;
}

/**
 * The last start of a series with COUNT; null if it has later ones than the horizon of a search. It is counted once: to
 * find a start among those of a series without COUNT does not take the steps from the first one.
 * @throws if the search reaches its limits
 */
function lastOfCount(
  { rule, timeZone, firstStartAt }: Pick<Series, 'rule' | 'timeZone' | 'firstStartAt'>,
  from: Date,
  Rule: typeof RRuleTemporal,
  limits: SearchLimits,
): Date | null {
  const key = keyOf({ rule, timeZone, firstStartAt });
  const horizon = yearsAfter(from, mostYearsAhead);
  let known = counted.get(key);
  if (!known || (!known.hasEnded && known.horizon < horizon)) {
    const rruleString = `RRULE:${untilHorizon(rule, from)}`;
    const dtstart = originOf(timeZone, firstStartAt);
    const all = new Rule({ rruleString, dtstart, includeDtstart: true, cache: false, ...limits }).all();
    const hasEnded = all.length >= Number(/COUNT=(\d+)/i.exec(rule)?.[1]);
    known = { last: new Date(all.at(-1)?.epochMilliseconds ?? firstStartAt), hasEnded, horizon };
    keep(counted, key, known);
  }
  return known.hasEnded ? known.last : null;
}

function originOf(timeZone: string, firstStartAt: Date) {
  return { timeZoneId: timeZone, toString: () => `${firstStartAt.toISOString()}[${timeZone}]` };
}

/** The rule with an end of the search. The library takes UNTIL beside COUNT. */
function untilHorizon(rule: string, from: Date): string {
  const horizon = yearsAfter(from, mostYearsAhead)
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '');
  const parts = rule
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .split(';');
  const until = parts.find((part) => part.startsWith('UNTIL='))?.slice('UNTIL='.length);
  if (until !== undefined && until < horizon) return parts.join(';');
  return [...parts.filter((part) => !part.startsWith('UNTIL=')), `UNTIL=${horizon}`].join(';');
}

function yearsAfter(from: Date, years: number): Date {
  const later = new Date(from);
  later.setUTCFullYear(from.getUTCFullYear() + years);
  return new Date(Math.min(later.getTime(), lastTimeMs));
}

/** One scheduled run. */
export interface ScheduledTime {
  readonly startAt: Date;
  readonly endAt: Date | null;
}

/**
 * The scheduled run after the one due at `startAt`: the first that is not over yet. If it has begun already, the stream
 * starts late, so runs may follow each other without a break. Null if the recurrence is over.
 * @param durationSeconds length of a run that the schedule does not end; 0 if nothing ends it
 * @param mayBeginLate whether a run that has begun already may be the next one
 */
export async function nextScheduledTime(
  series: Series,
  startAt: Date,
  now: Date,
  durationSeconds: number,
  mayBeginLate = true,
): Promise<ScheduledTime | null> {
  const { lengthSeconds } = series;
  const overAt = now.getTime() - (mayBeginLate ? (lengthSeconds ?? durationSeconds) : 0) * 1000;
  const from = startAt > now ? startAt.getTime() : Math.max(startAt.getTime(), overAt) + 1;
  const [next] = await startsOf(series, new Date(from), 1);
  if (next === undefined) return null;
  return { startAt: next, endAt: lengthSeconds === null ? null : new Date(next.getTime() + lengthSeconds * 1000) };
}
