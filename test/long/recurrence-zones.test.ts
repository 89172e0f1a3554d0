// Daily recurrences over every change of clocks in ten years, in every zone: against the library asked another way, and against arithmetic on offsets.
import { RRuleTemporal } from 'rrule-temporal';
import { expect, test } from 'vitest';
import { startsOf } from '../../lambda/domain/recurrence.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const from = Date.UTC(2026, 10, 21);
const to = Date.UTC(2036, 10, 21);
/** Shorter than any time between two changes; Morocco's are a month apart. */
const scanMs = 7 * dayMs;

/** Milliseconds that clocks there are ahead of UTC. */
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
    const [month, day, year, hour, minute, second] = format.format(at).match(/\d+/g)!.map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  };
}

/** To the second. */
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

/** When clocks there first show a local time (written as if it were UTC); null when they never do. */
function instantOf(local: number, offsetAt: (at: number) => number): number | null {
  const offsets = [offsetAt(local - dayMs), offsetAt(local + dayMs)];
  return (
    offsets
      .map((offset) => local - offset)
      .filter((at) => at + offsetAt(at) === local)
      .sort((a, b) => a - b)[0] ?? null
  );
}

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
      // In the middle of what is skipped or repeated, at its edges, and half a day away from it.
      for (const local of [
        change + earlier,
        change + (earlier + later) / 2,
        change + later,
        change + later + dayMs / 2,
      ]) {
        const wanted = Array.from({ length: 5 }, (_, day) => instantOf(local + (day - 2) * dayMs, offsetAt)).filter(
          (at) => at !== null,
        );
        const firstStartAt = new Date(wanted[0]!);
        const ours = await startsOf(
          { rule: 'FREQ=DAILY', timeZone, firstStartAt, lengthSeconds: null },
          firstStartAt,
          wanted.length,
        );
        const dtstart = { timeZoneId: timeZone, toString: () => `${firstStartAt.toISOString()}[${timeZone}]` };
        const theirs = new RRuleTemporal({ rruleString: 'RRULE:FREQ=DAILY', dtstart }).between(
          firstStartAt,
          new Date(wanted.at(-1)! + minuteMs),
          true,
        );
        series++;
        const answers = [ours.map(Number), theirs.map(({ epochMilliseconds }) => epochMilliseconds)].map(String);
        if (answers.some((answer) => answer !== String(wanted)))
          wrong.push({
            timeZone,
            local: new Date(local).toISOString(),
            wanted: wanted.map((at) => new Date(at).toISOString()),
            ours,
          });
      }
    }
  }
  console.log(`${series} series over ${changesSeen} changes of clocks`);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(changesSeen).toBeGreaterThan(1000);
});
