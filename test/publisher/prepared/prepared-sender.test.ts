// Prepared media is the same whoever sends it, and goes on whatever the destination and the object store do. Real renditions, a clock of the test's.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstSoundFrameFrom, soundGridFrame } from '../../../lambda/domain/prepared-play-out.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { chunkedBytes } from '../../../lambda/publisher/prepared/delta-chunks.ts';
import { segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { NothingReadable } from '../../../lambda/publisher/prepared/track-reader.ts';
import { chunkStream } from '../../../lambda/publisher/rtmp/message.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { DestinationError } from '../../../lambda/publisher/rtmp/destination-error.ts';
import { deltas, tally } from '../../support/recording.ts';
import { makeSyncClip } from '../../support/sync-clip.ts';
import { CheckingIngest, frameTimes, isKeyframe } from './checking-ingest.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';
import type { PreparedClips, Tracks } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
const items = {
  odd: item('odd', 5.03),
  even: item('even', 4),
  song: item('song', 3.01, { kind: 'audio' }),
  still: item('still', 10, { kind: 'image', hasAudio: false }),
};
const both = { video: timelineOf(items.odd, items.even) };

let folder: string;
let prepared: PreparedClips;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prepared-sender-'));
  prepared = await preparedClips(tools);
  const clip = (name: string, seconds: number) =>
    makeSyncClip(tools, {
      path: join(folder, `${name}.mp4`),
      size: '320x180',
      framesPerSecond: 30,
      seconds,
      sampleRate: 48_000,
      codecs: h264,
    });
  await prepared.prepare(items.odd, await clip('odd', 5.03));
  await prepared.prepare(items.even, await clip('even', 4));
  // Noise: no two frames of it are the same.
  await promisify(execFile)(tools.ffmpegPath, [
    '-nostdin',
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'anoisesrc=d=3.01:seed=1:r=44100',
    join(folder, 'song.wav'),
  ]);
  await prepared.prepare(items.song, join(folder, 'song.wav'), 'sound');
  await prepared.prepare(items.still, join(folder, 'even.mp4'));
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true });
  await prepared[Symbol.asyncDispose]();
});

/** A store that is still reading when a stream skips what it reads. */
function slowly(objects: PreparedClips['objects']): SegmentStore {
  const read: typeof objects.read = async (key, range) => {
    await setTimeout(5);
    return objects.read(key, range);
  };
  // Too little for what is ahead: everything is read again and again.
  return new SegmentStore({ objects: { read }, maxCachedBytes: 1 });
}

async function send(tracks: Tracks, options: Parameters<typeof play>[2], ingest = new CheckingIngest()) {
  const run = mediaOptions(prepared.objects, () => tracks);
  const figures = await play(run, ingest, options);
  return { ingest, figures: figures.sample(0, new Date(), 30), ...run };
}

/** Nothing is repeated, left out, or earlier than what came before. */
function expectNoSeam(ingest: CheckingIngest): void {
  expect([...tally(deltas(frameTimes(ingest.video))).keys()].sort()).toEqual([33, 34]);
  expect([...tally(deltas(frameTimes(ingest.audio))).keys()].sort()).toEqual([21, 22]);
}

/** The frames of an ingest from one on, each with the time since the one before. */
function framesFrom(messages: readonly RtmpMessage[], first: number) {
  const frames = messages.filter(({ payload }) => payload[1] === 1).slice(first);
  return frames.map(({ timestampMs, payload }, index) => ({
    sinceMs: index === 0 ? null : timestampMs - frames[index - 1]!.timestampMs,
    payload,
  }));
}

/** Bytes up to the end of the second frame of sound: the first picture and the first sound are before it. */
function afterFirstMessages({ media }: CheckingIngest): number {
  const bytes = Buffer.concat(media);
  let offset = 0;
  for (let sounds = 0; sounds < 2;) {
    if ((bytes[offset]! & 0x3f) === chunkStream.audio) sounds++;
    offset += chunkedBytes(bytes.subarray(offset));
  }
  return offset;
}

describe('two agents', { timeout: 20_000 }, () => {
  it.each([0, 61, 150, 151, 200, 270, 271, 272, 1000])(
    'of which one begins at frame %i send the same bytes from there on',
    async (startFrame) => {
      const lapFrames = 151 + 120;
      const inLap = startFrame % lapFrames;
      const keyframe = startFrame - (inLap < 151 ? inLap % 60 : (inLap - 151) % 60);
      const [first, second] = [
        (await send(both, { seconds: 50 })).ingest,
        (await send(both, { startFrame, seconds: 15 })).ingest,
      ];
      expectNoSeam(second);
      const video = framesFrom(second.video, 0);
      expect(video.length).toBeGreaterThan(15 * 30);
      expect(framesFrom(first.video, keyframe).slice(0, video.length)).toEqual(video);
      const audio = framesFrom(second.audio, 0);
      const inItem = inLap < 151 ? inLap - (inLap % 60) : inLap - 151 - ((inLap - 151) % 60);
      const soundFrame = soundGridFrame(keyframe - inItem, 30) + firstSoundFrameFrom(inItem, 30);
      expect(framesFrom(first.audio, soundFrame).slice(0, audio.length)).toEqual(audio);
    },
  );

  it('whenever either of them began, in whatever order items are shuffled, years into a run, send the same bytes', async () => {
    const anyStart = fc.nat(3 * 365 * 86_400 * 30);
    await fc.assert(
      fc.asyncProperty(
        anyStart,
        fc.nat(900),
        fc.nat(2 ** 31),
        fc.boolean(),
        async (startFrame, later, seed, hasSong) => {
          const snapshot = { mode: 'shuffle' as const, seed, items: [items.odd, items.even, items.still] };
          const video = [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot }];
          const tracks: Tracks = hasSong ? { video, audio: timelineOf(items.song) } : { video };
          const early = (await send(tracks, { startFrame, seconds: 45 })).ingest;
          const late = (await send(tracks, { startFrame: startFrame + later, seconds: 12 })).ingest;
          // What each connection begins with tells how long after its own beginning it is.
          const same = Buffer.concat(late.media).subarray(afterFirstMessages(late));
          expect(same.length).toBeGreaterThan(1_000_000);
          expect(Buffer.concat(early.media).includes(same)).toBe(true);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('are nowhere near each other in time and still agree, years into a run', async () => {
    const lapFrames = 151 + 120;
    const startFrame = Math.floor((3 * 365 * 86_400 * 30) / lapFrames) * lapFrames;
    const { ingest } = await send(both, { startFrame, seconds: 30 });
    expectNoSeam(ingest);
    expect(frameTimes(ingest.video)[0]).toBe(0);
  });
});

describe('sound of its own', { timeout: 20_000 }, () => {
  it.each([
    ['a video', items.even],
    ['a still', items.still],
  ])('loops under %s, both without a seam and independent in length', async (_, picture) => {
    const { ingest } = await send({ video: timelineOf(picture), audio: timelineOf(items.song) }, { seconds: 60 });
    expectNoSeam(ingest);
    expect(frameTimes(ingest.video).length / 30).toBeCloseTo(60.5, 0);
    expect(Math.abs(frameTimes(ingest.audio).at(-1)! - frameTimes(ingest.video).at(-1)!)).toBeLessThan(70);
    // The song's 90 frames on the grid of pictures, in turn 140 and 141 frames of sound.
    const payloads = ingest.audio
      .filter(({ payload }) => payload[1] === 1)
      .map(({ payload }) => payload.toString('hex'));
    const lapStarts = [...payloads.keys()].filter(
      (index) =>
        payloads[index] === payloads[0] && payloads[index + 1] === payloads[1] && payloads[index + 9] === payloads[9],
    );
    expect(new Set(deltas(lapStarts))).toEqual(new Set([140, 141]));
  });

  it('that cannot be read leaves the pictures with their own', async () => {
    const gone = item('gone', 3, { kind: 'audio' });
    const { ingest, logged } = await send({ video: timelineOf(items.even), audio: timelineOf(gone) }, { seconds: 20 });
    expect(logged).toContain('sound_not_playable');
    expectNoSeam(ingest);
  });
});

describe('a destination', { timeout: 20_000 }, () => {
  it('that takes nothing is given up after 5 s, and little waits for it', async () => {
    const ingest = new CheckingIngest();
    ingest.takesAll = false;
    await expect(
      play(
        mediaOptions(prepared.objects, () => both),
        ingest,
        { seconds: 20 },
      ),
    ).rejects.toEqual(new DestinationError('stalled'));
    expect(ingest.bytesQueued).toBeLessThan(1_500_000);
  });

  it('that takes hardly anything is given up, and it is not our fault', async () => {
    const ingest = new CheckingIngest();
    ingest.takesAll = false;
    const trickling = () => ingest.take(1000);
    await expect(
      play(
        mediaOptions(prepared.objects, () => both),
        ingest,
        { seconds: 60, eachTurn: trickling },
      ),
    ).rejects.toEqual(new DestinationError('too_slow'));
  });

  it('that takes 80 % of what there is gets every second of it that it can, from keyframes on', async () => {
    const ingest = new CheckingIngest();
    ingest.takesAll = false;
    let mostQueued = 0;
    const taking = () => {
      mostQueued = Math.max(mostQueued, ingest.bytesQueued);
      ingest.take((0.8 * 4_160_000) / 8 / 4);
    };
    const events: string[] = [];
    const figures = (
      await play(
        mediaOptions(slowly(prepared.objects), () => both),
        ingest,
        { seconds: 120, eachTurn: taking },
        events,
      )
    ).sample(0, new Date(), 30);
    const dropped = figures.droppedFrames / (figures.droppedFrames + figures.framesSent);
    expect(dropped).toBeGreaterThan(0.1);
    expect(dropped).toBeLessThan(0.25);
    expect(mostQueued).toBeLessThan(1_500_000);
    expect(events).toEqual(['evidence', 'slow through the destination']);
    const frames = ingest.video.filter(({ payload }) => payload[1] === 1);
    const afterGaps = frames.filter(
      ({ timestampMs }, index) => index > 0 && timestampMs - frames[index - 1]!.timestampMs > 34,
    );
    expect(afterGaps.length).toBeGreaterThanOrEqual(3);
    expect(afterGaps.every(isKeyframe)).toBe(true);
    expect(Math.min(...deltas(frameTimes(ingest.audio)))).toBeGreaterThan(0);
    // It is where the time is, not ever later.
    expect(120_000 - frames.at(-1)!.timestampMs).toBeLessThan(6000);
  });

  it('that stands still for 4.5 s gets what is due then, at most a second at a time', async () => {
    const ingest = new CheckingIngest();
    let turn = 0;
    const perTurn: number[] = [];
    let frames = 0;
    const figures = (
      await play(
        mediaOptions(prepared.objects, () => both),
        ingest,
        {
          seconds: 40,
          eachTurn: () => {
            perTurn.push(frameTimes(ingest.video).length - frames);
            frames = frameTimes(ingest.video).length;
            turn++;
            ingest.takesAll = turn < 40 || turn > 58;
            if (ingest.takesAll) ingest.bytesQueued = 0;
          },
        },
      )
    ).sample(0, new Date(), 30);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(30);
    expect(figures.droppedFrames).toBeLessThan(6 * 30);
    expect(40_000 - frameTimes(ingest.video).at(-1)!).toBeLessThan(200);
  });
});

describe('a connection whose time is over', { timeout: 20_000 }, () => {
  const withSong = { video: timelineOf(items.even), audio: timelineOf(items.song) };
  it.each([
    ['sound of their own', both, 9200],
    ['a track of sound', withSong, 9200],
    ['a track of sound, where two roundings differ', withSong, 21_000],
  ])(
    'ends before a keyframe, and the next one goes on as if there had been one only: %s',
    async (_, tracks, endsAfterMs) => {
      const whole = (await send(tracks, { seconds: 30 })).ingest;
      const ended = new CheckingIngest();
      const events: string[] = [];
      await play(
        mediaOptions(prepared.objects, () => tracks),
        ended,
        { seconds: 30, endsAfterMs },
        events,
      );
      const startFrame = Number(/^next from (\d+)$/.exec(events.at(-1)!)![1]);
      const next = (await send(tracks, { startFrame, seconds: 5 })).ingest;
      for (const kind of ['video', 'audio'] as const) {
        const payloads = [ended, next].flatMap((ingest) => framesFrom(ingest[kind], 0)).map(({ payload }) => payload);
        expect(payloads).toEqual(
          framesFrom(whole[kind], 0)
            .slice(0, payloads.length)
            .map(({ payload }) => payload),
        );
      }
      expect(frameTimes(ended.video)).toHaveLength(startFrame);
      expect(startFrame * 1000).toBeGreaterThan(30 * endsAfterMs);
      expect(isKeyframe(next.video.find(({ payload }) => payload[1] === 1)!)).toBe(true);
    },
  );
});

describe('a segment that is damaged or gone', { timeout: 20_000 }, () => {
  it.each(['damaged', 'gone'] as const)(
    'is replaced by what was good, for its time, and played again once it is mended: %s',
    async (how) => {
      const key = segmentKey({ contentHash: 'even', format }, 0);
      const good = await buffer(await prepared.objects.read(key));
      const facts = { contentType: 'application/octet-stream' };
      const bad = Buffer.from(good);
      bad[bad.length - 1000]! ^= 1;
      if (how === 'gone') await prepared.objects.delete(key);
      else await prepared.objects.write(key, bad, facts);
      let turn = 0;
      const ingest = new CheckingIngest();
      const run = mediaOptions(prepared.objects, () => both);
      const mend = async () => {
        if (++turn === 80) await prepared.objects.write(key, good, facts);
      };
      const figures = (await play(run, ingest, { seconds: 60, eachTurn: mend })).sample(0, new Date(), 30);
      expect(run.unreadable).toContain('even 0');
      expect(figures.droppedFrames).toBe(0);
      expect([...tally(deltas(frameTimes(ingest.video))).keys()].sort()).toEqual([33, 34]);
      expect(figures.currentItem?.uploadID).toBe(Math.floor(60.5 * 30 - 1) % 271 < 151 ? 'odd' : 'even');
      const unreadableAfter = run.unreadable.length;
      expect(unreadableAfter).toBeLessThan(5);
    },
  );

  it('ends the connection by our fault when there is nothing else to play', async () => {
    const alone = item('alone', 3);
    await expect(send({ video: timelineOf(alone) }, { seconds: 10 })).rejects.toBeInstanceOf(NothingReadable);
  });
});

it('streams share what is read: twenty of them read each block once', { timeout: 20_000 }, async () => {
  let bytesRead = 0;
  const objects = {
    read: async (...[key, range]: Parameters<PreparedClips['objects']['read']>) => {
      bytesRead += range!.end - range!.start + 1;
      return prepared.objects.read(key, range);
    },
  };
  const store = new SegmentStore({ objects, maxCachedBytes: 16 * 1024 * 1024 });
  await Promise.all(
    Array.from({ length: 20 }, () =>
      play(
        mediaOptions(store, () => both),
        new CheckingIngest({ keepsMedia: false }),
        { seconds: 10 },
      ),
    ),
  );
  // Both renditions once, and their headers.
  expect(bytesRead).toBeLessThan(((5.03 + 4) * 4_500_000) / 8 + 4 * 64 * 1024 + 2 * 1024 * 1024);
});
