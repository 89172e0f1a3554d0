// Two outputs of a stream never go to one place, by any sequence of edits and any spelling of their addresses.
import { expect, it } from 'vitest';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { actorsOn } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { activeStream, call, claim, create, loseLease, readyStream, register, report } = actorsOn(service);

const to = (rtmpURL: string, streamKey: string) => create('/destinations', { name: 'x', rtmpURL, streamKey });
const addTo = (streamID: string, destinationID: string) =>
  call('POST', `/streams/${streamID}/outputs`, { destinationID });
const codesOf = (...answers: { status: number; body: { code?: string } | null }[]) =>
  answers.map(({ status, body }) => (status < 300 ? 'done' : body?.code));
const states = async (id: string) =>
  (await call('GET', `/streams/${id}/outputs`)).body.data.map(({ state }: { state: string }) => state);

it('by another spelling of the address', async () => {
  const id = await readyStream({ destinationID: await to('rtmp://127.0.0.1/live', 'a/b') });
  const tried = [
    await to('rtmp://LOCALHOST./live/a', 'b'),
    await to('rtmp://127.1:1935/live/a/', 'b'),
    await to('rtmp://127.0.0.1/live', 'a/c'),
  ];
  const answers = [];
  for (const destinationID of tried) answers.push(await addTo(id, destinationID));
  // A name may resolve to any address, so only its spelling counts.
  expect(codesOf(...answers)).toEqual(['done', 'output_exists', 'done']);
  expect(answers[0]!.body.stats).toMatchObject({ bitrateKbps: 0, framesSent: 0 });
});

it('by a change of a destination, of a stream, or of the deprecated key', async () => {
  const [first, second, third] = [
    await to('rtmp://127.0.0.1/live', '1'),
    await to('rtmp://127.0.0.1/live', '2'),
    await to('rtmp://127.0.0.1/live', '3'),
  ];
  const id = await readyStream({ destinationID: first });
  await addTo(id, second);
  const changed = await call('PATCH', `/destinations/${second}`, {
    rtmpURL: 'rtmp://127.0.0.1:1935/live',
    streamKey: '1',
  });
  expect([codesOf(changed), changed.body.errors]).toEqual([
    ['output_exists'],
    [
      expect.objectContaining({
        path: '/rtmpURL',
        detail: `The stream is already sent to this place by destination ${first}.`,
      }),
    ],
  ]);
  expect(
    codesOf(
      await call('PATCH', `/destinations/${second}`, { name: 'y', streamKey: '2' }),
      await call('PATCH', `/destinations/${third}`, { streamKey: '2' }),
      await call('PATCH', `/streams/${id}`, { destinationID: third }),
      await call('PATCH', `/destinations/${third}`, { streamKey: '4' }),
      await call('PATCH', `/streams/${id}`, { destinationID: third }),
    ),
  ).toEqual(['done', 'done', 'output_exists', 'done', 'done']);
});

it('by two changes at the same moment', async () => {
  const [first, second] = [await to('rtmp://127.0.0.1/live', '1'), await to('rtmp://127.0.0.1/live', '2')];
  const id = await readyStream({ destinationID: first });
  await addTo(id, second);
  const answers = await Promise.all(
    [first, second].map((each) => call('PATCH', `/destinations/${each}`, { streamKey: '3' })),
  );
  expect(codesOf(...answers).toSorted()).toEqual(['done', 'output_exists']);
});

it('by being removed and added again, before the one that is removed has ended', async () => {
  await register('agent');
  const place = ['rtmp://127.0.0.1:1936/live', 'k'] as const;
  const { id } = await activeStream('agent');
  const added = await addTo(id, await to(...place));
  const [sending] = await claim('agent');
  await report(sending!, 'live');
  const remove = (outputID: string) => call('DELETE', `/streams/${id}/outputs/${outputID}`);
  await remove(added.body.id);
  const again = await addTo(id, await to(...place));
  const securely = await addTo(id, await to('rtmps://127.0.0.1/live', 'k'));
  const elsewhere = await addTo(id, await to('rtmp://127.0.0.1:1937/live', 'k'));
  expect([again, securely, elsewhere].map(({ body }) => body.state)).toEqual(['idle', 'idle', 'connecting']);
  expect((await claim('agent')).map(({ output_id: outputID }) => outputID)).toEqual([elsewhere.body.id]);
  await report(sending!, 'ended');
  expect(await states(id)).toEqual(['live', 'connecting', 'connecting', 'connecting']);
});

it('by the first output being removed and added again, also where its agent dies over it', async () => {
  await register('agent');
  const { id } = await activeStream('agent');
  const other = await addTo(id, await to('rtmp://127.0.0.1:1937/live', 'k'));
  const [further] = await claim('agent');
  await report(further!, 'live');
  const [first] = (await call('GET', `/streams/${id}/outputs`)).body.data;
  await call('DELETE', `/streams/${id}/outputs/${first.id}`);
  expect((await addTo(id, first.destinationID)).body.state).toBe('idle');
  await loseLease('agent');
  await recoverReplicas(service.pool());
  expect(await states(id)).toEqual(['connecting', 'connecting']);
  expect(other.body.isFirst).toBe(false);
});
