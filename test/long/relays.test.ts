// Independent servers relay a loop of prepared clips to viewers without a seam.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { connectPublisher } from '../../lambda/publisher/rtmp/rtmp-client.ts';
import { item, mediaOptions, play, preparedClips, timelineOf } from '../publisher/prepared/prepared-clips.ts';
import type { PreparedClips } from '../publisher/prepared/prepared-clips.ts';
import { judgeRecording, steps } from '../support/recording.ts';
import { relays, watch } from '../support/relays.ts';
import { makeSyncClip } from '../support/sync-clip.ts';

const tools = await findMediaTools(process.env);
const items = [item('first', 1.37), item('second', 2.03), item('third', 1.01)];
const seconds = 40;
/** Interval that sends media at twice real time, like over a connection that always catches up. */
const msPerTurn = 125;

let folder: string;
let prepared: PreparedClips;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relays-'));
  prepared = await preparedClips(tools);
  for (const each of items) {
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    const clip = { size: '320x180', framesPerSecond: 25, seconds: each.durationSeconds, sampleRate: 44_100, codecs };
    await prepared.prepare(each, await makeSyncClip(tools, { ...clip, path: join(folder, `${each.uploadID}.mp4`) }));
  }
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true });
  await prepared[Symbol.asyncDispose]();
});

it.for(Object.keys(relays))('%s passes a loop on without a seam', { timeout: 2 * 60_000 }, async (name, { skip }) => {
  const relay = await relays[name]!(folder);
  if (!relay) return skip(`there is no ${name}`);
  onTestFinished(() => relay[Symbol.dispose]());
  const client = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
  const publisher = await connectPublisher(relay.target, client, new AbortController().signal);
  const file = join(folder, `${name}.flv`);
  let watching: ReturnType<typeof watch> | null = null;
  const eachTurn = async () => {
    watching ??= watch(tools, relay.target, file);
    await setTimeout(msPerTurn);
  };
  const options = mediaOptions(prepared.objects, () => ({ video: timelineOf(...items) }));
  await play(options, publisher, { seconds, eachTurn });
  const viewer = await watching!;
  await publisher.close();
  expect(await publisher.ended).toBeNull();
  // The viewer does not end by itself: it would wait for the next publisher.
  relay[Symbol.dispose]();
  await viewer.ended;

  const { video, audio, parameterSets, decodeErrors } = await judgeRecording(tools, file);
  expect(decodeErrors).toBe('');
  expect(parameterSets).toBe(1);
  expect(video.dts.length).toBeGreaterThan(30 * (seconds - 10));
  expect(steps(video.dts)).toEqual([33, 34]);
  expect(steps(audio.dts)).toEqual([21, 22]);
});
