// Daily recurrences over every clock change of ten years, in every time zone, compared with two other computations.
import { RRuleTemporal } from 'rrule-temporal';
import { expect, test } from 'vitest';
import { startsOf } from '../../lambda/domain/streams/recurrence.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const from = Date.UTC(2026, 10, 21);
const to = Date.UTC(2036, 10, 21);
/** Minimum time between two clock changes: even those of Morocco are a month apart. */
const scanMs = 7 * dayMs;

type SixNumbers = [number, number, number, number, number, number];

/** Offset of a time zone's clocks from UTC in milliseconds; positive if they are ahead. */
function offsetOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const [month, day, year, hour, minute, second] = format.format(at).match(/\d+/g)!.map(Number) as SixNumbers;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  };
}

/** The times of all clock changes, to the second. */
function changesOf(offsetAt: (at: number) => number): number[] {
  const changes: number[] = [];
  for (let before = from; before < to; before += scanMs) {
    let [low, high] = [before, before + scanMs];
    if (offsetAt(low) === offsetAt(high)) continue;
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offsetAt(middle) === offsetAt(low)) low = middle;
      else high = middle;
    }
    changes.push(high);
  }
  return changes;
}

/**
 * The first time at which the clocks of a time zone show a local time, or null if they never show it.
 * @param local the local time as if it were UTC
 */
function instantOf(local: number, offsetAt: (at: number) => number): number | null {
  const candidates = [offsetAt(local - dayMs), offsetAt(local + dayMs)].map((offset) => local - offset);
  const instants = candidates.filter((at) => at + offsetAt(at) === local);
  return instants.sort((a, b) => a - b)[0] ?? null;
}

/** The same number of daily starts from the first wanted one on: by our function, and directly by the library. */
async function dailyStarts(timeZone: string, wanted: readonly number[]): Promise<number[][]> {
  const firstStartAt = new Date(wanted[0]!);
  const recurrence = { rule: 'FREQ=DAILY', timeZone, firstStartAt, lengthSeconds: null };
  const ours = await startsOf(recurrence, firstStartAt, wanted.length);
  const dtstart = { timeZoneId: timeZone, toString: () => `${firstStartAt.toISOString()}[${timeZone}]` };
  const rule = new RRuleTemporal({ rruleString: 'RRULE:FREQ=DAILY', dtstart });
  const theirs = rule.between(firstStartAt, new Date(wanted.at(-1)! + minuteMs), true);
  return [ours.map(Number), theirs.map(({ epochMilliseconds }) => epochMilliseconds)];
}

const inUTC = (at: number) => new Date(at).toISOString();

test('daily starts follow local time over all changes of clocks', { timeout: 600_000 }, async () => {
  let series = 0;
  let changesSeen = 0;
  const wrong: unknown[] = [];
  for (const timeZone of ['UTC', ...Intl.supportedValuesOf('timeZone')]) {
    const offsetAt = offsetOf(timeZone);
    const changes = changesOf(offsetAt);
    changesSeen += changes.length;
    for (const change of changes) {
      const [earlier, later] = [offsetAt(change - 1000), offsetAt(change)].sort((a, b) => a - b) as [number, number];
      // Starts are at the edges and in the middle of the skipped or repeated hour, and half a day away from it.
      const middle = (earlier + later) / 2;
      for (const offset of [earlier, middle, later, later + dayMs / 2]) {
        const local = change + offset;
        const days = Array.from({ length: 5 }, (_, day) => instantOf(local + (day - 2) * dayMs, offsetAt));
        const wanted = days.filter((at) => at !== null);
        series++;
        const answers = await dailyStarts(timeZone, wanted);
        if (answers.every((answer) => String(answer) === String(wanted))) continue;
        const [ours] = answers;
        wrong.push({ timeZone, local: inUTC(local), wanted: wanted.map(inUTC), ours: ours!.map(inUTC) });
      }
    }
  }
  console.log(`${series} series over ${changesSeen} changes of clocks`);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(changesSeen).toBeGreaterThan(1000);
});
