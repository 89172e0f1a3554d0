// A planned takeover is shown from its beginning to its end, frame by frame, and becomes an upload.
import { expect, it } from 'vitest';
import { recordSessions } from '../../lambda/orchestration/live/record-sessions.ts';
import { runClock } from '../../lambda/domain/streams/run-clock.ts';
import { startWorker } from '../imports/worker.ts';
import { inFuture, startOptions } from '../support/actors.ts';
import { takeoversOn } from '../support/live-takeovers.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, contribute, data, expectSeamless, inputOf, startIngest, streamOnAir, ...until } =
  await takeoversOn(service);

it('a planned takeover is shown at its times, handed back without a gap, and recorded as an upload', async () => {
  const { url } = await startIngest();
  const stream = await streamOnAir();
  const { id: liveInputID, key } = await inputOf(stream.id, { record: true });
  const [startAt, endAt] = [inFuture(22), inFuture(30)];
  const { status } = await call('POST', `/streams/${stream.id}/takeovers`, { liveInputID, startAt, endAt });
  expect(status).toBe(202);
  const contributor = contribute(url, key);
  const { fromFrame } = await until.untilPlanned(stream.id);
  const toFrame = await until.untilEndKnown(stream.id);
  const { body } = await call('GET', `/streams/${stream.id}`);
  const { rows } = await service.pool().query('select anchored_at from streams where id = $1', [stream.id]);
  const { timeOf } = runClock(rows[0].anchored_at, 30);
  const lateMs = (frame: number, at: string) => timeOf(frame).getTime() - Date.parse(at);
  expect(body.state).toBe('active');
  for (const late of [lateMs(fromFrame, startAt), lateMs(toFrame, endAt)]) {
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(2000);
  }
  await until.untilSent(stream.id, toFrame + 100);
  contributor.kill('SIGKILL');
  await expectSeamless(stream);

  const sessions = async () => (await call('GET', `/live-inputs/${liveInputID}/sessions`)).body.data;
  await expect.poll(async () => (await sessions())[0].endedAt, { timeout: 20_000 }).not.toBeNull();
  await recordSessions(service.pool(), { ...startOptions, limitFactor: 100 });
  const [{ recordings }] = await sessions();
  expect(recordings).toMatchObject([{ refusal: null, isCut: false }]);
  const shownSeconds = (toFrame - fromFrame) / 30;
  expect(recordings[0].seconds).toBeGreaterThanOrEqual(shownSeconds);
  expect(recordings[0].seconds).toBeLessThan(shownSeconds + 8);
  const imports = startWorker(service.pool(), service.objects());
  const upload = async () => (await call('GET', `/uploads/${recordings[0].uploadID}`)).body;
  await expect.poll(async () => (await upload()).externalSource.state, { timeout: 20_000 }).toBe('completed');
  await imports.stop();
  const recording = await data().liveRecordings.ofUpload(recordings[0].uploadID);
  expect(recording!.format).toEqual({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' });
  expect(recording!.encoder).toMatch(/^libx264 /);
}, 120_000);
