// Starts on a destination where another stream of the user is live.
import { describe, expect, it } from 'vitest';
import { actorsOn, inFuture } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { call, create, destination, fallDue, fire, readyStream, scheduledStream, stream } = actorsOn(service);

const start = (id: string) => call('POST', `/streams/${id}/start`);
const issuesOf = async (id: string): Promise<object[]> => (await call('GET', `/streams/${id}/readiness`)).body.issues;

describe('a destination where a stream of the user is live', () => {
  it('takes no other stream until that one is stopped, which readiness names', async () => {
    const destinationID = await destination();
    const live = await readyStream({ destinationID, name: 'Night Radio' });
    const next = await readyStream({ destinationID });
    expect(await issuesOf(next)).toEqual([]);
    await start(live);

    const refused = await start(next);
    expect([refused.status, refused.body.code]).toEqual([422, 'stream_not_ready']);
    const issue = {
      code: 'destination_live',
      path: 'DESTINATION',
      stage: 'PREFLIGHT',
      error: expect.stringContaining('“Night Radio” is live'),
      outputID: expect.any(String),
    };
    expect(refused.body.readiness.issues).toMatchObject([issue]);
    expect(await issuesOf(next)).toMatchObject([issue]);
    expect((await call('PATCH', `/streams/${next}`, { status: 'ACTIVE' })).body.code).toBe('stream_not_ready');
    expect(await issuesOf(live)).toEqual([]);

    await call('POST', `/streams/${live}/stop`);
    expect((await start(next)).body.state).toBe('activating');
  });

  it('takes one of two streams that start at once', async () => {
    const destinationID = await destination();
    const streams = await Promise.all([1, 2, 3].map(() => readyStream({ destinationID })));
    const answers = await Promise.all(streams.map((id) => start(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  });

  it('takes one of two streams that are due at once', async () => {
    const destinationID = await destination();
    const streams = [await scheduledStream({ destinationID }), await scheduledStream({ destinationID })];
    for (const id of streams) await fallDue(id, 'schedule_start');
    await fire();
    const states = await Promise.all(streams.map(stream));
    expect(states.map(({ state }) => state).sort()).toEqual(['activating', 'failed']);
    expect(states.find(({ state }) => state === 'failed').stateReason).toMatchObject({
      code: 'destination_live',
      detail: expect.stringContaining('is live on the destination'),
    });
  });

  it('takes the stream whose scheduled start is the end of that one', async () => {
    const destinationID = await destination();
    const live = await readyStream({ destinationID });
    await start(live);
    await call('PATCH', `/streams/${live}`, { scheduleEndAt: inFuture(3600) });
    const next = await scheduledStream({ destinationID });
    await fallDue(live, 'schedule_end');
    expect(await issuesOf(next)).toEqual([]);
    await fallDue(next, 'schedule_start');
    await fire();
    expect((await stream(next)).state).toBe('activating');
  });

  it('is left out of a start if it is a further output', async () => {
    const address = { name: 'box', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'box' };
    const destinationID = await create('/destinations', address);
    await start(await readyStream({ destinationID, name: 'Night Radio' }));
    const next = await readyStream();
    await create(`/streams/${next}/outputs`, { destinationID, name: 'Backup box' });
    expect(await issuesOf(next)).toMatchObject([
      { code: 'destination_live', stage: 'PREPARATION', error: expect.stringContaining('Output “Backup box”') },
    ]);
    expect((await start(next)).body.state).toBe('activating');
  });

  it('takes no output of another live stream, neither added nor resumed', async () => {
    const address = { name: 'box', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'box' };
    const destinationID = await create('/destinations', address);
    const night = await readyStream({ destinationID, name: 'Night Radio' });
    const next = await readyStream();
    for (const id of [night, next]) await start(id);
    const outputs = `/streams/${next}/outputs`;
    const refusal = (path: string) => ({
      status: 422,
      body: { errors: [{ path, detail: expect.stringContaining('“Night Radio” is live on this destination') }] },
    });
    expect(await call('POST', outputs, { destinationID })).toMatchObject(refusal('/destinationID'));

    const paused = await create(outputs, { destinationID, enabled: false });
    const resume = () => call('PATCH', `${outputs}/${paused}`, { enabled: true });
    expect(await resume()).toMatchObject(refusal('/enabled'));
    await call('POST', `/streams/${night}/stop`);
    expect(await resume()).toMatchObject({ status: 200, body: { enabled: true } });
  });
});
