// Recurrences: local times that stay when clocks change, days that months lack, ends, and refused rules.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOfRecurrence, nextScheduledTime, startsOf } from '../../../lambda/domain/streams/recurrence.ts';
import type { Series } from '../../../lambda/domain/streams/recurrence.ts';

function series(rule: string, firstStartAt: string, timeZone = 'UTC', lengthSeconds: number | null = null): Series {
  return { rule, timeZone, firstStartAt: new Date(firstStartAt), lengthSeconds };
}
const starts = async (from: Series, count = 4) =>
  (await startsOf(from, from.firstStartAt, count)).map((start) => start.toISOString().replace('.000Z', 'Z'));

describe('starts', () => {
  test.for<[string, Series, string[]]>([
    [
      'stay at 20:00 in Berlin when summer time begins (29 March 2026)',
      series('FREQ=DAILY', '2026-03-27T19:00:00Z', 'Europe/Berlin'),
      ['2026-03-27T19:00:00Z', '2026-03-28T19:00:00Z', '2026-03-29T18:00:00Z', '2026-03-30T18:00:00Z'],
    ],
    [
      'stay at 20:00 in Berlin when summer time ends (25 October 2026)',
      series('FREQ=DAILY', '2026-10-23T18:00:00Z', 'Europe/Berlin'),
      ['2026-10-23T18:00:00Z', '2026-10-24T18:00:00Z', '2026-10-25T19:00:00Z', '2026-10-26T19:00:00Z'],
    ],
    [
      'stay at 9:00 in New York, which changes on other days than Berlin',
      series('FREQ=WEEKLY', '2026-03-04T14:00:00Z', 'America/New_York'),
      ['2026-03-04T14:00:00Z', '2026-03-11T13:00:00Z', '2026-03-18T13:00:00Z', '2026-03-25T13:00:00Z'],
    ],
    [
      'stay at noon on Lord Howe Island, whose clocks change by half an hour',
      series('FREQ=DAILY', '2026-04-03T01:00:00Z', 'Australia/Lord_Howe'),
      ['2026-04-03T01:00:00Z', '2026-04-04T01:00:00Z', '2026-04-05T01:30:00Z', '2026-04-06T01:30:00Z'],
    ],
    [
      'do not occur in the hour that clocks skip',
      series('FREQ=DAILY', '2026-03-27T01:30:00Z', 'Europe/Berlin'),
      ['2026-03-27T01:30:00Z', '2026-03-28T01:30:00Z', '2026-03-30T00:30:00Z', '2026-03-31T00:30:00Z'],
    ],
    [
      'occur once in the hour that clocks repeat',
      series('FREQ=DAILY', '2026-10-24T00:30:00Z', 'Europe/Berlin'),
      ['2026-10-24T00:30:00Z', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z', '2026-10-27T01:30:00Z'],
    ],
    [
      'leave out months without day 31',
      series('FREQ=MONTHLY', '2026-01-31T12:00:00Z'),
      ['2026-01-31T12:00:00Z', '2026-03-31T12:00:00Z', '2026-05-31T12:00:00Z', '2026-07-31T12:00:00Z'],
    ],
    [
      'take the last day of each month where the rule says so',
      series('FREQ=MONTHLY;BYMONTHDAY=-1', '2026-01-31T12:00:00Z'),
      ['2026-01-31T12:00:00Z', '2026-02-28T12:00:00Z', '2026-03-31T12:00:00Z', '2026-04-30T12:00:00Z'],
    ],
    [
      'leave out years without 29 February',
      series('FREQ=YEARLY', '2028-02-29T12:00:00Z'),
      ['2028-02-29T12:00:00Z', '2032-02-29T12:00:00Z', '2036-02-29T12:00:00Z', '2040-02-29T12:00:00Z'],
    ],
    [
      'are as many as COUNT says, the first one included',
      series('FREQ=WEEKLY;COUNT=3', '2026-11-24T12:00:00Z'),
      ['2026-11-24T12:00:00Z', '2026-12-01T12:00:00Z', '2026-12-08T12:00:00Z'],
    ],
    [
      'end with UNTIL, which is included',
      series('FREQ=DAILY;UNTIL=20261126T120000Z', '2026-11-24T12:00:00Z'),
      ['2026-11-24T12:00:00Z', '2026-11-25T12:00:00Z', '2026-11-26T12:00:00Z'],
    ],
    [
      'begin with the first start, also where the rule does not name its day',
      series('FREQ=WEEKLY;BYDAY=MO,FR', '2026-11-24T12:00:00Z'),
      ['2026-11-24T12:00:00Z', '2026-11-27T12:00:00Z', '2026-11-30T12:00:00Z', '2026-12-04T12:00:00Z'],
    ],
    [
      'may be written with the name of the property, in small letters',
      series('rrule:freq=daily;interval=2', '2026-11-24T12:00:00Z'),
      ['2026-11-24T12:00:00Z', '2026-11-26T12:00:00Z', '2026-11-28T12:00:00Z', '2026-11-30T12:00:00Z'],
    ],
  ])('%s', async ([, given, expected]) => {
    expect(await faultOfRecurrence(given, given.firstStartAt)).toBeNull();
    expect(await starts(given)).toEqual(expected);
  });

  test('end with the last year that a timestamp can have', async () => {
    expect(await starts(series('FREQ=YEARLY', '9998-12-31T23:59:59Z'))).toEqual([
      '9998-12-31T23:59:59Z',
      '9999-12-31T23:59:59Z',
    ]);
  });

  test('are in order, each once, and the same from whichever of them one looks on', async () => {
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland');
    const rule = fc.constantFrom(
      'FREQ=DAILY',
      'FREQ=HOURLY;INTERVAL=5',
      'FREQ=WEEKLY;BYDAY=MO,WE,SU',
      'FREQ=MONTHLY;BYDAY=-1FR',
      'FREQ=DAILY;COUNT=9',
      'FREQ=YEARLY;BYMONTH=3,10;BYMONTHDAY=29',
    );
    const first = fc.date({
      min: new Date('2025-01-01T00:00:00Z'),
      max: new Date('2030-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    await fc.assert(
      fc.asyncProperty(rule, zone, first, fc.nat(8), async (given, timeZone, firstStartAt, place) => {
        const whole = { rule: given, timeZone, firstStartAt, lengthSeconds: null };
        const all = await startsOf(whole, firstStartAt, 9);
        expect(all[0]).toEqual(firstStartAt);
        expect(all.every((start, index) => index === 0 || start > all[index - 1]!)).toBe(true);
        const at = all[place];
        if (at !== undefined) expect(await startsOf(whole, at, 9 - place)).toEqual(all.slice(place));
      }),
    );
  });
});

describe('the next occurrence', () => {
  const daily = series('FREQ=DAILY', '2026-11-01T10:00:00Z', 'UTC', 3600);
  const next = async (given: Series, startAt: string, now: string, durationSeconds = 0) => {
    const found = await nextScheduledTime(given, new Date(startAt), new Date(now), durationSeconds);
    return found && [found.startAt.toISOString().slice(0, 16), found.endAt && found.endAt.toISOString().slice(0, 16)];
  };

  test('is the next start, as long as the others', async () => {
    expect(await next(daily, '2026-11-03T10:00:00Z', '2026-11-03T11:00:01Z')).toEqual([
      '2026-11-04T10:00',
      '2026-11-04T11:00',
    ]);
  });

  test('is the one that was armed when the stream was run before it', async () => {
    expect(await next(daily, '2026-11-03T10:00:00Z', '2026-11-03T09:00:00Z')).toEqual([
      '2026-11-03T10:00',
      '2026-11-03T11:00',
    ]);
  });

  test('leaves out those that are over, and begins late with one that is not', async () => {
    expect(await next(daily, '2026-11-03T10:00:00Z', '2026-11-06T10:59:59Z')).toEqual([
      '2026-11-06T10:00',
      '2026-11-06T11:00',
    ]);
    expect(await next(daily, '2026-11-03T10:00:00Z', '2026-11-06T11:00:00Z')).toEqual([
      '2026-11-07T10:00',
      '2026-11-07T11:00',
    ]);
  });

  test('follows without a break where each ends as the next begins, for all that stopping takes', async () => {
    const hourly = series('FREQ=HOURLY', '2026-11-01T10:00:00Z', 'UTC', 3600);
    expect(await next(hourly, '2026-11-01T10:00:00Z', '2026-11-01T11:00:02Z')).toEqual([
      '2026-11-01T11:00',
      '2026-11-01T12:00',
    ]);
  });

  test('without an end is over when the duration of the stream has passed', async () => {
    const hourly = series('FREQ=HOURLY', '2026-11-01T10:00:00Z');
    expect(await next(hourly, '2026-11-01T10:00:00Z', '2026-11-01T11:00:05Z', 3600)).toEqual([
      '2026-11-01T11:00',
      null,
    ]);
    expect(await next(hourly, '2026-11-01T10:00:00Z', '2026-11-01T11:00:05Z')).toEqual(['2026-11-01T12:00', null]);
  });

  test('is none after the last', async () => {
    for (const rule of ['FREQ=DAILY;COUNT=2', 'FREQ=DAILY;UNTIL=20261102']) {
      const twoDays = series(rule, '2026-11-01T10:00:00Z', 'UTC', 3600);
      expect(await next(twoDays, '2026-11-02T10:00:00Z', '2026-11-02T11:00:00Z')).toBeNull();
    }
  });

  test('is found quickly after years', async () => {
    const old = series('FREQ=HOURLY', '2000-01-01T00:00:00Z', 'Europe/Berlin', 60);
    expect(await next(old, '2026-11-01T10:00:00Z', '2026-11-01T10:01:00Z')).toEqual([
      '2026-11-01T11:00',
      '2026-11-01T11:01',
    ]);
  });
});

describe('a recurrence', () => {
  test.for<[string, string, RegExp]>([
    ['', 'rule', /with FREQ/],
    ['every day', 'rule', /with FREQ/],
    ['FREQ=FORTNIGHTLY', 'rule', /FREQ/],
    ['FREQ=DAILY;FOO=1', 'rule', /no part FOO/],
    ['FREQ=DAILY;', 'rule', /semicolon/],
    ['FREQ=DAILY;FREQ=WEEKLY', 'rule', /once/],
    ['FREQ=DAILY;COUNT=3;UNTIL=20270101', 'rule', /together/],
    ['FREQ=DAILY;UNTIL=20270101T000000', 'rule', /UTC/],
    ['FREQ=DAILY;UNTIL=tomorrow', 'rule', /UNTIL/],
    ['FREQ=DAILY;UNTIL=20200101', 'rule', /ends before/],
    ['FREQ=DAILY;COUNT=0', 'rule', /1 to 1000/],
    ['FREQ=DAILY;COUNT=1001', 'rule', /1 to 1000/],
    ['FREQ=DAILY;INTERVAL=0', 'rule', /INTERVAL/],
    ['FREQ=DAILY;BYMONTH=13', 'rule', /BYMONTH/],
    ['FREQ=DAILY;BYHOUR=24', 'rule', /BYHOUR/],
    ['FREQ=WEEKLY;BYDAY=XX', 'rule', /BYDAY/],
    ['FREQ=DAILY=2', 'rule', /FREQ/],
    ['FREQ=DAILY\nDTSTART:20260101T000000Z', 'rule', /\w/],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'rule', /no second occurrence/],
    ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', 'rule', /no second occurrence/],
    ['FREQ=YEARLY;INTERVAL=11', 'rule', /no second occurrence/],
    ['FREQ=HOURLY;BYHOUR=20;COUNT=1000', 'rule', /too many steps.*FREQ=DAILY;BYHOUR=20/],
    ['FREQ=SECONDLY;INTERVAL=59;BYSECOND=11;COUNT=1000', 'rule', /too many steps/],
  ])('with the rule %j is refused', async ([rule, field, detail]) => {
    expect(await faultOfRecurrence({ rule, timeZone: 'UTC' }, new Date('2026-11-24T12:00:00Z'))).toEqual({
      field,
      detail: expect.stringMatching(detail),
    });
  });

  const all = (count: number) => Array.from({ length: count }, (_, value) => value).join(',');
  const zone = 'Europe/Berlin';
  // Each took seconds or minutes of an agent's only thread, by steps of centuries or by candidates that BYSETPOS drops.
  test.for([
    'FREQ=HOURLY;INTERVAL=99999;BYMONTH=2;BYMONTHDAY=29;BYHOUR=23',
    'FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6',
    'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=1;COUNT=1000',
    `FREQ=WEEKLY;BYHOUR=14;BYMINUTE=${all(60)};BYSETPOS=366`,
    `FREQ=MONTHLY;BYHOUR=${all(24)};BYSECOND=1,2;BYMONTHDAY=1;BYSETPOS=366`,
  ])('that is too much work is refused, and left where it was taken before: %s', async (rule) => {
    const given = series(rule, '2026-11-24T12:00:00Z', zone);
    const fault = await faultOfRecurrence(given, given.firstStartAt);
    expect(fault?.detail).toMatch(/no second occurrence|too many steps/);
    expect(await startsOf(given, new Date('2026-11-24T12:00:01Z'), 5)).toEqual([]);
  });

  test('lets the process do something else between two starts', async () => {
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 0);
    const given = series('FREQ=DAILY', '2026-11-24T12:00:00Z', zone);
    let last: Date | undefined;
    const found = startsOf(given, given.firstStartAt, 50).then((starts) => (last = starts.at(-1)));
    await new Promise((resolve) => setImmediate(resolve));
    while (turns < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(last).toBeUndefined();
    await found;
    clearInterval(turning);
    expect(last).toEqual(new Date('2027-01-12T12:00:00Z'));
  });

  test('with a thousand days is taken, and its last day is found', async () => {
    const days = series('FREQ=DAILY;COUNT=1000', '2026-11-24T11:00:00Z', zone);
    expect(await faultOfRecurrence(days, days.firstStartAt)).toBeNull();
    expect(await startsOf(days, new Date('2029-08-18T00:00:00Z'), 9)).toEqual([
      new Date('2029-08-18T10:00:00Z'),
      new Date('2029-08-19T10:00:00Z'),
    ]);
  });

  test('with COUNT has starts later than ten years, if it has so many', async () => {
    const years = series('FREQ=YEARLY;COUNT=14', '2026-11-24T12:00:00Z');
    expect(await startsOf(years, years.firstStartAt, 1)).toEqual([years.firstStartAt]);
    expect(await startsOf(years, new Date('2038-01-01T00:00:00Z'), 9)).toEqual([
      new Date('2038-11-24T12:00:00Z'),
      new Date('2039-11-24T12:00:00Z'),
    ]);
  });

  // Each reading of the schedule finds starts, and many streams may have such a rule.
  test('with COUNT is counted once', async () => {
    // No other test counts this series before.
    const counted = series('FREQ=DAILY;COUNT=1009', '2026-11-24T11:09:00Z', zone);
    const times: number[] = [];
    for (let day = 1; day <= 20; day += 1) {
      const beganMs = performance.now();
      expect(await startsOf(counted, new Date(Date.UTC(2029, 6, day)), 1)).toHaveLength(1);
      times.push(performance.now() - beganMs);
    }
    expect(Math.min(...times.slice(1))).toBeLessThan(times[0]! / 3);
  });

  test.for(['', 'Mars/Olympus', '+02:00', 'Europe', 'Europe/Berlin\n', '../etc'])(
    'with the time zone %j is refused',
    async (timeZone) => {
      expect(await faultOfRecurrence({ rule: 'FREQ=DAILY', timeZone }, new Date('2026-11-24T12:00:00Z'))).toMatchObject(
        { field: 'timeZone' },
      );
    },
  );

  test('is refused, or has starts in order, whatever the parts of its rule', { timeout: 60_000 }, async () => {
    const part = fc.constantFrom(
      'BYDAY=MO',
      'BYDAY=1MO,-1FR',
      'BYSETPOS=-1',
      'BYSETPOS=2',
      'BYHOUR=1,13',
      'BYMINUTE=0,59',
      'BYSECOND=60',
      'INTERVAL=99',
      'COUNT=5',
      'UNTIL=20270101',
      'BYWEEKNO=53',
      'BYYEARDAY=366',
      'BYMONTH=2',
      'BYMONTHDAY=-31',
      'WKST=SU',
      'COUNT=',
      'BYDAY=,',
      'X=1',
      '=',
      ' ',
      '\u0000',
    );
    const frequency = fc
      .constantFrom('SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY')
      .map((name) => `FREQ=${name}`);
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(frequency, fc.uniqueArray(part, { maxLength: 3 }), async (first, more) => {
        const given = series([first, ...more].join(';'), '2026-11-24T12:00:00Z', 'Europe/Berlin');
        if ((await faultOfRecurrence(given, given.firstStartAt)) !== null) return;
        accepted++;
        const all = await startsOf(given, given.firstStartAt, 5);
        expect(all[0]).toEqual(given.firstStartAt);
        expect(all.every((start, index) => index === 0 || start > all[index - 1]!)).toBe(true);
      }),
      { numRuns: 60 },
    );
    expect(accepted).toBeGreaterThan(10);
  });
});
