// The paced sender follows the clock, and notices a slow destination or encoder. All three are fakes here.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ItemOccurrence } from '../../../lambda/domain/playout/play-out.ts';
import { Figures } from '../../../lambda/publisher/replica/figures.ts';
import type { QueuedMessage } from '../../../lambda/publisher/encoded/message-queue.ts';
import type { Tap } from '../../../lambda/publisher/encoded/tap.ts';
import { sendPaced } from '../../../lambda/publisher/encoded/paced-sender.ts';
import { TooSlow } from '../../../lambda/publisher/replica/faults.ts';
import { DestinationError } from '../../../lambda/publisher/destination/destination-error.ts';
import type { MediaMessage } from '../../../lambda/publisher/rtmp/message.ts';
import type { Publisher } from '../../../lambda/publisher/destination/publisher.ts';

const frameMs = 40;
const pictureBytes = 1000;
const gopFrames = 50;
/** The most that the sender may send media ahead of its time. */
const leadMs = 300;

const occurrence: ItemOccurrence = {
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
  frameCount: 1500,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection that accepts data at once, as TCP does, or in the next turn, as TLS does, or not at all. */
class FakePublisher implements Publisher {
  readonly tookAll = true;
  takes: 'at once' | 'a moment later' | 'nothing' = 'at once';
  isOpen = true;
  bytesSent = 3000;
  bytesQueued = 0;
  readonly bytesAcknowledged = null;
  readonly bytesDelivered = null;
  readonly deliveredAgoMs = 0;
  readonly heldSeconds = 0;
  moveRequest: string | null = null;
  readonly sent: { atMs: number; timestampMs: number }[] = [];
  readonly #ending = Promise.withResolvers<DestinationError | null>();
  readonly ended = this.#ending.promise;

  send(messages: readonly MediaMessage[]): void {
    for (const { timestampMs, payload } of messages) {
      this.bytesSent += payload.length;
      this.bytesQueued += payload.length;
      this.sent.push({ atMs: Date.now(), timestampMs });
    }
    if (this.takes === 'at once') this.take();
    if (this.takes === 'a moment later') setTimeout(() => this.take(), 0);
  }

  begin(): never {
    throw new Error('it has begun');
  }

  sendChunks(): never {
    throw new Error('nothing here is in chunks');
  }

  take(bytes = this.bytesQueued): void {
    this.bytesQueued -= bytes;
  }

  end(error: DestinationError | null): void {
    this.#ending.resolve(error);
  }

  async close(): Promise<void> {
    this.end(null);
  }
}

/** A queue with a picture every 40 ms of the timeline. It returns them immediately, unless it is stalled. */
class FakeMessages implements Pick<Tap, 'next' | 'close' | 'endBeforeKeyframe' | 'secondsInHand'> {
  secondsInHand = 1.5;
  #frame = 0;
  #stalled: PromiseWithResolvers<void> | null = null;
  #closed = false;
  #endFrame: number | null = null;
  failure: Error | null = null;

  stall(): void {
    this.#stalled ??= Promise.withResolvers();
  }

  resume(): void {
    this.#stalled?.resolve();
    this.#stalled = null;
  }

  async next(): Promise<QueuedMessage[] | null> {
    await this.#stalled?.promise;
    if (this.#closed) throw new Error('the queue is closed');
    if (this.failure) throw this.failure;
    if (this.#frame === this.#endFrame) return null;
    const frame = this.#frame++;
    return [
      {
        type: 'video',
        timestampMs: frame * frameMs,
        payload: Buffer.alloc(pictureBytes),
        picture: { frame, occurrence, soundStandIn: null },
      },
    ];
  }

  endBeforeKeyframe(): Promise<number> {
    this.#endFrame = Math.ceil((this.#frame + 1) / gopFrames) * gopFrames;
    return Promise.resolve(this.#endFrame);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.resume();
  }
}

/** Begins to send, and returns the reports of the sender. */
function begin({
  publisher = new FakePublisher(),
  messages = new FakeMessages(),
  startInMs = 0,
  endsAfterMs = Infinity,
} = {}) {
  const events: string[] = [];
  const figures = new Figures();
  figures.connected(0, false);
  const startMs = Date.now() + startInMs;
  const over = sendPaced({
    publisher,
    messages,
    figures,
    startMs,
    steadyClock: () => Date.now(),
    onEvidence: () => void events.push('evidence'),
    onSlow: (slow) => void events.push(slow ? 'slow' : 'in time'),
    onTaking: () => {},
    onShort: (isShort) => void events.push(isShort ? 'short' : 'enough'),
    bytesPerSecond: (pictureBytes * 1000) / frameMs,
    framesPerSecond: 1000 / frameMs,
    prepareEnd: () => Date.now() - startMs > endsAfterMs,
    onEnding: (frame) => void events.push(`next from ${frame}`),
  });
  let end: unknown = 'sends';
  const recordEnd = (result: unknown) => {
    end = result;
  };
  over.then(() => recordEnd('ended'), recordEnd);
  return { publisher, messages, figures, events, startMs, end: () => end };
}

/** Advances the fake clock. */
function pass(ms: number): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(ms);
}

/** Used heap in bytes after a garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('a connection whose time is over ends before a keyframe, and everything before that is sent', async () => {
  const { publisher, figures, events, end } = begin({ endsAfterMs: 10_000 });
  await pass(15_000);
  expect(end()).toBe('ended');
  const [, next] = /^next from (\d+)$/.exec(events.at(-1)!)!;
  expect(Number(next) % gopFrames).toBe(0);
  expect(publisher.sent.at(-1)!.timestampMs).toBe((Number(next) - 1) * frameMs);
  expect(figures.sample(0, new Date(), 25)).toMatchObject({
    framesSent: Number(next),
    bytesSent: Number(next) * pictureBytes,
  });
});

describe('the sender, while all goes well,', () => {
  it('sends nothing earlier than its time less the lead, and nothing much later', async () => {
    const { publisher, startMs, end } = begin({ startInMs: 1000 });
    await pass(61_000);
    expect(publisher.sent.at(-1)!.timestampMs).toBeGreaterThan(60_000 + leadMs - 2 * frameMs);
    const aheadMs = publisher.sent.map(({ atMs, timestampMs }) => startMs + timestampMs - atMs);
    expect(Math.max(...aheadMs)).toBeLessThanOrEqual(leadMs);
    expect(Math.min(...aheadMs)).toBeGreaterThanOrEqual(leadMs - 2 * frameMs);
    const timestamps = publisher.sent.map(({ timestampMs }) => timestampMs);
    expect(timestamps).toEqual(timestamps.map((_, index) => index * frameMs));
    expect(end()).toBe('sends');
  });

  it('counts each frame and byte once', async () => {
    const { publisher, figures } = begin();
    await pass(10_000);
    const frames = publisher.sent.length;
    expect(figures.sample(Date.now(), new Date(), 25)).toMatchObject({
      framesSent: frames,
      bytesSent: frames * pictureBytes,
      droppedFrames: 0,
      reconnects: 0,
    });
  });

  it('counts nothing that a connection which is closing does not take', async () => {
    const { publisher, figures } = begin();
    await pass(1000);
    const frames = publisher.sent.length;
    publisher.isOpen = false;
    await pass(400);
    expect(figures.sample(Date.now(), new Date(), 25).framesSent).toBe(frames);
    expect(publisher.sent).toHaveLength(frames);
  });

  it(
    'keeps nothing of what it has sent: 100,000 frames leave neither memory nor timers',
    { timeout: 30_000 },
    async () => {
      const publisher = new FakePublisher();
      const { end } = begin({ publisher });
      await pass(10_000 * frameMs);
      publisher.sent.length = 0;
      const atFirstBytes = usedBytes();
      await pass(100_000 * frameMs);
      expect(publisher.sent.length).toBeGreaterThanOrEqual(100_000);
      publisher.sent.length = 0;
      // A leaked listener on the connection for each frame would need more.
      expect(usedBytes() - atFirstBytes).toBeLessThan(100_000 * 40);
      expect(vi.getTimerCount()).toBe(1);
      publisher.end(null);
      await pass(1);
      expect(end()).toBe('ended');
      expect(vi.getTimerCount()).toBe(0);
    },
  );
});

describe('evidence', () => {
  it.each(['at once', 'a moment later'] as const)(
    'is given once to a destination that takes pictures %s',
    async (takes) => {
      const publisher = new FakePublisher();
      publisher.takes = takes;
      const { events } = begin({ publisher });
      await pass(10_000);
      expect(events).toEqual(['evidence']);
    },
  );

  it('is not given before the first picture has been taken to its last byte', async () => {
    const publisher = new FakePublisher();
    publisher.takes = 'nothing';
    const { events } = begin({ publisher });
    await pass(1000);
    publisher.take(pictureBytes - 1);
    await pass(1000);
    expect(events).toEqual([]);
    publisher.take();
    await pass(100);
    expect(events).toEqual(['evidence']);
  });

  it('is not given while there is no picture', async () => {
    const messages = new FakeMessages();
    messages.stall();
    const { events } = begin({ messages });
    await pass(4000);
    expect(events).toEqual([]);
  });
});

describe('an encoder', () => {
  it('that is slow is reported after 5 s, and again when it has caught up', async () => {
    const { messages, events, publisher, end } = begin();
    await pass(1000);
    messages.stall();
    await pass(5000);
    expect(events).toEqual(['evidence', 'short']);
    await pass(1000);
    expect(events).toEqual(['evidence', 'short', 'slow']);
    messages.resume();
    await pass(2000);
    expect(events).toEqual(['evidence', 'short', 'slow', 'in time', 'enough']);
    expect(publisher.sent.at(-1)!.timestampMs).toBeGreaterThan(9000 + leadMs - 2 * frameMs);
    expect(end()).toBe('sends');
  });

  it('that hardly keeps up is told before anything is late, but not at a start', async () => {
    const messages = new FakeMessages();
    messages.secondsInHand = 0.2;
    const { figures, events } = begin({ messages });
    const inHandOf = async (seconds: number, forMs: number) => {
      messages.secondsInHand = seconds;
      await pass(forMs);
      return events.slice(1);
    };
    expect(await inHandOf(0.2, 4000)).toEqual([]);
    expect(await inHandOf(1.5, 1000)).toEqual([]);
    expect(await inHandOf(0.2, 1500)).toEqual([]);
    expect(await inHandOf(1.5, 100)).toEqual([]);
    expect(await inHandOf(0.2, 2500)).toEqual(['short']);
    expect(await inHandOf(0.8, 5000)).toEqual(['short']);
    expect(figures.sample(Date.now(), new Date(), 25)).toMatchObject({ lateFrames: 0, droppedFrames: 0 });
    expect(await inHandOf(1.5, 100)).toEqual(['short', 'enough']);
  });

  it('that stops leaves frames late, which are dropped once the connection is lost', async () => {
    const { messages, figures } = begin();
    await pass(10_000);
    messages.stall();
    await pass(4000);
    const { lateFrames, framesSent } = figures.sample(Date.now(), new Date(), 25);
    expect(framesSent + lateFrames).toBeGreaterThanOrEqual(14 * 25);
    expect(framesSent + lateFrames).toBeLessThanOrEqual(14 * 25 + 2);
    figures.disconnected();
    const lost = (dueFrame: number) => figures.sample(Date.now(), new Date(), 25, dueFrame);
    expect(lost(14 * 25)).toMatchObject({ lateFrames: 0, droppedFrames: 0 });
    expect(lost(30 * 25).droppedFrames).toBeGreaterThan(15 * 25);
    const before = lost(40 * 25).droppedFrames;
    figures.connected(40 * 25 - 50, false);
    expect(figures.sample(Date.now(), new Date(), 25).droppedFrames).toBeGreaterThanOrEqual(before);
    expect(figures.sample(Date.now(), new Date(), 25).droppedFrames).toBe(40 * 25 - 50 - framesSent);
  });

  it('that gives nothing for 15 s ends the connection, by our fault', async () => {
    const { messages, end } = begin();
    await pass(1000);
    messages.stall();
    await pass(15_000);
    expect(end()).toBe('sends');
    await pass(1000);
    expect(end()).toBeInstanceOf(TooSlow);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that fails ends the connection with its error', async () => {
    const { messages, publisher, end } = begin();
    await pass(1000);
    const sent = publisher.sent.length;
    messages.failure = new Error('no picture');
    await pass(100);
    expect(end()).toBe(messages.failure);
    // One picture may have been read before the failure and waited for its time.
    expect(publisher.sent.length).toBeLessThanOrEqual(sent + 1);
  });
});

describe('a destination', () => {
  it('that takes nothing is given up after 5 s', async () => {
    const { publisher, end } = begin();
    await pass(60_000);
    publisher.takes = 'nothing';
    await pass(4900);
    expect(end()).toBe('sends');
    await pass(300);
    expect(end()).toEqual(new DestinationError('stalled'));
  });

  it('that takes little, but something, is not given up', async () => {
    const { publisher, end } = begin();
    await pass(1000);
    publisher.takes = 'nothing';
    for (let second = 0; second < 20; second++) {
      await pass(1000);
      publisher.take(10);
    }
    expect(end()).toBe('sends');
  });

  it('that takes less than the stream has is to blame for the delay, not the encoder', async () => {
    const { publisher, events, end } = begin();
    await pass(1000);
    publisher.takes = 'nothing';
    const backlogBytes = 5 * 1024 * 1024;
    publisher.bytesSent += backlogBytes;
    publisher.bytesQueued += backlogBytes;
    for (let second = 0; second < 7; second++) {
      await pass(1000);
      publisher.take(10);
    }
    expect(end()).toEqual(new DestinationError('stalled'));
    expect(events).toEqual(['evidence']);
  });

  it('that has nothing to take because no media comes is not to blame', async () => {
    const { messages, events } = begin();
    await pass(1000);
    messages.stall();
    await pass(10_000);
    expect(events).toEqual(['evidence', 'short', 'slow']);
  });

  it.each([
    ['with an error', new DestinationError('connection_lost')],
    ['because we close', null],
  ])('that ends %s ends the sending, even while the sender waits for media', async (_, error) => {
    for (const isStalled of [false, true]) {
      const { publisher, messages, end } = begin();
      await pass(1000);
      if (isStalled) messages.stall();
      await pass(1000);
      const sent = publisher.sent.length;
      publisher.end(error);
      await pass(1);
      expect(end()).toBe(error ?? 'ended');
      await pass(1000);
      expect(publisher.sent.length).toBe(sent);
    }
  });
});
