// One encoder with many connections: each gets all of its data, whatever the others do. The encoder is a fake.
import { beforeEach, describe, expect, it } from 'vitest';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import type { EncodedMessage, QueuedMessage } from '../../../lambda/publisher/encoded/message-queue.ts';
import { SharedEncoders } from '../../../lambda/publisher/encoded/shared-encoder.ts';
import type { Encoding } from '../../../lambda/publisher/encoded/shared-encoder.ts';
import type { Tap } from '../../../lambda/publisher/encoded/tap.ts';
import { DestinationError } from '../../../lambda/publisher/destination/destination-error.ts';

const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' });
const frameMs = 1000 / 30;
const soundMs = 1024 / 48;
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

/** Returns pictures and sound in order from a frame on, sound a frame later, as the queue of an encoder does. */
class FakeEncoding {
  readonly secondsInHand = 1.5;
  failure: Error | null = null;
  isClosed = false;
  readonly startFrame: number;
  #frame: number;
  #sound = 0;

  constructor(startFrame: number) {
    this.startFrame = startFrame;
    this.#frame = startFrame;
  }

  async next(): Promise<EncodedMessage[]> {
    if (this.failure) throw this.failure;
    const videoMs = (this.#frame - this.startFrame) * frameMs;
    const audioMs = this.#sound * soundMs + frameMs;
    if (Math.round(audioMs) <= Math.round(videoMs)) {
      const payload = Buffer.from(`sound ${this.#sound++}`);
      return [{ type: 'audio', timestampMs: 0, exactMs: audioMs, payload, picture: null, isKeyframe: false }];
    }
    const frame = this.#frame++;
    const isKeyframe = frame % profile.gopFrames === 0;
    const common = { type: 'video', timestampMs: 0, exactMs: videoMs } as const;
    const payload = Buffer.from(`picture ${frame}`);
    const picture = { ...common, payload, picture: { frame, occurrence, soundStandIn: null }, isKeyframe };
    if (frame !== this.startFrame) return [picture];
    return [{ ...common, payload: Buffer.from('header'), picture: null, isKeyframe: false }, picture];
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

let encoders: SharedEncoders;
let opened: FakeEncoding[];
beforeEach(() => {
  encoders = new SharedEncoders();
  opened = [];
});

const { signal } = new AbortController();
function tapAt(startFrame: number, ending = signal): Promise<Tap> {
  const open = async (frame: number): Promise<Encoding> => {
    const messages = new FakeEncoding(frame);
    opened.push(messages);
    return { messages, audioSequenceHeader: Buffer.from('sound header') };
  };
  return encoders.tap({ key: 'stream', profile, startFrame, open }, ending);
}

async function take(tap: Tap, pictures: number): Promise<QueuedMessage[]> {
  const taken: QueuedMessage[] = [];
  for (let left = pictures; left > 0;) {
    const messages = await tap.next();
    if (messages === null) break;
    taken.push(...messages);
    if (messages.at(-1)!.picture) left--;
  }
  return taken;
}

const words = (messages: readonly QueuedMessage[]) => messages.map(({ payload }) => payload.toString());
const soundOf = (messages: readonly QueuedMessage[]) =>
  messages.filter(({ type }) => type === 'audio').map(({ payload }) => Number(payload.toString().slice(6)));
const framesOf = (messages: readonly QueuedMessage[]) => messages.flatMap(({ picture }) => picture?.frame ?? []);

describe('connections that begin together', () => {
  it('get the same messages from one encoder, however fast each takes them', async () => {
    const [one, other] = await Promise.all([tapAt(0), tapAt(0)]);
    const taken = await take(one, 300);
    expect(opened).toHaveLength(1);
    expect(words(taken).slice(0, 2)).toEqual(['header', 'picture 0']);
    expect(await take(other, 300)).toEqual(taken);
    const pictures = taken.filter(({ picture }) => picture);
    expect(pictures.map(({ timestampMs }) => timestampMs)).toEqual(pictures.map((_, n) => Math.round(n * frameMs)));
  });
});

describe('a connection that begins later', () => {
  it('begins with the last keyframe, its sequence header first, on a time of its own', async () => {
    const first = await tapAt(0);
    await take(first, 100);
    const later = await tapAt(130);
    expect([later.startFrame, opened.length]).toEqual([60, 1]);
    const taken = await take(later, 300);
    expect(words(taken).slice(0, 2)).toEqual(['header', 'picture 60']);
    const pictures = taken.filter(({ picture }) => picture);
    expect(framesOf(taken)).toEqual(pictures.map((_, index) => 60 + index));
    expect(pictures.map(({ timestampMs }) => timestampMs)).toEqual(pictures.map((_, n) => Math.round(n * frameMs)));
    // Sound keeps its distance from the pictures: it is on the encoder's grid.
    const firstSound = taken.find(({ type }) => type === 'audio')!;
    const index = soundOf([firstSound])[0]!;
    expect(firstSound.timestampMs).toBe(Math.round(index * soundMs + frameMs - 2000));
    expect(Math.abs(firstSound.timestampMs - frameMs)).toBeLessThanOrEqual(soundMs / 2 + 1);
    expect(framesOf(await take(first, 300))).toEqual(pictures.map((_, n) => 100 + n));
  });

  it('gets an encoder of its own where the running one is far behind', async () => {
    const first = await tapAt(0);
    await take(first, 10);
    expect((await tapAt(400)).startFrame).toBe(400);
    expect(opened).toHaveLength(2);
  });
});

describe('a connection that ends before a keyframe', () => {
  it.each([0, 7, 59])('is followed by one with all that is left, begun at frame %i', async (startFrame) => {
    const [ending, staying] = await Promise.all([tapAt(startFrame), tapAt(startFrame)]);
    const before = await take(ending, 100);
    const endFrame = await ending.endBeforeKeyframe();
    expect(endFrame % profile.gopFrames).toBe(0);
    expect(endFrame - framesOf(before).at(-1)!).toBeGreaterThan(30);
    const next = await tapAt(endFrame);
    expect([next.startFrame, opened.length]).toEqual([endFrame, 1]);
    before.push(...(await take(ending, 1000)));
    expect(await ending.next()).toBeNull();
    await ending.close();
    const after = await take(next, 200);
    const joined = [...before, ...after];
    expect(framesOf(joined)).toEqual(framesOf(joined).map((_, index) => startFrame + index));
    expect(soundOf(joined)).toEqual(soundOf(joined).map((_, index) => index));
    const stayed = await take(staying, framesOf(joined).length);
    expect(framesOf(stayed)).toEqual(framesOf(joined));
  });
});

describe('a connection that takes nothing', () => {
  it('ends once 20 s wait for it, and the others go on', async () => {
    const [slow, fast] = await Promise.all([tapAt(0), tapAt(0)]);
    const taken = await take(fast, 20 * 30);
    expect(slow.secondsInHand).toBeCloseTo(20 + 1.5);
    taken.push(...(await take(fast, 30)));
    await expect(slow.next()).rejects.toEqual(new DestinationError('stalled'));
    expect(slow.secondsInHand).toBeLessThan(22);
    expect(framesOf(taken)).toHaveLength(21 * 30);
  });
});

describe('an encoder', () => {
  it('ends with its last connection, and the next one gets another', async () => {
    const [one, other] = await Promise.all([tapAt(0), tapAt(0)]);
    await one.close();
    await one.close();
    expect(opened[0]!.isClosed).toBe(false);
    await expect(one.next()).rejects.toThrow('left its encoder');
    await other.close();
    expect(opened[0]!.isClosed).toBe(true);
    await tapAt(0);
    expect(opened).toHaveLength(2);
  });

  it('that fails tells all of them, and is not tapped any more', async () => {
    const [one, other] = await Promise.all([tapAt(0), tapAt(0)]);
    opened[0]!.failure = new Error('nothing of it can be played');
    await expect(one.next()).rejects.toBe(opened[0]!.failure);
    await expect(other.next()).rejects.toBe(opened[0]!.failure);
    await tapAt(0);
    expect(opened).toHaveLength(2);
  });

  it('that does not open holds up nobody who gives up', async () => {
    const giving = new AbortController();
    const open = (_: number, ending: AbortSignal) =>
      new Promise<Encoding>((_resolve, reject) => {
        ending.addEventListener('abort', () => reject(new Error('ended')));
      });
    const waiting = encoders.tap({ key: 'other', profile, startFrame: 0, open }, giving.signal);
    giving.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
  });
});
