// Schedules as lists of times: computed ahead, across clock changes, with skipped starts.
import { describe, expect, it } from 'vitest';
import { actorsOn } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, create, dueKinds, stream } = actorsOn(service);

/** 8 in the evening in Berlin, from before the clocks go forward on 31 March 2030 until after. */
const evening = { scheduleStartAt: '2030-03-23T19:00:00Z', scheduleEndAt: '2030-03-23T21:30:00Z' };
const daily = { rule: 'FREQ=DAILY', timeZone: 'Europe/Berlin' };
const scheduled = async (more: object, name = 'show') => {
  const id = await create('/streams', { name });
  const { status } = await call('POST', `/streams/${id}/schedule`, more);
  expect(status).toBe(200);
  return id;
};
const occurrences = async (from: string, to: string, more = '') =>
  (await call('GET', `/schedule/occurrences?from=${from}&to=${to}${more}`)).body;
const startsIn = async (from: string, to: string) =>
  (await occurrences(from, to)).data.map(({ startAt }: { startAt: string }) => startAt);
const skip = (id: string, startAt: string, more: object = {}) =>
  call('POST', `/streams/${id}/schedule/skip`, { startAt, ...more });

describe('what is scheduled', () => {
  it('stays at its local time when clocks change, and is as long each time', async () => {
    const id = await scheduled({ ...evening, recurrence: daily });
    const { data, to } = await occurrences('2030-03-24T00:00:00Z', '2030-04-02T00:00:00Z');
    const berlin = new Intl.DateTimeFormat('de', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
    expect(data).toHaveLength(9);
    expect(data[0]).toEqual({
      streamID: id,
      streamName: 'show',
      startAt: '2030-03-24T19:00:00.000Z',
      endAt: '2030-03-24T21:30:00.000Z',
      isRecurring: true,
      isSkipped: false,
    });
    expect(new Set(data.map(({ startAt }: { startAt: string }) => berlin.format(new Date(startAt))))).toEqual(
      new Set(['20:00']),
    );
    expect(new Set(data.map(({ startAt }: { startAt: string }) => startAt.slice(11, 16)))).toEqual(
      new Set(['19:00', '18:00']),
    );
    expect(to).toBe('2030-04-02T00:00:00.000Z');
  });

  it('is merged of all streams in order, with what is on at its begin, and of one stream alone', async () => {
    const id = await scheduled({ ...evening, recurrence: daily }, 'daily');
    await scheduled({ scheduleStartAt: '2030-03-24T20:00:00Z' }, 'once');
    const { data } = await occurrences('2030-03-24T19:30:00Z', '2030-03-25T20:00:00Z');
    expect(data.map(({ streamName, startAt }: Record<string, string>) => [streamName, startAt])).toEqual([
      ['daily', '2030-03-24T19:00:00.000Z'],
      ['once', '2030-03-24T20:00:00.000Z'],
      ['daily', '2030-03-25T19:00:00.000Z'],
    ]);
    const own = await occurrences('2030-03-24T19:30:00Z', '2030-03-25T20:00:00Z', `&streamID=${id}`);
    expect(own.data).toHaveLength(2);
  });

  it('is answered in parts where it is too much, without a gap between them', async () => {
    await scheduled({ scheduleStartAt: '2030-01-01T00:00:00Z', recurrence: { rule: 'FREQ=HOURLY', timeZone: 'UTC' } });
    const end = '2030-02-01T00:00:00.000Z';
    const first = await occurrences('2030-01-01T00:00:00Z', end);
    const second = await occurrences(first.to, end);
    expect([first.data.length + second.data.length, second.to]).toEqual([31 * 24, end]);
    expect(second.data[0].startAt).toBe(first.to);
  });

  it('is nothing where nothing is armed', async () => {
    await create('/streams', { scheduleStartAt: '2030-03-24T20:00:00Z' });
    expect((await occurrences('2030-03-24T00:00:00Z', '2030-03-25T00:00:00Z')).data).toEqual([]);
  });
});

describe('one start of a schedule', () => {
  it('is left out and taken back, and is listed as such', async () => {
    const id = await scheduled({ ...evening, recurrence: daily });
    await skip(id, '2030-03-25T19:00:00Z');
    const { data } = await occurrences('2030-03-24T00:00:00Z', '2030-03-27T00:00:00Z');
    expect(data.map(({ isSkipped }: { isSkipped: boolean }) => isSkipped)).toEqual([false, true, false]);
    expect((await stream(id)).nextOccurrences).not.toContain('2030-03-25T19:00:00.000Z');
    await skip(id, '2030-03-25T19:00:00Z', { skip: false });
    expect((await stream(id)).nextOccurrences).toContain('2030-03-25T19:00:00.000Z');
    expect((await skip(id, '2030-03-25T19:01:00Z')).body.errors).toMatchObject([{ path: '/startAt' }]);
  });

  it('that is the next one moves what is armed to the one after it, and back', async () => {
    const id = await scheduled({ ...evening, recurrence: daily });
    expect((await skip(id, evening.scheduleStartAt)).body).toMatchObject({
      state: 'scheduled',
      scheduleStartAt: '2030-03-24T19:00:00.000Z',
      scheduleEndAt: '2030-03-24T21:30:00.000Z',
    });
    expect(await startsIn('2030-03-23T00:00:00Z', '2030-03-25T00:00:00Z')).toEqual([
      '2030-03-23T19:00:00.000Z',
      '2030-03-24T19:00:00.000Z',
    ]);
    expect((await skip(id, evening.scheduleStartAt, { skip: false })).body.scheduleStartAt).toBe(
      '2030-03-23T19:00:00.000Z',
    );
    expect((await call('PATCH', `/streams/${id}`, { scheduleEndAt: '2030-03-23T20:00:00Z' })).status).toBe(200);
    expect((await stream(id)).nextOccurrences).toHaveLength(5);
  });

  it('stays left out when only the end of the schedule is changed', async () => {
    const id = await scheduled({ ...evening, recurrence: daily });
    await skip(id, '2030-03-24T19:00:00Z');
    await call('PATCH', `/streams/${id}`, { scheduleEndAt: '2030-03-23T20:00:00Z' });
    expect((await stream(id)).nextOccurrences[1]).toBe('2030-03-25T19:00:00.000Z');
  });

  it('that is the last one ends the schedule', async () => {
    const counted = await scheduled({ ...evening, recurrence: { ...daily, rule: 'FREQ=DAILY;COUNT=2' } });
    await skip(counted, '2030-03-24T19:00:00Z');
    expect((await skip(counted, evening.scheduleStartAt)).body).toMatchObject({ state: 'draft', recurrence: null });
    const once = await scheduled(evening);
    expect((await skip(once, evening.scheduleStartAt)).body.state).toBe('draft');
    expect(await dueKinds(once)).toEqual([]);
  });
});

describe('a recurrence is tried out before it is set', () => {
  const asked = (rule: string, timeZone: string, more: object = {}) => {
    const query = new URLSearchParams({ scheduleStartAt: '2030-03-29T01:30:00Z', rule, timeZone, ...more });
    return call('GET', `/schedule/preview?${String(query)}`);
  };

  it('with the starts that it gives', async () => {
    expect((await asked('FREQ=DAILY', 'UTC', { count: '2' })).body.starts).toEqual([
      '2030-03-29T01:30:00.000Z',
      '2030-03-30T01:30:00.000Z',
    ]);
    expect((await asked('FREQ=WEEKLY;BYDAY=MO', 'Europe/Berlin')).body.starts).toHaveLength(5);
  });

  it('and with what is wrong, at its field', async () => {
    expect((await asked('DAILY', 'UTC')).body.errors).toMatchObject([{ path: '/query/rule' }]);
    expect((await asked('FREQ=DAILY', 'Mars/Base')).body.errors).toMatchObject([{ path: '/query/timeZone' }]);
  });
});
