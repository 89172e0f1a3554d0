// A contributor takes a stream over and is killed: the destination receives each picture on one connection.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inTransaction } from '../../lambda/data/database.ts';
import type { LiveInputSettings } from '../../lambda/data/live/live-inputs.ts';
import { LiveIngest } from '../../lambda/live/live-ingest.ts';
import { openRtmpListener } from '../../lambda/live/rtmp-listener.ts';
import { beginTakeover } from '../../lambda/orchestration/live/takeovers.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { actorsOn } from '../support/actors.ts';
import { makeBarcodeClip, readBarcodes } from '../support/barcode-clip.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { fastEncoder } from '../support/media-samples.ts';
import { judgeRecording, steps } from '../support/recording.ts';
import { testService } from '../support/service.ts';
import { startTestAgent } from '../support/test-agent.ts';
import { samplesOfFile } from '../support/test-samples.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, create, data, stream, upload } = actorsOn(service);
const samples = samplesOfFile();
const loopSeconds = 7;
const loopClip = 1;
const liveClip = 2;
const usual: LiveInputSettings = {
  name: 'Studio',
  takes: 'on_request',
  second_publisher: 'refuse',
  allow: [],
  stable_seconds: 4,
  grace_seconds: 2,
  delay_seconds: 8,
};

let folder: string;
let loopPath: string;
let livePath: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'live-ingest-'));
  loopPath = await makeBarcodeClip(tools, join(folder, 'loop.mp4'), loopClip, loopSeconds);
  livePath = await makeBarcodeClip(tools, join(folder, 'live.mp4'), liveClip, 60, 50);
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

async function startIngest() {
  let number = 0;
  const door = new LiveIngest({
    pool: service.pool(),
    objects: service.objects(),
    tools,
    encoderFor: async () => fastEncoder,
    mostSessions: 5,
    newID: (prefix) => `${prefix}_${Date.now()}${number++}`,
    clock: () => new Date(),
    steadyClock: () => performance.now(),
    log: () => {},
  });
  const steadyClock = () => performance.now();
  const listener = await openRtmpListener({
    door,
    port: 0,
    tls: null,
    proxyProtocol: false,
    log: () => {},
    steadyClock,
  });
  onTestFinished(async () => {
    await door[Symbol.asyncDispose]();
    await listener.close();
  });
  return `rtmp://127.0.0.1:${listener.port}/live`;
}

/** A stream on the air that loops a clip, recorded at its destination. */
async function streamOnAir() {
  const ingest = await startFfmpegIngest(join(folder, `${randomBytes(4).toString('hex')}.flv`));
  onTestFinished(() => ingest[Symbol.dispose]());
  const { url: rtmpURL, streamKey } = ingest.target;
  const destinationID = await create('/destinations', { name: 'recorded', rtmpURL, streamKey });
  const id = await create('/streams', {
    destinationID,
    streamBackend: 'manifest',
    quality: 'q_720p',
    framerate: 'f_30',
    videoUploadObjectID: await upload({ durationSeconds: loopSeconds }),
  });
  const agent = startTestAgent(service, {
    agentID: 'agent',
    tools,
    log: () => {},
    mediaURL: () => samples.urlOf(loopPath),
  });
  onTestFinished(() => agent.stop());
  await call('POST', `/streams/${id}/start`);
  await expect.poll(async () => (await stream(id)).state, { timeout: 60_000 }).toBe('active');
  return { id, ingest };
}

/** Adds a live input to a stream. @returns its id and its key */
async function inputOf(streamID: string, settings: Partial<LiveInputSettings> = {}) {
  const { user_id: userID } = (await data().streams.lockMany([streamID]))[0]!;
  const key = randomBytes(24).toString('base64url');
  const id = `inp_${key}`;
  const keySha256 = createHash('sha256').update(key).digest();
  await data().liveInputs.insert({ id, userID, streamID, keySha256, settings: { ...usual, ...settings } });
  return { id, key, userID };
}

function contribute(url: string, key: string): ChildProcess {
  const copied = ['-c', 'copy', '-f', 'flv', `${url}/${key}`];
  const ffmpeg = spawn(tools.ffmpegPath, ['-nostdin', '-v', 'error', '-re', '-i', livePath, ...copied], {
    stdio: 'inherit',
  });
  onTestFinished(() => void ffmpeg.kill('SIGKILL'));
  return ffmpeg;
}

describe('a takeover', { timeout: 120_000 }, () => {
  it('shows the contributor from a keyframe on, and the timeline after the contributor is killed', async () => {
    const url = await startIngest();
    const { id, ingest } = await streamOnAir();
    const { id: inputID, key, userID } = await inputOf(id);
    const contributor = contribute(url, key);
    const taken = async () =>
      inTransaction(service.pool(), async (transaction) => {
        const locked = await transaction.streams.lock(userID, id);
        const input = await transaction.liveInputs.find(userID, inputID);
        return beginTakeover(transaction, locked!, input!, { id: 'tko_1', endAt: null, now: new Date() });
      });
    const begun = await expect
      .poll(taken, { timeout: 30_000 })
      .toMatchObject({ takeoverID: 'tko_1' })
      .then(() => data().takeovers.openOf(id));
    const [interval] = begun!.intervals;
    const shown = async () => (await call('GET', `/streams/${id}/stats`)).body.framesSent > interval!.fromFrame + 150;
    await expect.poll(shown, { timeout: 40_000 }).toBe(true);
    contributor.kill('SIGKILL');
    await expect
      .poll(async () => (await data().takeovers.intervalsOf(id))[0]!.toFrame, { timeout: 20_000 })
      .not.toBeNull();
    const toFrame = (await data().takeovers.intervalsOf(id))[0]!.toFrame!;
    const isBack = async () => (await call('GET', `/streams/${id}/stats`)).body.framesSent > toFrame + 150;
    await expect.poll(isBack, { timeout: 30_000 }).toBe(true);
    const { body: stats } = await call('GET', `/streams/${id}/stats`);
    expect(stats).toMatchObject({ droppedFrames: 0, reconnects: 0 });
    await expect.poll(() => data().takeovers.openOf(id), { timeout: 10_000 }).toBeNull();
    await call('POST', `/streams/${id}/stop`);

    const file = await ingest.finish();
    const recording = await judgeRecording(tools, file);
    expect(recording.decodeErrors).toBe('');
    expect(recording.parameterSets).toBe(1);
    expect(steps(recording.video.dts)).toEqual([33, 34]);
    expect(steps(recording.audio.dts).filter((step) => step < 20 || step > 23)).toEqual([]);
    const frames = (await readBarcodes(tools, file)).slice(0, toFrame + 100);
    const fromFrame = interval!.fromFrame;
    const wantedLoop = (frame: number) => ({ clip: loopClip, frame: frame % (loopSeconds * 30) });
    expect(frames.slice(0, fromFrame)).toEqual(Array.from({ length: fromFrame }, (_, frame) => wantedLoop(frame)));
    expect(frames.slice(toFrame)).toEqual(
      Array.from({ length: frames.length - toFrame }, (_, index) => wantedLoop(toFrame + index)),
    );
    const live = frames.slice(fromFrame, toFrame);
    expect(new Set(live.map(({ clip }) => clip))).toEqual(new Set([liveClip]));
    const liveSteps = live.slice(1).map(({ frame }, index) => frame - live[index]!.frame);
    // A picture of the contributor that arrives late is shown a frame later, and the next one catches up.
    expect(liveSteps.filter((step) => step !== 1).length).toBeLessThan(5);
  });
});
