// An Idempotency-Key under concurrency: one effect for any number of clients and repetitions.
import { expect, it } from 'vitest';
import { actorsOn } from '../../support/actors.ts';
import { keptAnswersOf } from '../../support/kept-answers.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { call, causes, commands, readyStream, user } = actorsOn(service);
const tenAtOnce = (path: string, body: unknown) =>
  Promise.all(Array.from({ length: 10 }, () => user().call('POST', path, body, { 'idempotency-key': 'once' })));

it('ten requests at once with one key make one stream, and are answered with it or that it is being made', async () => {
  const answers = await tenAtOnce('/streams', { name: 'one' });
  const made = answers.filter(({ status }) => status === 201);
  expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
  expect(made.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
  for (const answer of answers) if (answer.status !== 201) expect(answer.body.code).toBe('idempotency_in_progress');
  expect((await call('GET', '/streams')).body.data).toHaveLength(1);
  const again = await user().call('POST', '/streams', { name: 'one' }, { 'idempotency-key': 'once' });
  expect(again.body).toEqual(made[0]!.body);
});

it('ten starts at once with one key start a stream once, by one command', async () => {
  const id = await readyStream();
  const answers = await tenAtOnce(`/streams/${id}/start`, undefined);
  for (const { body } of answers) expect(['activating', 'idempotency_in_progress']).toContain(body.code ?? body.state);
  expect(await causes(id)).toEqual(['start']);
  expect(await commands()).toEqual([{ queue: 'publish-ffmpeg', body: { streamID: id } }]);
});

it('ten starts at once without a key start a stream once', async () => {
  const id = await readyStream();
  const answers = await Promise.all(Array.from({ length: 10 }, () => call('POST', `/streams/${id}/start`)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.streamStateID}`)).size).toBe(1);
  expect(await causes(id)).toEqual(['start']);
});

it('a refusal is not kept under its key, so that the request can be repeated', async () => {
  const id = await readyStream({ destinationID: null });
  const answers = await tenAtOnce(`/streams/${id}/start`, undefined);
  expect(answers.map(({ body }) => body.code)).toContain('stream_not_ready');
  expect(await keptAnswersOf(service, user().id)).toEqual([]);
});
