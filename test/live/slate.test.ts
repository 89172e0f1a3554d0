// A contributor is killed and returns: until then, viewers see the slate of the input, on one connection.
import { expect, it } from 'vitest';
import { takeoversOn } from '../support/live-takeovers.ts';
import { testService } from '../support/service.ts';

const service = testService();
const {
  call,
  contribute,
  data,
  expectSeamless,
  inputOf,
  intervalsOf,
  slateUpload,
  startIngest,
  streamOnAir,
  ...until
} = await takeoversOn(service);

it('a stream shows the slate after each loss, until the contributor is back or the wait is over', async () => {
  const { url } = await startIngest();
  const stream = await streamOnAir();
  const slateUploadID = await slateUpload();
  const graceSeconds = 20;
  const { id, key } = await inputOf(stream.id, { takes: 'always', stableSeconds: 2, graceSeconds, slateUploadID });
  const first = contribute(url, key);
  const fault = async () => (await call('GET', `/live-inputs/${id}`)).body.slateReason;
  await expect.poll(fault, { timeout: 60_000 }).toBeNull();
  const { fromFrame } = await until.untilPlanned(stream.id);
  await until.untilSent(stream.id, fromFrame + 100);
  first.kill('SIGKILL');
  const lostAt = await until.untilEndKnown(stream.id);
  await until.untilSent(stream.id, lostAt + 30);
  const second = contribute(url, key);
  const returned = await until.untilPlanned(stream.id, 1);
  expect(returned.fromFrame).toBeGreaterThan(lostAt + 60);
  expect(returned.fromFrame).toBeLessThan((await intervalsOf(stream.id))[0]!.slate!.toFrame!);
  await until.untilSent(stream.id, returned.fromFrame + 100);
  second.kill('SIGKILL');
  await until.untilEndKnown(stream.id);
  await expect.poll(() => data().takeovers.openOf(stream.id), { timeout: 40_000 }).toBeNull();
  const { slate } = (await intervalsOf(stream.id)).at(-1)!;
  await until.untilSent(stream.id, slate!.toFrame! + 100);
  await expectSeamless(stream);
}, 180_000);
