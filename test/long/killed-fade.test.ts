// An agent is killed in the middle of a crossfade: the agent that takes over sends the same samples.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { contentHashOf, renditionOf } from '../../lambda/domain/playout/rendition.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { flvPacketType, flvTagType, readFlvTags } from '../../lambda/publisher/ffmpeg/flv-reader.ts';
import { receiveRendition } from '../publisher/prepared/prepared-clips.ts';
import { until, untilActive, uploadFile, watchChannels } from '../support/local-run.ts';
import { madeSample, mediaSample } from '../support/media-samples.ts';
import { nodeProcessesOf } from '../support/processes.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const fadeSeconds = 2;
/**
 * Duration after which the next song begins. It is whole in pictures, and every lap has a whole number of AAC frames.
 */
const occurrenceSeconds = 80 / 30;
const songSeconds = occurrenceSeconds + fadeSeconds;
const lapFrames = (2 * occurrenceSeconds * 48_000) / 1024;
/** Number of received frames of a fade at which the agent is killed; four times as many remain. */
const begunFrames = 20;
/** Limit of attempts, because a busy machine may be late for a fade. */
const mostKills = 5;

interface Song {
  readonly id: string;
  readonly path: string;
}

interface Frame {
  readonly connection: number;
  readonly body: string;
}

it('the agent after it sends what it had sent, and the rest of the fade', async ({ onTestFinished }) => {
  const { api } = run;
  const song = async (hertz: number): Promise<Song> => {
    const tone = ['-f', 'lavfi', '-i', `sine=${hertz}:r=48000:d=${songSeconds}`, '-ac', '2', '-c:a', 'pcm_s16le'];
    const path = await madeSample(`fade-${hertz}-${songSeconds}.wav`, tone);
    return { path, id: await uploadFile(api, path, 'audio/wav') };
  };
  const image = await uploadFile(api, await mediaSample('still.png'), 'image/png');
  const songs = [await song(440), await song(700)];
  const sound = { loudness: { enabled: false }, join: { kind: 'crossfade', seconds: fadeSeconds } };
  const { rtmpURL } = run.connection;
  const destination = await api('POST', '/destinations', { name: 'ingest', rtmpURL, streamKey: 'fade' });
  const { id } = await api('POST', '/streams', {
    quality: 'q_720p',
    framerate: 'f_30',
    streamBackend: 'manifest',
    sound,
    destinationID: destination.id,
    videoUploadObjectID: image,
  });
  const audio = await api('POST', '/playlists', { streamID: id, kind: 'audio', mode: 'sequential' });
  const operations = songs.map((each) => ({ op: 'add', uploadID: each.id }));
  await api('POST', `/playlists/${audio.id}/operations`, { operations });
  await api('POST', `/streams/${id}/start`);
  await untilActive(api, id);
  let alone: Set<string>[] = [];
  await until(async () => {
    const found = await Promise.all(songs.map(framesOf)).catch(() => []);
    alone = found.map((each) => new Set(each));
    return found.length > 0;
  });
  const isAlone = (body: string) => alone.some((song) => song.has(body));

  const stopped = new AbortController();
  const frames: Frame[] = [];
  const watching = watch(frames, stopped.signal);
  onTestFinished(async () => {
    stopped.abort();
    await watching;
  });
  const fading = (count: number) => frames.slice(-count).filter(({ body }) => !isAlone(body)).length;
  const untilHeard = (isHeard: () => boolean) =>
    until(async () => isHeard()).catch(async (error: unknown) => {
      const { state, pendingJoins } = await api('GET', `/streams/${id}`);
      const heard = `${frames.length} frames over ${frames.at(-1)?.connection ?? 0} connections`;
      const fades = `${fading(lapFrames)} of the last lap in fades`;
      throw new Error(`${heard}, ${fades}; the stream is ${state}, ${pendingJoins} joins are pending`, {
        cause: error,
      });
    });
  const hasFadeBegun = () => fading(begunFrames) === begunFrames && fading(2 * begunFrames) < 2 * begunFrames;
  // It begins with the song that is prepared first. Joins are sent from the first item on that begins after they were
  // made.
  await untilHeard(() => alone.every((song) => frames.some(({ body }) => song.has(body))) && fading(1) > 0);
  await until(async () => (await api('GET', `/streams/${id}`)).pendingJoins === 0);
  const joinedFrom = frames.length + lapFrames / 2;
  let before: string[] = [];
  let after: Frame[] = [];
  for (let kills = 0; kills < mostKills && (before.length === 0 || isAlone(before.at(-1)!)); kills++) {
    await untilHeard(() => frames.length > joinedFrom + 2 * begunFrames && hasFadeBegun());
    const { connection } = frames.at(-1)!;
    const [agent] = await nodeProcessesOf(run.process.pid!);
    process.kill(agent!.pid, 'SIGKILL');
    await untilHeard(() => frames.at(-1)!.connection > connection);
    after = frames.slice(frames.findIndex((frame) => frame.connection > connection));
    before = frames
      .slice(joinedFrom, -after.length)
      .filter((frame) => frame.connection === connection)
      .map(({ body }) => body);
  }
  expect(isAlone(before.at(-1)!)).toBe(false);

  const resumed = frames.length - after.length;
  await untilHeard(() => frames.length > resumed + lapFrames);
  const lap = frames.slice(resumed, resumed + lapFrames).map(({ body }) => body);
  const placesIn = (whole: readonly string[], part: readonly string[]) =>
    whole.keys().filter((place) => part.every((body, index) => body === whole[(place + index) % whole.length]));
  expect(before.flatMap((body, index) => (lap.includes(body) ? [] : [index]))).toEqual([]);
  expect([...placesIn(lap, before)]).toHaveLength(1);
});

const run = testLocalRun('--no-demo');

/** The frames of a song that plays alone. */
async function framesOf({ id, path }: Song): Promise<string[]> {
  const folder = join(run.dataFolder, 'objects');
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'test' });
  const { durationSeconds } = await run.api('GET', `/uploads/${id}`);
  const facts = { kind: 'audio', durationSeconds, hasAudio: true, dynamicRange: 'sdr' } as const;
  const bytesHash = createHash('sha256').update(await readFile(path));
  const { ingest } = await receiveRendition(
    objects,
    renditionOf(contentHashOf(bytesHash.digest('hex'), facts), facts, 'sound'),
  );
  return ingest.audio.map(({ payload }) => payload.toString('base64'));
}

/** Reads the frames of sound that the ingest receives, over all connections. */
async function watch(frames: Frame[], signal: AbortSignal): Promise<void> {
  for (let connection = 0; !signal.aborted;) {
    try {
      const [channel] = await watchChannels(run);
      const answer = await fetch(`${run.connection.siteURL}/watch/channels/${channel!.id}.flv`, { signal });
      if (!answer.ok) continue;
      connection++;
      for await (const { body } of readFlvTags(Readable.fromWeb(answer.body as never), flvTagType.audio))
        if (body[1] === flvPacketType.media) frames.push({ connection, body: body.toString('base64') });
    } catch {
      // The broadcast or the test has ended.
    } finally {
      await setTimeout(20);
    }
  }
}
