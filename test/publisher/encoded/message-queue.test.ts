// Pictures and sound leave the queue in order, at exact times, and not too early. The encoders are fakes.
import { describe, expect, it } from 'vitest';
import type { Framerate } from '../../../lambda/domain/shared/video-format.ts';
import { latencySamples } from '../../../lambda/publisher/ffmpeg/audio-encoder.ts';
import type { AudioEncoder } from '../../../lambda/publisher/ffmpeg/audio-encoder.ts';
import { audioFormat, profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import type { FrameSource } from '../../../lambda/publisher/encoded/ffmpeg-media.ts';
import { MessageQueue } from '../../../lambda/publisher/encoded/message-queue.ts';
import type { QueuedMessage } from '../../../lambda/publisher/encoded/message-queue.ts';

const occurrence = {
  item: {
    itemID: 'item',
    uploadID: 'upload',
    name: 'clip',
    objectKey: 'key',
    kind: 'video',
    durationSeconds: 60,
    hasAudio: true,
  },
  entryNumber: 0,
  playlistID: null,
  lap: 0,
  startFrame: 0,
  frameCount: 1800,
} as const;

/**
 * An encoder like ffmpeg's: begins with a priming frame, and returns a frame once 8192 samples after it are written.
 */
class FakeEncoder implements AudioEncoder {
  readonly sequenceHeader = Promise.resolve(Buffer.from('header'));
  writtenSamples = 0;
  closed = false;
  #frames = 0;
  #change = Promise.withResolvers<void>();

  write(samples: Buffer): void {
    this.writtenSamples += samples.length / audioFormat.bytesPerSample;
    this.#notify();
  }

  async readFrame(): Promise<Buffer> {
    while (!this.closed && this.writtenSamples < this.#frames * audioFormat.samplesPerAacFrame + latencySamples)
      await this.#change.promise;
    if (this.closed) throw new Error('the audio encoder is gone');
    return Buffer.from(`sound ${this.#frames++}`);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#notify();
  }

  #notify(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

interface Script {
  readonly framerate?: Framerate;
  readonly startFrame?: number;
  readonly sequenceHeaders?: Readonly<Record<number, string>>;
  /** Delays the reading of a frame; its failure fails the reading. */
  readonly before?: (index: number) => Promise<void>;
}

function queueOf({ framerate = 'f_30', startFrame = 0, sequenceHeaders = { 0: 'A' }, before }: Script = {}) {
  const profile = profileOf({ quality: 'q_720p', framerate, videoCodec: 'h264' });
  const encoder = new FakeEncoder();
  const state = { framesRead: 0, sourceClosed: false };
  const closing = Promise.withResolvers<never>();
  closing.promise.catch(() => {});
  const source: FrameSource = {
    async next() {
      const index = state.framesRead;
      await (before && Promise.race([before(index), closing.promise]));
      state.framesRead++;
      const header = sequenceHeaders[index];
      const video = {
        index,
        keyframe: (startFrame + index) % profile.gopFrames === 0,
        compositionDelayFrames: 1,
        payload: Buffer.from(`picture ${index}`),
        ...(header === undefined ? {} : { sequenceHeader: Buffer.from(header) }),
      };
      return {
        frame: startFrame + index,
        video,
        samples: Buffer.alloc(profile.samplesPerFrame * audioFormat.bytesPerSample),
        occurrence,
        soundStandIn: null,
      };
    },
    async close() {
      state.sourceClosed = true;
      closing.reject(new Error('the source is closed'));
    },
  };
  const queue = new MessageQueue(source, encoder, profile, startFrame);
  return {
    queue,
    encoder,
    state,
    profile,
    take: async (count: number): Promise<QueuedMessage[]> => {
      const messages: QueuedMessage[] = [];
      while (messages.length < count) messages.push(...(await queue.next()));
      return messages;
    },
  };
}

function timestamps(messages: readonly QueuedMessage[], type: 'video' | 'audio'): number[] {
  return messages
    .filter((message) => message.type === type && message.payload.toString() !== 'A')
    .map(({ timestampMs }) => timestampMs);
}

/** Resolves when everything has run that needs no timer and nothing outside the process. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe.each<[Framerate, number]>([
  ['f_24', 24],
  ['f_25', 25],
  ['f_30', 30],
  ['f_60', 60],
])('at %s', (framerate, framesPerSecond) => {
  it.each([0, 1_000_007])('every message of ten minutes from frame %i on has its exact time', async (startFrame) => {
    const { take, queue } = queueOf({ framerate, startFrame });
    const messages = await take(600 * (framesPerSecond + 46));
    const video = timestamps(messages, 'video');
    const audio = timestamps(messages, 'audio');
    expect(video).toEqual(video.map((_, index) => Math.round((index * 1000) / framesPerSecond)));
    // A picture is shown one frame after its decoding. Sound is delayed by the same time.
    expect(audio).toEqual(audio.map((_, index) => Math.round((index * 1024) / 48 + 1000 / framesPerSecond)));
    await queue.close();
  });

  it('pictures and sound come in one order of time, and none is left out', async () => {
    const { take, queue } = queueOf({ framerate });
    const messages = await take(1000);
    const times = messages.map(({ timestampMs }) => timestampMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    // Frame 0 of the encoder is the priming frame, which has no sound.
    const sound = messages.filter(({ type }) => type === 'audio').map(({ payload }) => payload.toString());
    expect(sound).toEqual(sound.map((_, index) => `sound ${index + 1}`));
    const pictures = messages.filter(({ picture }) => picture !== null);
    expect(pictures.map(({ payload }) => payload.toString())).toEqual(pictures.map((_, index) => `picture ${index}`));
    expect(pictures.map(({ picture }) => picture!.frame)).toEqual(pictures.map((_, index) => index));
    await queue.close();
  });
});

it('the queue gives a sequence header before the first picture, and again only where it differs', async () => {
  const { take, queue } = queueOf({ sequenceHeaders: { 0: 'A', 10: 'A', 20: 'B', 30: 'B' } });
  const messages = await take(120);
  const headers = messages.flatMap(({ type, picture, payload }, index) => {
    const isHeader = type === 'video' && picture === null;
    return isHeader ? [`${payload.toString()} before ${messages[index + 1]!.payload.toString()}`] : [];
  });
  expect(headers).toEqual(['A before picture 0', 'B before picture 20']);
  await queue.close();
});

it('the queue reads at most 1.5 s ahead of a reader that waits, and goes on when the reader does', async () => {
  const { take, state, encoder, profile, queue } = queueOf();
  await queue.ready();
  for (let turn = 0; turn < 50; turn++) await settled();
  expect(state.framesRead).toBe(1.5 * profile.framesPerSecond);
  expect(encoder.writtenSamples).toBe(1.5 * audioFormat.sampleRate);
  const taken = (await take(500)).filter(({ picture }) => picture !== null).length;
  await settled();
  expect(state.framesRead).toBeLessThanOrEqual(taken + 1.5 * profile.framesPerSecond);
  await queue.close();
});

describe('a failure of the media', () => {
  const failure = new Error('nothing of it can be played');

  it('at the first picture is told to who waits for the queue to be ready', async () => {
    const { queue } = queueOf({ before: () => Promise.reject(failure) });
    await expect(queue.ready()).rejects.toBe(failure);
    await queue.close();
  });

  it('is told when everything before it has been taken', async () => {
    const { queue } = queueOf({ before: async (index) => (index < 60 ? undefined : Promise.reject(failure)) });
    const pictures: string[] = [];
    const takeAll = async () => {
      for (;;) {
        const messages = await queue.next();
        for (const { picture, payload } of messages) if (picture) pictures.push(payload.toString());
      }
    };
    await expect(takeAll()).rejects.toBe(failure);
    // The last pictures wait for sound that is still in the encoder.
    expect(pictures.length).toBeGreaterThan(60 - 8);
    expect(pictures).toEqual(pictures.map((_, index) => `picture ${index}`));
    await expect(queue.next()).rejects.toBe(failure);
    await queue.close();
  });

  it('of the audio encoder is told too', async () => {
    const { queue, encoder, take } = queueOf();
    await take(10);
    await encoder.close();
    await expect(take(1000)).rejects.toThrow('the audio encoder is gone');
    await queue.close();
  });
});

describe('closing the queue', () => {
  it('rejects who waits for a picture, and closes source and encoder', async () => {
    const { queue, state, encoder } = queueOf({ before: () => new Promise(() => {}) });
    const waiting = [queue.ready(), queue.next()];
    const errors = Promise.allSettled(waiting);
    await queue.close();
    expect((await errors).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([state.sourceClosed, encoder.closed]).toEqual([true, true]);
  });

  it('rejects who waits for sound', async () => {
    const { queue, take } = queueOf({ before: (index) => (index < 5 ? Promise.resolve() : new Promise(() => {})) });
    const taking = Promise.allSettled([take(100)]);
    await settled();
    await queue.close();
    expect((await taking)[0].status).toBe('rejected');
  });

  it('may be asked for twice, even while nobody reads', async () => {
    const { queue, state } = queueOf();
    await queue.ready();
    await Promise.all([queue.close(), queue.close()]);
    const { framesRead } = state;
    await settled();
    expect(state.framesRead).toBe(framesRead);
  });
});
