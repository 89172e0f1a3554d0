// The block that decides at each time: the occurrences of all blocks, by priority.
import type { RRuleTemporal } from 'rrule-temporal';
import type { Block, BlockHours, ProgrammeRules } from './programme-rules.ts';

/** A time in which one block decides. Times are Unix times in ms. */
export interface BlockTime {
  readonly block: Block;
  /** The beginning of the block's occurrence; 0 for a block without hours. */
  readonly occurrenceMs: number;
  readonly fromMs: number;
  /** Infinity: without end. */
  readonly untilMs: number;
  /** Whether the occurrence begins here. If not, it continues after a block of higher priority. */
  readonly isBeginning: boolean;
  /** Whether the occurrence ends here. */
  readonly isEnd: boolean;
}

/** A part of the calendar, in Unix times in ms. */
export interface CalendarPart {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Occurrences that are searched for at most, so that a strange rule holds no process. */
const mostOccurrences = 20_000;
const limits = { maxIterations: 20_000, maxCandidateEvaluations: 20_000 } as const;

/** Lets other work of the process run. @throws if that of the caller has to end */
export type NextTurn = () => Promise<void>;

/** A turn of work that nothing counts and nothing ends. */
export const otherWork: NextTurn = () => new Promise((resolve) => setImmediate(resolve));

interface Occurrence extends CalendarPart {
  readonly block: Block;
  /** The place of the block in the rules. */
  readonly place: number;
}

/**
 * The blocks that decide in a part of the calendar, in order. Times without any block are left out. As by RFC 5545, a
 * block does not occur on a day whose clock skips its beginning.
 * @param nextTurn called between two searches
 */
export async function blockTimesOf(
  { blocks, timeZone }: Pick<ProgrammeRules, 'blocks' | 'timeZone'>,
  part: CalendarPart,
  nextTurn = otherWork,
): Promise<BlockTime[]> {
  const occurrences: Occurrence[] = [];
  for (const [place, block] of blocks.entries()) {
    await nextTurn();
    for (const fromMs of block.hours ? await beginningsOf(block.hours, timeZone, part) : [0]) {
      const untilMs = block.hours ? fromMs + block.hours.minutes * 60_000 : Infinity;
      occurrences.push({ block, place, fromMs, untilMs });
    }
  }
  return byPriority(occurrences, part);
}

/** The beginnings of the occurrences that are within a part of the calendar, also in part. */
async function beginningsOf(hours: BlockHours, timeZone: string, part: CalendarPart): Promise<number[]> {
  const { RRuleTemporal: Rule } = await import('rrule-temporal');
  const lengthMs = hours.minutes * 60_000;
  const since = new Date(part.fromMs - lengthMs);
  const origin = originOf(hours, localDayOf(since.getTime() - dayMs, timeZone));
  const [hour, minute] = hours.at.split(':').map(Number);
  const rule = `${hours.rule.replace(/^RRULE:/iu, '')};BYHOUR=${hour};BYMINUTE=${minute};BYSECOND=0`;
  const dtstart = { timeZoneId: timeZone, toString: () => `${origin}T00:00:00[${timeZone}]` };
  const recurrence = new Rule({ rruleString: `RRULE:${rule}`, dtstart, includeDtstart: false, ...limits });
  return within(recurrence, since, new Date(Math.max(part.fromMs, part.untilMs - 1)))
    .slice(0, mostOccurrences)
    .filter((ms) => ms + lengthMs > part.fromMs && ms < part.untilMs && isUntil(hours, ms, timeZone));
}

/** The occurrences of a rule between two times, as Unix times in ms; none if the search reaches its limits. */
function within(recurrence: RRuleTemporal, from: Date, to: Date): number[] {
  try {
    return recurrence.between(from, to, true).map(({ epochMilliseconds }) => epochMilliseconds);
  } catch {
    return [];
  }
}

const dayMs = 86_400_000;

/**
 * The first day of a search by a rule. INTERVAL and COUNT count from the rule's own first day, and a rule that names no
 * days has that of the week, month or year which its first day has.
 */
function originOf({ rule, firstDay }: BlockHours, recentDay: string): string {
  const isCounted = /INTERVAL|COUNT/iu.test(rule);
  const namesDays = /FREQ=DAILY|BYDAY|BYMONTHDAY|BYYEARDAY/iu.test(rule);
  return isCounted || !namesDays || recentDay < firstDay ? firstDay : recentDay;
}

function isUntil({ lastDay }: BlockHours, ms: number, timeZone: string): boolean {
  return lastDay === null || localDayOf(ms, timeZone) <= lastDay;
}

/** The day of a time, as YYYY-MM-DD in a time zone. */
function localDayOf(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(ms);
}

/** Cuts occurrences at all beginnings and ends, and keeps the first block of each piece. */
function byPriority(occurrences: readonly Occurrence[], part: CalendarPart): BlockTime[] {
  const isIn = (ms: number) => ms > part.fromMs && ms < part.untilMs;
  const edges = new Set(occurrences.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]).filter(isIn));
  const times = [part.fromMs, ...[...edges].toSorted((one, other) => one - other), part.untilMs];
  const begun = occurrences.toSorted((one, other) => one.fromMs - other.fromMs);
  const open = new Set<Occurrence>();
  const found: BlockTime[] = [];
  let next = 0;
  for (const [index, fromMs] of times.slice(0, -1).entries()) {
    while (next < begun.length && begun[next]!.fromMs <= fromMs) open.add(begun[next++]!);
    for (const occurrence of open) if (occurrence.untilMs <= fromMs) open.delete(occurrence);
    const first = [...open].reduce<Occurrence | null>((best, each) => (isBefore(each, best) ? each : best), null);
    if (first) append(found, first, { fromMs, untilMs: times[index + 1]! });
  }
  return found;
}

function isBefore(one: Occurrence, other: Occurrence | null): boolean {
  if (other === null) return true;
  const [own, others] = [one, other].map(({ block }) => (block.hours === null ? -1 : block.priority));
  if (own !== others) return own! > others!;
  // An occurrence of a block ends when the next one of that block begins.
  return one.place === other.place ? one.fromMs > other.fromMs : one.place < other.place;
}

/** Adds a piece, or lengthens the last one if it is of the same occurrence. */
function append(times: BlockTime[], { block, fromMs, untilMs }: Occurrence, piece: CalendarPart): void {
  const last = times.at(-1);
  const isEnd = piece.untilMs === untilMs;
  if (last && last.block === block && last.occurrenceMs === fromMs && last.untilMs === piece.fromMs)
    times[times.length - 1] = { ...last, untilMs: piece.untilMs, isEnd };
  else times.push({ block, occurrenceMs: fromMs, ...piece, isBeginning: piece.fromMs === fromMs, isEnd });
}
