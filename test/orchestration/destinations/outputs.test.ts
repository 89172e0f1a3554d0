// Outputs: each has its own replicas, state and price, and none of them harms another.
import { describe, expect, it } from 'vitest';
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import { recoverReplicas } from '../../../lambda/orchestration/fleet/recover-replicas.ts';
import { actorsOn, statsWith } from '../../support/actors.ts';
import { intervalsOf } from '../../support/books.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { activeStream, call, causes, claim, create, data, loseLease, readyStream, register, report, stream, user } =
  actorsOn(service);

const lost = { code: 'connection_lost', detail: 'x' };
const withBackup = { agentModeEnabled: true, runBackupStream: true };

let destinations = 0;
const destination = (more: object = {}) =>
  create('/destinations', {
    name: 'ingest',
    rtmpURL: 'rtmp://127.0.0.1/live',
    streamKey: `other-${destinations++}`,
    ...more,
  });
const addTo = async (streamID: string, more: object = {}): Promise<string> =>
  (await call('POST', `/streams/${streamID}/outputs`, { destinationID: await destination(), ...more })).body.id;
const outputs = async (id: string) => (await call('GET', `/streams/${id}/outputs`)).body.data;
const states = async (id: string) => (await outputs(id)).map(({ state }: { state: string }) => state);
const open = async () => (await intervalsOf(service, user().id)).filter(({ ended_at: endedAt }) => endedAt === null);
const rates = async () => (await open()).map(({ credits_per_hour: rate }) => rate).toSorted((a, b) => b - a);
const replicasOf = (id: string) => data().replicas.ofStream(id);

/** An active stream with further outputs, all of them live at one agent. */
async function activeWith(count: number, more: object = {}): Promise<{ id: string; held: Replica[] }> {
  await register('agent');
  const { id, held } = await activeStream('agent', more);
  for (let added = 0; added < count; added++) await addTo(id);
  const further = await claim('agent');
  for (const replica of further) await report(replica, 'live');
  return { id, held: [...held, ...further] };
}

describe('outputs', () => {
  it('the first one is the destination of the stream, whoever sets it', async () => {
    const id = await readyStream();
    const { destinationID } = await stream(id);
    expect(await outputs(id)).toMatchObject([{ destinationID, isFirst: true, enabled: true, state: 'idle' }]);
    const other = await destination();
    await call('PATCH', `/streams/${id}`, { destinationID: other });
    expect(await outputs(id)).toMatchObject([{ destinationID: other, isFirst: true }]);
    await call('PATCH', `/streams/${id}`, { destinationID: null });
    expect(await outputs(id)).toEqual([]);
    await addTo(id, { name: 'main' });
    expect(await outputs(id)).toMatchObject([{ isFirst: true, name: 'main' }]);
    expect((await stream(id)).destinationID).toBe((await outputs(id))[0].destinationID);
  });

  it('start with the stream, and end with it', async () => {
    await register('agent');
    const id = await readyStream();
    await addTo(id);
    await addTo(id, { enabled: false });
    await call('POST', `/streams/${id}/start`);
    expect(await states(id)).toEqual(['connecting', 'connecting', 'idle']);
    const held = [...(await claim('agent')), ...(await claim('agent'))];
    for (const replica of held) await report(replica, 'live');
    expect(await states(id)).toEqual(['live', 'live', 'idle']);
    await call('POST', `/streams/${id}/stop`);
    for (const replica of held) await report(replica, 'ended');
    expect([(await stream(id)).state, await states(id)]).toEqual(['stopped', ['ended', 'ended', 'idle']]);
  });

  it('are added, paused, brought back and removed while live, without a move of the stream', async () => {
    const { id, held } = await activeWith(1);
    const further = held[1]!;
    const path = `/streams/${id}/outputs/${further.output_id}`;
    await call('PATCH', path, { enabled: false });
    // Enabled again before its agent has ended it: it starts again afterwards.
    await call('PATCH', path, { enabled: true });
    expect(await replicasOf(id)).toMatchObject([{ wanted: 'live' }, { id: further.id, wanted: 'ended' }]);
    await report(further, 'ended');
    expect(await states(id)).toEqual(['live', 'connecting']);
    const [again] = await claim('agent');
    expect(again).toMatchObject({ output_id: further.output_id, wanted: 'live', epoch: 1 });
    await report(again!, 'live');
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
    await report(again!, 'ended');
    expect(await replicasOf(id)).toMatchObject([{ output_id: null, state: 'live' }]);
    expect(await data().outputs.allOfStreams([id])).toHaveLength(1);
    expect(await causes(id)).toEqual(['start', 'media_accepted']);
  });

  it('the first one is removed while another goes on', async () => {
    const { id, held } = await activeWith(1);
    const [first] = await outputs(id);
    expect((await call('DELETE', `/streams/${id}/outputs/${first.id}`)).status).toBe(204);
    await report(held[0]!, 'ended');
    expect((await stream(id)).state).toBe('active');
    expect(await outputs(id)).toMatchObject([{ id: held[1]!.output_id, isFirst: false, state: 'live' }]);
    // It is the only output.
    const refused = await call('DELETE', `/streams/${id}/outputs/${held[1]!.output_id}`);
    expect(refused.body.code).toBe('stream_live');
  });

  it('one that fails leaves the stream active, and the stream fails with the last', async () => {
    const { id, held } = await activeWith(1);
    const attempt = { failures: 3, nextInMs: 8000, blame: 'destination' };
    await report(held[0]!, 'failing', { reason: lost, attempt });
    expect((await stream(id)).state).toBe('active');
    expect(await outputs(id)).toMatchObject([
      {
        state: 'failing',
        reason: lost,
        replicas: [{ attempt: 3, nextAttemptAt: expect.any(String), lastFailure: { ...lost, blame: 'destination' } }],
      },
      { state: 'live', reason: null, replicas: [{ attempt: 0, nextAttemptAt: null, lastFailure: null }] },
    ]);
    await report(held[1]!, 'failing', { reason: lost });
    expect(await stream(id)).toMatchObject({ state: 'failing', stateReason: lost });
    await report(held[1]!, 'live');
    expect((await stream(id)).state).toBe('active');
  });

  it('one that is hopeless is given up until somebody enables it again, and the stream with the last', async () => {
    const { id, held } = await activeWith(1);
    const refused = { code: 'key_refused', detail: 'x' };
    await report(held[1]!, 'failing', { reason: refused, hopeless: true });
    await report(held[1]!, 'ended');
    expect(await outputs(id)).toMatchObject([{ state: 'live' }, { state: 'failing', reason: refused }]);
    expect(await claim('agent')).toEqual([]);
    await call('PATCH', `/streams/${id}/outputs/${held[1]!.output_id}`, { enabled: true });
    expect(await states(id)).toEqual(['live', 'connecting']);
    const [again] = await claim('agent');
    await report(again!, 'failing', { reason: refused, hopeless: true });
    await report(held[0]!, 'failing', { reason: refused, hopeless: true });
    expect(await stream(id)).toMatchObject({ state: 'failed', stateReason: refused });
  });

  it('of a dead agent go to another one', async () => {
    const { id } = await activeWith(2);
    await loseLease('agent');
    await register('other');
    await recoverReplicas(service.pool());
    expect(await states(id)).toEqual(['connecting', 'connecting', 'connecting']);
    const claimed = [await claim('other'), await claim('other')];
    expect(claimed.map((together) => together.map(({ epoch }) => epoch))).toEqual([[2], [2, 2]]);
  });

  it('each have a backup in agent mode, where they have a second address', async () => {
    await register('agent');
    const { id } = await activeStream('agent', withBackup);
    await addTo(id, { destinationID: await destination({ backupRtmpURL: 'rtmp://127.0.0.1/backup' }) });
    await addTo(id);
    const rolesOf = (await replicasOf(id)).map(({ output_id: outputID, role }) => [outputID === null, role]);
    expect(rolesOf).toEqual([
      [true, 'primary'],
      [true, 'backup'],
      [false, 'primary'],
      [false, 'backup'],
      [false, 'primary'],
    ]);
  });

  it('that are encoded go to the agent that encodes the stream, and to no other', async () => {
    await register('agent');
    await register('other');
    const { id, held } = await activeStream('agent');
    const further = await addTo(id);
    expect(await claim('other')).toEqual([]);
    expect(await claim('agent')).toMatchObject([{ output_id: further }]);
    const costs = (await replicasOf(id)).map(({ cores }) => cores);
    expect(costs[1]).toBeLessThan(costs[0]! / 100);
    // Without the first one, another output becomes the first, and costs as much as an encoder.
    const [first] = await outputs(id);
    await call('PATCH', `/streams/${id}/outputs/${first.id}`, { enabled: false });
    await report(held[0]!, 'ended');
    expect((await replicasOf(id)).find(({ output_id: outputID }) => outputID === further)!.cores).toBe(costs[0]);
  });
});

describe('what outputs cost', () => {
  it('is the price of the stream for one of them, and 60 % of it for each further one and its backup', async () => {
    await activeWith(2);
    expect(await rates()).toEqual([25, 15, 15]);
  });

  it('stays so while the first is off the air: one of those that are live has the full price', async () => {
    const { held } = await activeWith(2);
    await report(held[0]!, 'failing', { reason: lost });
    expect(await rates()).toEqual([25, 15]);
    await report(held[0]!, 'live');
    expect(await rates()).toEqual([25, 15, 15]);
    const differences = await data().reconciliation.differences();
    expect(differences.filter(({ user_id: userID }) => userID === user().id)).toEqual([]);
  });

  it('counts the bytes of each by its own figures', async () => {
    const { id, held } = await activeWith(1);
    const figuresOf = (replica: Replica, bytesSent: number) => ({
      figures: { replicaID: replica.id, epoch: replica.epoch, stats: statsWith({ bytesSent, framesSent: 7 }) },
    });
    await report(held[1]!, 'failing', { reason: lost, ...figuresOf(held[1]!, 500) });
    await report(held[0]!, 'failing', { reason: lost, ...figuresOf(held[0]!, 900) });
    const intervals = await intervalsOf(service, user().id);
    expect(intervals.map(({ replica_id: replicaID, bytes_after: bytes }) => [replicaID, bytes])).toEqual(
      expect.arrayContaining([
        [held[0]!.id, 900],
        [held[1]!.id, 500],
      ]),
    );
    const output = (await call('GET', `/streams/${id}/outputs/${held[1]!.output_id}`)).body;
    expect(output.stats).toMatchObject({ bytesSent: 500, framesSent: 7 });
    expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ bytesSent: 900 });
  });

  it('ends with a pause at once', async () => {
    const { id, held } = await activeWith(1);
    await call('PATCH', `/streams/${id}/outputs/${held[1]!.output_id}`, { enabled: false });
    expect(await rates()).toEqual([25]);
  });
});
