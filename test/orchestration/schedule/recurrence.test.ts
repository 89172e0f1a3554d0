// A recurring stream waits for its next occurrence after each one, until the recurrence ends or the user stops it.
import { describe, expect, it } from 'vitest';
import { actorsOn, inFuture } from '../../support/actors.ts';
import { isStored } from '../../support/rows.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { call, causes, claim, dueKinds, fallDue, fire, readyStream, register, report, stream, upload } =
  actorsOn(service);

const daily = { rule: 'FREQ=DAILY', timeZone: 'UTC' };
const hour = 3600 * 1000;
const plusHours = (iso: string, hours: number) => new Date(new Date(iso).getTime() + hours * hour).toISOString();

/** Moves a schedule's creation 70 minutes into the past. @param startAt start of its first occurrence then */
async function moveSchedule70MinutesBack(streamID: string, startAt: string): Promise<void> {
  await service.pool().query(
    `update streams set
       schedule_start_at = schedule_start_at - interval '70 minutes',
       schedule_end_at = schedule_end_at - interval '70 minutes',
       recurrence = jsonb_set(recurrence, '{firstStartAt}', to_jsonb($2::text))
     where id = $1`,
    [streamID, startAt],
  );
}

/** A stream on air in an occurrence of one hour that began ten minutes ago, with its replica. */
async function onAir(
  recurrence: object | null = daily,
  { end = true, ...settings }: { end?: boolean; streamDuration?: number } = {},
) {
  const id = await readyStream(settings);
  const startAt = inFuture(3600);
  const answer = await call('POST', `/streams/${id}/schedule`, {
    scheduleStartAt: startAt,
    ...(end ? { scheduleEndAt: plusHours(startAt, 1) } : {}),
    recurrence,
  });
  expect(answer.status).toBe(200);
  const began = plusHours(startAt, -70 / 60);
  await moveSchedule70MinutesBack(id, began);
  await fallDue(id, 'schedule_start', 600);
  await fire();
  await register('agent');
  const [replica] = await claim('agent');
  await report(replica!, 'live');
  expect((await stream(id)).state).toBe('active');
  return { id, began, ended: () => report(replica!, 'ended') };
}

/** The conditions that were signalled of a stream, oldest first. */
async function signals(streamID: string): Promise<string[]> {
  const { rows } = await service
    .pool()
    .query('select condition from incident_signals where stream_id = $1 order by id', [streamID]);
  return rows.map(({ condition }) => condition);
}

describe('a refused start', () => {
  it('leaves the recurrence, and an incident until a later start succeeds', async () => {
    const videoUploadObjectID = await upload();
    const id = await readyStream({ videoUploadObjectID });
    const startAt = inFuture(3600);
    await call('POST', `/streams/${id}/schedule`, { scheduleStartAt: startAt, recurrence: daily });
    const began = plusHours(startAt, -70 / 60);
    await moveSchedule70MinutesBack(id, began);
    await call('DELETE', `/uploads/${videoUploadObjectID}`);
    await fallDue(id, 'schedule_start', 600);
    await fire();
    expect(await stream(id)).toMatchObject({
      state: 'scheduled',
      stateReason: { code: 'upload_missing' },
      scheduleStartAt: plusHours(began, 24),
    });
    expect(await causes(id)).toEqual(['schedule', 'schedule_start_refused', 'next_occurrence']);
    expect(await dueKinds(id)).toEqual(['schedule_start']);
    expect(await signals(id)).toEqual(['wrong']);

    await call('PATCH', `/streams/${id}`, { videoUploadObjectID: await upload() });
    await fallDue(id, 'schedule_start');
    await fire();
    expect(await stream(id)).toMatchObject({ state: 'activating', stateReason: null });
    expect(await signals(id)).toEqual(['wrong']);
    await call('POST', `/streams/${id}/stop`);
    expect(await signals(id)).toContain('over');
  });
});

describe('POST /streams/{id}/schedule with a recurrence', () => {
  it('shows the rule and the next starts', async () => {
    const id = await readyStream();
    const startAt = inFuture(3600);
    const { body } = await call('POST', `/streams/${id}/schedule`, {
      scheduleStartAt: startAt,
      recurrence: { rule: 'FREQ=DAILY;COUNT=3', timeZone: 'UTC' },
    });
    expect(body).toMatchObject({
      state: 'scheduled',
      recurrence: { rule: 'FREQ=DAILY;COUNT=3', timeZone: 'UTC' },
      nextOccurrences: [startAt, plusHours(startAt, 24), plusHours(startAt, 48)],
    });
    expect((await call('GET', `/streams/${id}`)).body).toEqual(body);
    const cancelled = await call('DELETE', `/streams/${id}/schedule`);
    expect(cancelled.body).toMatchObject({
      state: 'draft',
      recurrence: null,
      nextOccurrences: [],
      scheduleStartAt: null,
    });
  });

  it.each([
    [{ rule: 'every day', timeZone: 'UTC' }, '/recurrence/rule'],
    [{ rule: 'FREQ=DAILY;UNTIL=20200101', timeZone: 'UTC' }, '/recurrence/rule'],
    [{ rule: 'FREQ=DAILY', timeZone: 'Mars' }, '/recurrence/timeZone'],
    [{ rule: 'FREQ=DAILY' }, '/recurrence/timeZone'],
  ])('refuses %j at its field, and schedules nothing', async (recurrence, path) => {
    const id = await readyStream();
    const { status, body } = await call('POST', `/streams/${id}/schedule`, {
      scheduleStartAt: inFuture(3600),
      recurrence,
    });
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', path]);
    expect((await stream(id)).state).toBe('draft');
  });

  it('follows a start that is moved, and refuses to move it beyond the end of the recurrence', async () => {
    const id = await readyStream();
    const until = inFuture(10 * 24 * 3600).replaceAll(/[-:]|\.\d+/g, '');
    await call('POST', `/streams/${id}/schedule`, {
      scheduleStartAt: inFuture(3600),
      recurrence: { rule: `FREQ=WEEKLY;UNTIL=${until}`, timeZone: 'UTC' },
    });
    const startAt = inFuture(7200);
    const { body } = await call('PATCH', `/streams/${id}`, { scheduleStartAt: startAt });
    expect(body.nextOccurrences).toEqual([startAt, plusHours(startAt, 7 * 24)]);
    const refused = await call('PATCH', `/streams/${id}`, { scheduleStartAt: inFuture(11 * 24 * 3600) });
    expect([refused.status, refused.body.errors[0].path]).toEqual([422, '/scheduleStartAt']);
  });
});

describe('after an occurrence', () => {
  it('that the schedule ended, the stream waits for the next, with both times moved', async () => {
    const { id, began, ended } = await onAir();
    expect((await stream(id)).nextOccurrences).toHaveLength(5);
    await fallDue(id, 'schedule_end');
    await fire();
    expect((await stream(id)).state).toBe('stopping');
    await ended();
    expect(await stream(id)).toMatchObject({
      state: 'scheduled',
      status: 'INACTIVE',
      scheduleStartAt: plusHours(began, 24),
      scheduleEndAt: plusHours(began, 25),
      stoppedAt: expect.any(String),
    });
    expect(await dueKinds(id)).toEqual(['schedule_end', 'schedule_start']);
    expect((await causes(id)).slice(-2)).toEqual(['schedule_end', 'next_occurrence']);
    await fallDue(id, 'schedule_start');
    await fire();
    expect((await stream(id)).state).toBe('activating');
  });

  it('that its duration ended, the stream waits for the next, even without an end', async () => {
    const { id, began, ended } = await onAir(undefined, { end: false, streamDuration: 60 });
    await fallDue(id, 'duration_over');
    await fire();
    await ended();
    expect(await stream(id)).toMatchObject({
      state: 'scheduled',
      scheduleStartAt: plusHours(began, 24),
      scheduleEndAt: null,
    });
    expect(await dueKinds(id)).toEqual(['schedule_start']);
  });

  it('that was the last, the stream is stopped', async () => {
    const { id, ended } = await onAir({ rule: 'FREQ=DAILY;COUNT=1', timeZone: 'UTC' });
    await fallDue(id, 'schedule_end');
    await fire();
    await ended();
    expect(await stream(id)).toMatchObject({ state: 'stopped', nextOccurrences: [] });
    expect(await dueKinds(id)).toEqual([]);
  });

  it('whose end was moved while it was on, the next is as long as was scheduled', async () => {
    const { id, began, ended } = await onAir();
    await call('PATCH', `/streams/${id}`, { scheduleEndAt: inFuture(5 * 3600) });
    await fallDue(id, 'schedule_end');
    await fire();
    await ended();
    expect(await stream(id)).toMatchObject({
      state: 'scheduled',
      scheduleStartAt: plusHours(began, 24),
      scheduleEndAt: plusHours(began, 25),
    });
  });

  it('that does not recur, the stream is stopped', async () => {
    const { id, ended } = await onAir(null);
    await fallDue(id, 'schedule_end');
    await fire();
    await ended();
    expect(await stream(id)).toMatchObject({ state: 'stopped', recurrence: null });
  });
});

describe('a recurrence', () => {
  it.each([
    ['a stop', (id: string) => call('POST', `/streams/${id}/stop`)],
    ['a stop that says so', (id: string) => call('POST', `/streams/${id}/stop`, { endsRecurrence: false })],
    ['status INACTIVE', (id: string) => call('PATCH', `/streams/${id}`, { status: 'INACTIVE' })],
  ])('goes on after %s by the user, which ends this run', async (_, stop) => {
    const { id, began, ended } = await onAir();
    expect((await stop(id)).body).toMatchObject({ state: 'stopping', recurrence: { rule: 'FREQ=DAILY' } });
    await ended();
    expect(await stream(id)).toMatchObject({ state: 'scheduled', scheduleStartAt: plusHours(began, 24) });
    expect(await dueKinds(id)).toEqual(['schedule_end', 'schedule_start']);
  });

  it('keeps its next start where the stream was started by hand before and is stopped again', async () => {
    const id = await readyStream();
    const startAt = inFuture(3600);
    const recurrence = { rule: 'FREQ=WEEKLY', timeZone: 'UTC' };
    await call('POST', `/streams/${id}/schedule`, { scheduleStartAt: startAt, recurrence });
    await call('POST', `/streams/${id}/start`);
    await call('POST', `/streams/${id}/stop`);
    expect(await stream(id)).toMatchObject({ state: 'scheduled', scheduleStartAt: startAt });
  });

  it('does not begin a run again that is under way when the user stops the stream', async () => {
    const { id, began, ended } = await onAir({ rule: 'FREQ=HOURLY;INTERVAL=1', timeZone: 'UTC' });
    // The stream has run into its next scheduled time.
    await service.pool().query(`update streams set schedule_start_at = schedule_start_at - interval '1 hour'`);
    await call('POST', `/streams/${id}/stop`);
    await ended();
    expect(await stream(id)).toMatchObject({ state: 'scheduled', scheduleStartAt: plusHours(began, 1) });
  });

  it('ends with a stop that is for good while the stream is on', async () => {
    const { id, ended } = await onAir();
    const { body } = await call('POST', `/streams/${id}/stop`, { endsRecurrence: true });
    expect(body).toMatchObject({ state: 'stopping', recurrence: null });
    await ended();
    expect(await stream(id)).toMatchObject({ state: 'stopped', nextOccurrences: [] });
  });

  it('ends with a stop that is for good while the stream is stopping by its schedule', async () => {
    const { id, ended } = await onAir();
    await fallDue(id, 'schedule_end');
    await fire();
    const { body } = await call('POST', `/streams/${id}/stop`, { endsRecurrence: true });
    expect(body).toMatchObject({ state: 'stopping', recurrence: null });
    await ended();
    expect((await stream(id)).state).toBe('stopped');
  });

  it('ends with the deletion of its stream', async () => {
    const { id, ended } = await onAir();
    await fallDue(id, 'schedule_end');
    await fire();
    await call('DELETE', `/streams/${id}`);
    await ended();
    expect(await isStored(service, 'streams', id)).toBe(false);
  });
});
