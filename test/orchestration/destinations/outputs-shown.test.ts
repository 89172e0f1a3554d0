// Data about a stream names its outputs: accepted media, measurements and faults of each.
import { beforeEach, expect, it } from 'vitest';
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import type { AiredStretch } from '../../../lambda/domain/playout/aired.ts';
import { tiers } from '../../../lambda/domain/streams/series.ts';
import type { Point } from '../../../lambda/domain/streams/series.ts';
import { onAirStatement } from '../../../lambda/orchestration/playout/on-air-statement.ts';
import { recoverReplicas } from '../../../lambda/orchestration/fleet/recover-replicas.ts';
import { reconcileIncidents } from '../../../lambda/orchestration/notices/reconcile-incidents.ts';
import { newID } from '../../../lambda/data/shared/new-id.ts';
import { actorsOn, statsWith } from '../../support/actors.ts';
import { clearAlerts, passSeconds } from '../../support/incidents.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { activeStream, call, claim, create, data, loseLease, register, report, user } = actorsOn(service);

const lost = { reason: { code: 'connection_lost', detail: 'It hung up.' } };
let id: string;
/** Replicas of the first output, and of another one. */
let held: [Replica, Replica];
let first: string;
let other: string;

beforeEach(async () => {
  await clearAlerts(service);
  await register('agent');
  const active = await activeStream('agent', { name: 'Night radio' });
  ({ id } = active);
  const body = { name: 'Second', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'another' };
  other = (await call('POST', `/streams/${id}/outputs`, { destinationID: await create('/destinations', body) })).body
    .id;
  const [further] = await claim('agent');
  await report(further!, 'live');
  held = [active.held[0]!, further!];
  first = (await call('GET', `/streams/${id}/outputs`)).body.data[0].id;
  await data().streams.anchor(id);
  await service.pool().query(`update streams set anchored_at = now() - interval '100 s' where id = $1`, [id]);
});

/** An agent's stored report of acknowledged frames. */
const said = (replica: Replica, aired: AiredStretch[]) => ({
  replicaID: replica.id,
  epoch: replica.epoch,
  stats: statsWith({ aired, bytesSent: 77 }),
});
const frames = (from: number, to: number): AiredStretch => ({
  from,
  to,
  bytes: 10 * (to - from),
  standIn: null,
  soundStandIn: null,
});
const stated = async () => {
  const stream = (await data().streams.find(user().id, id))!;
  const [run] = (await onAirStatement(data(), stream, stream.anchored_at!, new Date()))!;
  return run!.aired.map(({ outputID, fromFrame, toFrame, bytes }) => [outputID, fromFrame, toFrame, bytes]);
};

it('what was aired is stated for each output, also of a dead agent, and of one that was removed', async () => {
  await data().figures.write('agent', [said(held[0], [frames(0, 50)]), said(held[1], [frames(20, 60)])]);
  const both = [
    [first, 0, 50, 500],
    [other, 20, 60, 400],
  ];
  expect(await stated()).toEqual(both);
  await loseLease('agent');
  await recoverReplicas(service.pool());
  await register('next');
  expect(await stated()).toEqual(both);
  const output = (await call('GET', `/streams/${id}/outputs/${other}`)).body;
  expect(output.stats).toMatchObject({ bytesSent: 77 });

  await call('DELETE', `/streams/${id}/outputs/${other}`);
  expect((await data().replicas.ofStream(id)).map(({ output_id: outputID }) => outputID)).toEqual([null]);
  expect(await stated()).toEqual(both);
});

it('charts are of one output, by its id', async () => {
  const at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000);
  const point = (bitrateKbps: number): Point => ({
    at,
    bitrateKbps,
    framesPerSecond: 30,
    droppedFrames: 0,
    reconnects: 0,
    state: 'live',
  });
  await data().series.write(tiers['10s'], [
    { streamID: id, outputID: '', points: [point(1)] },
    { streamID: id, outputID: other, points: [point(2)] },
  ]);
  const bitrates = async (query: string) =>
    (await call('GET', `/streams/${id}/stats/history${query}`)).body.bitrateKbps;
  expect([await bitrates(''), await bitrates(`?outputID=${first}`), await bitrates(`?outputID=${other}`)]).toEqual([
    [1],
    [1],
    [2],
  ]);
});

const settle = () =>
  reconcileIncidents({ pool: service.pool(), newID: (prefix) => newID(prefix, new Date()) }, user().id);
const incidents = async () => (await call('GET', '/incidents')).body.data;

it.each([
  ['the first', () => [held[0], first, 'The stream “Night radio” is refused at the output “ingest”. It hung up.']],
  ['a further', () => [held[1], other, 'The stream “Night radio” is refused at the output “Second”. It hung up.']],
] as const)('an incident of %s output names it, from its beginning to its end', async (_, choose) => {
  const [replica, outputID, detail] = choose() as unknown as [Replica, string, string];
  await report(replica, 'failing', lost);
  await settle();
  await passSeconds(service, 31);
  await settle();
  expect(await incidents()).toMatchObject([{ kind: 'output_refused', streamID: id, outputID, detail, endedAt: null }]);
  // The output was removed, so no output can recover.
  expect((await call('DELETE', `/streams/${id}/outputs/${outputID}`)).status).toBe(204);
  await report(replica, 'ended');
  await settle();
  const past = detail.replace(' is refused', ' was refused');
  expect(await incidents()).toMatchObject([{ outputID, detail: past, endedAt: expect.any(String) }]);
});

it('an incident that has begun without an output ends all the same', async () => {
  await report(held[1], 'failing', lost);
  await service.pool().query('update incident_signals set output_id = null');
  await settle();
  await passSeconds(service, 31);
  await settle();
  await report(held[1], 'live');
  await settle();
  await passSeconds(service, 31);
  await settle();
  expect(await incidents()).toMatchObject([{ outputID: null, endedAt: expect.any(String) }]);
});

it('an output that was refused before the other one was live is told as well', async () => {
  for (const replica of held) await report(replica, 'failing', lost);
  await report(held[0], 'live');
  await report(held[1], 'connecting');
  await report(held[1], 'failing', lost);
  await settle();
  await passSeconds(service, 31);
  await settle();
  expect(await incidents()).toMatchObject([{ kind: 'output_refused', outputID: other, endedAt: null }]);
});

it('an output that stays down when the other one is back, after both had failed, is told as well', async () => {
  await report(held[0], 'failing', lost);
  await report(held[1], 'failing', lost);
  await settle();
  await report(held[0], 'live');
  await settle();
  await passSeconds(service, 31);
  await settle();
  expect(await incidents()).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ kind: 'output_refused', outputID: other, endedAt: null })]),
  );
  // Reports that change nothing signal nothing new.
  await report(held[1], 'failing', lost);
  await settle();
  await report(held[1], 'live');
  await settle();
  await passSeconds(service, 61);
  await settle();
  expect((await incidents()).filter(({ endedAt }: { endedAt: string | null }) => endedAt === null)).toEqual([]);
});

it('an output that was given up is as wrong as before, until its stream is stopped', async () => {
  await report(held[1], 'failing', lost);
  await settle();
  await passSeconds(service, 31);
  await service.pool().query('update replicas set is_given_up = true where id = $1', [held[1].id]);
  await report(held[1], 'ended');
  await settle();
  expect(await incidents()).toMatchObject([{ outputID: other, endedAt: null }]);
  await call('POST', `/streams/${id}/stop`);
  await report(held[0], 'ended');
  await settle();
  expect(await incidents()).toMatchObject([{ outputID: other, endedAt: expect.any(String) }]);
});
