// A prepared stream to thirty outputs at servers of three kinds, one of them added live: all get equal pictures.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { RtmpTarget } from '../../lambda/publisher/rtmp/rtmp-client.ts';
import { actorsOn } from '../support/actors.ts';
import { startFfmpegIngest, startNginxIngest } from '../support/ingests.ts';
import { steps } from '../support/recording.ts';
import { relays, watch } from '../support/relays.ts';
import { testService } from '../support/service.ts';
import { startTestAgent } from '../support/test-agent.ts';
import { samplesOfFile } from '../support/test-samples.ts';

const tools = await findMediaTools(process.env);
const run = promisify(execFile);
const service = testService();
const { call, create, readyStream, stream, upload } = actorsOn(service);
const samples = samplesOfFile();
const outputCount = 30;
/** Numbers of outputs at servers with a process for each publisher or viewer. */
const [listenerCount, relayedCount] = [4, 4];
const clipSeconds = 6;

let folder: string;
let clip: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thirty-outputs-'));
  clip = join(folder, 'clip.mp4');
  const picture = ['-f', 'lavfi', '-i', `testsrc2=s=640x360:r=30:d=${clipSeconds}`];
  const sound = ['-f', 'lavfi', '-i', `sine=r=48000:d=${clipSeconds}`];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  await run(tools.ffmpegPath, ['-nostdin', '-v', 'error', ...picture, ...sound, ...codecs, clip]);
});
afterAll(() => rm(folder, { recursive: true }));

/** The target of an output, and its recording after the end of the stream. */
interface Place {
  readonly kind: 'nginx' | 'node-media-server' | 'ffmpeg';
  readonly target: RtmpTarget;
  readonly file: () => Promise<string>;
}

async function listeners(): Promise<Place[]> {
  const found: Place[] = [];
  for (let index = 0; index < listenerCount; index++) {
    const ingest = await startFfmpegIngest(join(folder, `listener${index}.flv`), tools);
    onTestFinished(() => ingest[Symbol.dispose]());
    found.push({ kind: 'ffmpeg', target: ingest.target, file: () => ingest.finish() });
  }
  return found;
}

/** @returns the places, and a function that adds viewers; null if node-media-server cannot be installed */
async function relayed() {
  const relay = await relays['node-media-server']!(folder);
  if (!relay) return null;
  onTestFinished(() => relay[Symbol.dispose]());
  const targets = Array.from({ length: relayedCount }, (_, index) => ({
    ...relay.target,
    streamKey: `relayed${index}`,
  }));
  const fileOf = ({ streamKey }: RtmpTarget) => join(folder, `${streamKey}.flv`);
  const viewers: Awaited<ReturnType<typeof watch>>[] = [];
  const places: Place[] = targets.map((target) => ({
    kind: 'node-media-server',
    target,
    file: async () => {
      // Viewers do not end by themselves: they would wait for the next publisher.
      relay[Symbol.dispose]();
      await Promise.all(viewers.map(({ ended }) => ended));
      return fileOf(target);
    },
  }));
  const view = async () => {
    for (const target of targets) viewers.push(await watch(tools, target, fileOf(target)));
  };
  return { places, view };
}

async function recordedByNginx(count: number): Promise<Place[] | null> {
  const recordFolder = join(folder, 'nginx');
  await mkdir(recordFolder);
  const ingest = await startNginxIngest({ recordFolder });
  if (!ingest) return null;
  onTestFinished(() => ingest[Symbol.dispose]());
  return Array.from({ length: count }, (_, index) => {
    const target = { ...ingest.target, streamKey: `recorded${index}` };
    return {
      kind: 'nginx',
      target,
      file: async () => {
        await ingest.finish();
        return join(recordFolder, `${target.streamKey}.flv`);
      },
    };
  });
}

/** The pictures of a recording, in order: a hash of each picture's bytes, and its time in milliseconds. */
async function picturesOf(file: string): Promise<{ hashes: string[]; timesMs: number[] }> {
  const what = ['-select_streams', 'v', '-show_data_hash', 'md5', '-show_entries', 'packet=dts_time,data_hash'];
  const { stdout } = await run(tools.ffprobePath, ['-v', 'error', ...what, '-of', 'csv=p=0', file], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return {
    hashes: rows.map(([, hash]) => hash!),
    timesMs: rows.map(([seconds]) => Math.round(Number(seconds) * 1000)),
  };
}

/** Whether these pictures form a stretch of the others, as far as both last. */
function isPartOf(hashes: readonly string[], all: readonly string[]): boolean {
  const isSameFrom = (begins: number) =>
    hashes.slice(0, all.length - begins).every((hash, place) => hash === all[begins + place]);
  return all.some((hash, place) => hash === hashes[0] && all.length - place > 60 && isSameFrom(place));
}

it('thirty outputs at three kinds of servers are frame-identical', { timeout: 600_000 }, async ({ skip }) => {
  const byRelay = await relayed();
  const byListener = await listeners();
  const others = [...(byRelay?.places ?? []), ...byListener];
  const byNginx = await recordedByNginx(outputCount - others.length);
  if (!byNginx) return skip('nginx with its RTMP module is not installed');
  const [first, ...rest] = [...byNginx.slice(0, 1), ...others, ...byNginx.slice(1)] as [Place, ...Place[]];
  const added = rest.pop()!;
  const destinationAt = ({ target }: Place) => create('/destinations', { name: 'x', ...target });
  const id = await readyStream({
    streamBackend: 'manifest',
    quality: 'q_1080p',
    framerate: 'f_30',
    videoUploadObjectID: await upload({ durationSeconds: clipSeconds }),
    destinationID: await destinationAt(first),
  });
  const add = async (place: Place) =>
    (await call('POST', `/streams/${id}/outputs`, { destinationID: await destinationAt(place) })).body;
  for (const place of rest) await add(place);
  const states = async () =>
    (await call('GET', `/streams/${id}/outputs`)).body.data.map(
      ({ state, reason }: { state: string; reason: unknown }) => (state === 'live' ? state : { state, reason }),
    );
  const live = (count: number) => Array.from({ length: count }, () => 'live');
  const agent = startTestAgent(service, {
    agentID: 'agent',
    tools,
    log: () => {},
    mediaURL: () => samples.urlOf(clip),
  });
  await call('POST', `/streams/${id}/start`);
  await expect.poll(states, { timeout: 180_000, interval: 500 }).toEqual(live(outputCount - 1));
  await byRelay?.view();

  const addedAtMs = performance.now();
  const { id: outputID } = await add(added);
  const output = async () => (await call('GET', `/streams/${id}/outputs/${outputID}`)).body;
  await expect.poll(async () => (await output()).state, { timeout: 60_000, interval: 50 }).toBe('live');
  console.log(`an output that was added live is live after ${Math.round(performance.now() - addedAtMs)} ms`);
  const sent = async () => (await output()).stats.framesSent;
  await expect.poll(sent, { timeout: 120_000, interval: 1000 }).toBeGreaterThan(2 * 30 * clipSeconds);
  await call('POST', `/streams/${id}/stop`);
  await expect.poll(async () => (await stream(id)).state).toBe('stopped');
  await agent.stop();

  const recordings = [];
  // A relay ends with its first file, so all other places have ended by then.
  for (const place of [first, ...rest, added].toSorted((a, b) => b.kind.localeCompare(a.kind)))
    recordings.push({ place, ...(await picturesOf(await place.file())) });
  const whole = recordings.find(({ place }) => place === first)!.hashes;
  expect(whole.length).toBeGreaterThan(2 * 30 * clipSeconds);
  for (const { place, hashes, timesMs } of recordings) {
    const name = `${place.kind} ${place.target.streamKey}`;
    expect([name, steps(timesMs)]).toEqual([name, [33, 34]]);
    expect([name, hashes.length > 30 * clipSeconds, isPartOf(hashes, whole)]).toEqual([name, true, true]);
  }
  console.log(
    `${recordings.length} recordings, of ${Math.min(...recordings.map(({ hashes }) => hashes.length))} pictures`,
  );
});
