// Prepared media is equal for all senders, and continues despite faults of the destination and the object store.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstSoundFrameFrom, soundGridFrame } from '../../../lambda/domain/playout/prepared-play-out.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { chunkedBytes } from '../../../lambda/publisher/prepared/delta-chunks.ts';
import { segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { NothingReadable } from '../../../lambda/publisher/replica/faults.ts';
import { chunkStream } from '../../../lambda/publisher/rtmp/message.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { DestinationError } from '../../../lambda/publisher/destination/destination-error.ts';
import { deltas, steps } from '../../support/recording.ts';
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
  // Noise never repeats a frame.
  const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=3.01:seed=1:r=44100'];
  await promisify(execFile)(tools.ffmpegPath, ['-nostdin', '-v', 'error', ...noise, join(folder, 'song.wav')]);
  await prepared.prepare(items.song, join(folder, 'song.wav'), 'sound');
  await prepared.prepare(items.still, join(folder, 'even.mp4'));
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true });
  await prepared[Symbol.asyncDispose]();
});

/**
 * A store so slow that it is still reading when a stream skips the requested part: once the test's clock runs, each
 * read takes until its next turn.
 */
function slowly(objects: PreparedClips['objects']): { store: SegmentStore; passTurn: () => Promise<void> } {
  let turn: PromiseWithResolvers<void> | null = null;
  let reading: Promise<unknown>[] = [];
  const read: typeof objects.read = async (key, range) => {
    await turn?.promise;
    const bytes = objects.read(key, range).then(buffer);
    reading.push(bytes);
    return Readable.from([await bytes]);
  };
  const passTurn = async () => {
    turn?.resolve();
    turn = Promise.withResolvers();
    await setImmediate();
    await Promise.allSettled(reading);
    reading = [];
  };
  // The cache is too small for the media read ahead, so everything is read repeatedly.
  return { store: new SegmentStore({ objects: { read }, maxCachedBytes: 1 }), passTurn };
}

/** Sends a stream to an ingest that accepts everything at once. */
async function send(tracks: Tracks, options: Parameters<typeof play>[2], ingest = new CheckingIngest()) {
  const run = mediaOptions(prepared.objects, () => tracks);
  const figures = await play(run, ingest, options);
  return { ingest, figures: figures.sample(0, new Date(), 30), ...run };
}

/** Expects that nothing is repeated, omitted, or out of order. */
function expectNoSeam(ingest: CheckingIngest): void {
  expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
  expect(steps(frameTimes(ingest.audio))).toEqual([21, 22]);
}

/** The frames from one message on, each with the milliseconds since the previous one. */
function framesFrom(messages: readonly RtmpMessage[], first: number) {
  const frames = messages.filter(({ payload }) => payload[1] === 1).slice(first);
  return frames.map(({ timestampMs, payload }, index) => ({
    sinceMs: index === 0 ? null : timestampMs - frames[index - 1]!.timestampMs,
    payload,
  }));
}

/**
 * The number of bytes up to the end of the second frame of sound. They include the first picture and the first sound.
 */
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
      const { ingest: first } = await send(both, { seconds: 50 });
      const { ingest: second } = await send(both, { startFrame, seconds: 15 });
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

  it('send the same bytes of any shuffled playlist, whenever either of them began', async () => {
    const anyStart = fc.nat(3 * 365 * 86_400 * 30);
    const anyRun = fc.record({
      startFrame: anyStart,
      later: fc.nat(900),
      seed: fc.nat(2 ** 31),
      hasSong: fc.boolean(),
    });
    const sendTheSame = fc.asyncProperty(anyRun, async ({ startFrame, later, seed, hasSong }) => {
      const snapshot = { mode: 'shuffle' as const, seed, items: [items.odd, items.even, items.still] };
      const video = [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot }];
      const tracks: Tracks = hasSong ? { video, audio: timelineOf(items.song) } : { video };
      const { ingest: early } = await send(tracks, { startFrame, seconds: 45 });
      const { ingest: late } = await send(tracks, { startFrame: startFrame + later, seconds: 12 });
      // The first messages of a connection differ: their times count from its own beginning.
      const same = Buffer.concat(late.media).subarray(afterFirstMessages(late));
      expect(same.length).toBeGreaterThan(1_000_000);
      expect(Buffer.concat(early.media).includes(same)).toBe(true);
    });
    await fc.assert(sendTheSame, { numRuns: 12 });
  });

  it('begin without a seam years into a run', async () => {
    const lapFrames = 151 + 120;
    const startFrame = Math.floor((3 * 365 * 86_400 * 30) / lapFrames) * lapFrames;
    const { ingest } = await send(both, { startFrame, seconds: 30 });
    expectNoSeam(ingest);
    expect(frameTimes(ingest.video)[0]).toBe(0);
  });
});

describe('a track of sound', { timeout: 20_000 }, () => {
  it.each([
    ['a video', items.even],
    ['a still', items.still],
  ])('loops under %s, both without a seam and each by its own length', async (_, picture) => {
    const { ingest } = await send({ video: timelineOf(picture), audio: timelineOf(items.song) }, { seconds: 60 });
    expectNoSeam(ingest);
    expect(frameTimes(ingest.video).length / 30).toBeCloseTo(60.5, 0);
    expect(Math.abs(frameTimes(ingest.audio).at(-1)! - frameTimes(ingest.video).at(-1)!)).toBeLessThan(70);
    // The song lasts 90 pictures, which is alternately 140 and 141 frames of sound.
    const frames = ingest.audio.filter(({ payload }) => payload[1] === 1);
    const payloads = frames.map(({ payload }) => payload.toString('hex'));
    const isLapStart = (index: number) => [0, 1, 9].every((place) => payloads[index + place] === payloads[place]);
    expect(steps([...payloads.keys()].filter(isLapStart))).toEqual([140, 141]);
  });

  it('that cannot be read leaves the pictures with their own', async () => {
    const gone = item('gone', 3, { kind: 'audio' });
    const tracks = { video: timelineOf(items.even), audio: timelineOf(gone) };
    const { ingest, logged, figures } = await send(tracks, { seconds: 20 });
    expect(logged).toContain('sound_not_playable');
    expectNoSeam(ingest);
    expect(figures.aired.map(({ from, standIn, soundStandIn }) => [from, standIn, soundStandIn])).toEqual([
      [0, null, 'even'],
    ]);
  });

  it('of which a song cannot be read has another one for its time, and that is noted', async () => {
    const gone = item('gone', 3, { kind: 'audio' });
    const tracks = { video: timelineOf(items.even), audio: timelineOf(items.song, gone) };
    // The track is read while the clock of the test stands still.
    const { figures } = await send(tracks, { seconds: 14, eachTurn: () => setTimeout(5) });
    // Sound begins within a picture of the song.
    const noted = figures.aired.map(({ from, soundStandIn }) => [Math.round(from / 90), soundStandIn]);
    expect(noted).toEqual([
      [0, null],
      [1, 'song'],
      [2, null],
      [3, 'song'],
      [4, null],
    ]);
  });
});

describe('a destination', { timeout: 20_000 }, () => {
  const playBoth = (ingest: CheckingIngest, options: Parameters<typeof play>[2], events?: string[]) =>
    play(
      mediaOptions(prepared.objects, () => both),
      ingest,
      options,
      events,
    );

  it('whose connection is closing gets nothing more, and nothing more counts as sent', async () => {
    const ingest = new CheckingIngest();
    let turns = 0;
    const eachTurn = () => void (++turns === 20 && (ingest.isOpen = false));
    const { figures } = await send(both, { seconds: 6, eachTurn }, ingest);
    expect(ingest.video.filter(({ payload }) => payload[1] === 1)).toHaveLength(figures.framesSent);
    expect(figures.framesSent).toBeLessThan(6 * 30);
  });

  it('that takes nothing is given up after 5 s, and only little waits for it', async () => {
    const ingest = new CheckingIngest();
    ingest.takesAll = false;
    await expect(playBoth(ingest, { seconds: 20 })).rejects.toEqual(new DestinationError('stalled'));
    expect(ingest.bytesQueued).toBeLessThan(1_500_000);
  });

  it('that takes hardly anything is given up, and it is not our fault', async () => {
    const ingest = new CheckingIngest();
    ingest.takesAll = false;
    const trickling = () => ingest.take(1000);
    const playing = playBoth(ingest, { seconds: 60, eachTurn: trickling });
    await expect(playing).rejects.toEqual(new DestinationError('too_slow'));
  });

  it('that takes 80 % of the bytes gets as much as it can, and after each gap a keyframe first', async () => {
    const ingest = new CheckingIngest();
    ingest.takesAll = false;
    let mostQueued = 0;
    const { store, passTurn } = slowly(prepared.objects);
    const taking = async () => {
      mostQueued = Math.max(mostQueued, ingest.bytesQueued);
      ingest.take((0.8 * 4_160_000) / 8 / 4);
      await passTurn();
    };
    const events: string[] = [];
    const options = mediaOptions(store, () => both);
    const played = await play(options, ingest, { seconds: 120, eachTurn: taking }, events);
    const figures = played.sample(0, new Date(), 30);
    const dropped = figures.droppedFrames / (figures.droppedFrames + figures.framesSent);
    expect(dropped).toBeGreaterThan(0.1);
    expect(dropped).toBeLessThan(0.25);
    expect(mostQueued).toBeLessThan(1_500_000);
    expect(events).toEqual(['evidence', 'slow through the destination']);
    const frames = ingest.video.filter(({ payload }) => payload[1] === 1);
    const sinceLastMs = [0, ...deltas(frameTimes(ingest.video))];
    const afterGaps = frames.filter((_, index) => sinceLastMs[index]! > 34);
    expect(afterGaps.length).toBeGreaterThanOrEqual(3);
    expect(afterGaps.every(isKeyframe)).toBe(true);
    expect(Math.min(...deltas(frameTimes(ingest.audio)))).toBeGreaterThan(0);
    // The stream is in sync again: its delay does not grow.
    expect(120_000 - frames.at(-1)!.timestampMs).toBeLessThan(6000);
  });

  it('that takes a little too little is slow until it has taken all that is due for half a minute', async () => {
    const ingest = new CheckingIngest();
    ingest.takesAll = false;
    const events: string[] = [];
    let nowMs = 0;
    const timesMs: number[] = [];
    const taking = () => {
      nowMs += 250;
      timesMs.push(...events.slice(timesMs.length).map(() => nowMs));
      ingest.takesAll = nowMs > 240_000;
      ingest.take(ingest.takesAll ? ingest.bytesQueued : (0.87 * 4_160_000) / 8 / 4);
    };
    await playBoth(ingest, { seconds: 300, eachTurn: taking }, events);
    expect(events).toEqual(['evidence', 'slow through the destination', 'in time']);
    expect(timesMs[2]).toBeGreaterThanOrEqual(270_000);
    expect(timesMs[2]).toBeLessThan(280_000);
  });

  it.each([0.9, 0.8, 0.5])('that takes %d of the bytes pays for what it gets, and for no more', async (share) => {
    const ingest = new CheckingIngest();
    ingest.takesAll = false;
    const seconds = 600;
    const events: string[] = [];
    let [isTaking, paidTurns] = [false, 0];
    const eachTurn = () => {
      // A stream is paid for while it is live, and while a slow destination takes pictures.
      if (events.at(-1) === 'evidence' || events.at(-1) === 'in time' || isTaking) paidTurns++;
      ingest.take((share * 4_160_000) / 8 / 4);
    };
    const onTaking = (takes: boolean) => void (isTaking = takes);
    const figures = await playBoth(ingest, { seconds, eachTurn, onTaking }, events);
    expect(events).toContain('slow through the destination');
    const sentSeconds = figures.sample(0, new Date(), 30).framesSent / 30;
    expect(sentSeconds).toBeLessThan(seconds - 8);
    expect(paidTurns / 4 / sentSeconds).toBeGreaterThan(0.97);
    expect(paidTurns / 4 / sentSeconds).toBeLessThan(1.03);
  });

  it('that stands still for 4.5 s gets what is due afterwards, at most a second at a time', async () => {
    const ingest = new CheckingIngest();
    let turn = 0;
    const perTurn: number[] = [];
    let frames = 0;
    const eachTurn = () => {
      perTurn.push(frameTimes(ingest.video).length - frames);
      frames = frameTimes(ingest.video).length;
      turn++;
      ingest.takesAll = turn < 40 || turn > 58;
      if (ingest.takesAll) ingest.bytesQueued = 0;
    };
    const figures = (await playBoth(ingest, { seconds: 40, eachTurn })).sample(0, new Date(), 30);
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
    'ends before a keyframe, and the next one goes on as if there had been only one: %s',
    async (_, tracks, endsAfterMs) => {
      const whole = (await send(tracks, { seconds: 30 })).ingest;
      const ended = new CheckingIngest();
      const events: string[] = [];
      const options = mediaOptions(prepared.objects, () => tracks);
      await play(options, ended, { seconds: 30, endsAfterMs }, events);
      const startFrame = Number(/^next from (\d+)$/.exec(events.at(-1)!)![1]);
      const next = (await send(tracks, { startFrame, seconds: 5 })).ingest;
      for (const kind of ['video', 'audio'] as const) {
        const payloads = [ended, next].flatMap((ingest) => framesFrom(ingest[kind], 0)).map(({ payload }) => payload);
        const expected = framesFrom(whole[kind], 0).map(({ payload }) => payload);
        expect(payloads).toEqual(expected.slice(0, payloads.length));
      }
      expect(frameTimes(ended.video)).toHaveLength(startFrame);
      expect(startFrame * 1000).toBeGreaterThan(30 * endsAfterMs);
      expect(isKeyframe(next.video.find(({ payload }) => payload[1] === 1)!)).toBe(true);
    },
  );
});

describe('a segment that is damaged or gone', { timeout: 20_000 }, () => {
  it.each(['damaged', 'gone'] as const)(
    'is replaced by a good item for its time, and plays again once it is mended: %s',
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
      expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
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

it('twenty streams share what they read: each block is read once', { timeout: 20_000 }, async () => {
  let bytesRead = 0;
  const objects = {
    read: async (...[key, range]: Parameters<PreparedClips['objects']['read']>) => {
      bytesRead += range!.end - range!.start + 1;
      return prepared.objects.read(key, range);
    },
  };
  const store = new SegmentStore({ objects, maxCachedBytes: 16 * 1024 * 1024 });
  const playOne = () => {
    const options = mediaOptions(store, () => both);
    return play(options, new CheckingIngest({ keepsMedia: false }), { seconds: 10 });
  };
  await Promise.all(Array.from({ length: 20 }, playOne));
  // The bound is both renditions once, with their headers.
  expect(bytesRead).toBeLessThan(((5.03 + 4) * 4_500_000) / 8 + 4 * 64 * 1024 + 2 * 1024 * 1024);
});
