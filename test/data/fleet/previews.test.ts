// The holder of a replica knows for a while that it is viewed, and the last pieces that it sent are stored.
import { beforeEach, expect, it } from 'vitest';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { activeStream, data, register } = actorsOn(service);
let stream: Awaited<ReturnType<typeof activeStream>>;
let replicaID: string;

beforeEach(async () => {
  await register('agent');
  stream = await activeStream('agent');
  replicaID = stream.held[0]!.id;
});

const add = (frame: number, of = replicaID) =>
  data().previews.add(stream.id, of, { key: `${frame}.m4s`, headerKey: 'h.mp4', frame, frameCount: 60 });
const pass = (seconds: number) =>
  service
    .pool()
    .query('update stream_previews set looked_at_until = looked_at_until - make_interval(secs => $1)', [seconds]);
const lookedAt = async () => (await data().agentRenewals.renew('agent')).lookedAt.map(({ streamID }) => streamID);

it('nobody who does not look costs anything, and nobody adds to what nobody looks at', async () => {
  expect(await lookedAt()).toEqual([]);
  expect(await add(0)).toBe(false);
  expect((await service.pool().query('select from stream_previews')).rowCount).toBe(0);
});

it('whoever looks has the last pieces, which are numbered without a gap, whoever adds them', async () => {
  expect(await data().previews.look(stream.id, replicaID)).toEqual([]);
  expect(await lookedAt()).toEqual([stream.id]);
  for (let piece = 0; piece < 8; piece++) expect(await add(piece * 60)).toBe(true);
  expect(await add(480, 'rep_other')).toBe(false);
  expect(await add(480)).toBe(true);
  const known = await data().previews.known(stream.id);
  const last = known.at(-1)!.number;
  expect(known.map(({ number, frame }) => [number, frame])).toEqual(
    [3, 4, 5, 6, 7, 8].map((piece) => [last - 8 + piece, piece * 60]),
  );
});

/** Makes the replica appear to have been failing for this many seconds. */
const fail = (seconds: number) =>
  service
    .pool()
    .query(`update replicas set state = 'failing', failing_since = now() - make_interval(secs => $2) where id = $1`, [
      replicaID,
      seconds,
    ]);

it('goes on with the replica that was looked at while it is live, and for a moment more', async () => {
  await data().previews.look(stream.id, replicaID);
  await add(0);
  const before = await data().previews.look(stream.id, 'rep_other');
  expect(before).toMatchObject([{ frame: 0 }]);
  await fail(5);
  expect(await data().previews.look(stream.id, 'rep_other')).toEqual(before);
  expect(await add(60, 'rep_other')).toBe(false);
  await fail(11);
  expect(await data().previews.look(stream.id, replicaID)).toEqual(before);
  expect(await data().previews.look(stream.id, 'rep_other')).toEqual([]);
  expect([await add(60), await add(60, 'rep_other')]).toEqual([false, true]);
  const [after] = await data().previews.known(stream.id);
  expect(after!.number).toBeGreaterThanOrEqual(before[0]!.number);
});

it('what was known is forgotten once nobody has looked for a while', async () => {
  await data().previews.look(stream.id, replicaID);
  await add(0);
  await pass(31);
  expect(await lookedAt()).toEqual([]);
  expect(await data().previews.look(stream.id, replicaID)).toEqual([]);
  await pass(91);
  await data().previews.forget();
  expect(await data().previews.known(stream.id)).toEqual([]);
  expect((await service.pool().query('select from stream_previews')).rowCount).toBe(0);
});
