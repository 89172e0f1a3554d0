// Streams to destinations other than RTMP, from the API to a listener: started, on air, and stopped.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { actorsOn } from '../../support/actors.ts';
import { capacityFor } from '../../support/capacities.ts';
import { mediaSample } from '../../support/media-samples.ts';
import { judgeRecording } from '../../support/recording.ts';
import { testService } from '../../support/service.ts';
import { ffmpegListener } from '../../support/srt-listeners.ts';
import { startTestAgent } from '../../support/test-agent.ts';
import { samplesOfFile } from '../../support/test-samples.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, readyStream, startedStream, stream, upload } = actorsOn(service);
const samples = samplesOfFile();
let folder: string;
let clip: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ways-out-'));
  clip = await mediaSample('plain.mp4');
});
afterAll(() => rm(folder, { recursive: true }));

function startAgent(): void {
  startTestAgent(service, {
    agentID: 'agent',
    capacity: capacityFor(4, 'ffmpeg'),
    tools,
    log: () => {},
    mediaURL: () => samples.urlOf(clip),
    supervisor: 'supervisor',
    backends: ['ffmpeg'],
    handleMedia: async () => ({ batchItemFailures: [] }),
  });
}

const passphrase = 'correct horse battery';
const reasonOf = async (id: string) => (await stream(id)).stateReason?.code;

describe('a stream to a listener of SRT', { timeout: 60_000 }, () => {
  it('is active with a passphrase that was sealed, and failing with another one', async ({ skip }) => {
    const file = join(folder, 'encoded.ts');
    const listener = await ffmpegListener({ file, passphrase });
    if (!listener) return skip('no ffmpeg with libsrt is installed');
    onTestFinished(() => listener[Symbol.dispose]());
    const { body: destination } = await call('POST', '/destinations', {
      name: 'listener',
      url: `srt://127.0.0.1:${listener.port}`,
      srt: { passphrase: 'wrong horse battery', latencyMs: 200 },
    });
    startAgent();
    const id = await startedStream({
      videoUploadObjectID: await upload({ durationSeconds: 2 }),
      destinationID: destination.id,
    });
    await expect.poll(() => reasonOf(id)).toBe('passphrase_refused');
    await call('POST', `/streams/${id}/stop`);
    await expect.poll(async () => (await stream(id)).state).toBe('stopped');

    await call('PATCH', `/destinations/${destination.id}`, { srt: { passphrase } });
    await call('POST', `/streams/${id}/start`);
    await expect.poll(async () => (await stream(id)).state).toBe('active');
    await call('POST', `/streams/${id}/stop`);
    await listener.ended;
    expect((await judgeRecording(tools, file)).video).toMatchObject({ codec: 'h264', width: 1280 });
  });

  it('is not ready in a codec that no transport stream carries', async () => {
    const { body: destination } = await call('POST', '/destinations', { name: 'av1', url: 'srt://127.0.0.1:9000' });
    const id = await readyStream({ destinationID: destination.id, streamBackend: 'manifest', videoCodec: 'av1' });
    const { body } = await call('GET', `/streams/${id}/readiness`);
    expect(body.issues).toMatchObject([
      {
        code: 'destination_limit',
        error: 'SRT accepts only H.264 and HEVC.',
        suggestion: 'Set videoCodec to h264 or hevc.',
      },
    ]);
  });
});
