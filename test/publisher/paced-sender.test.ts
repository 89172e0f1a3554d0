// The sender keeps to the clock and notices who does not keep up: the destination, or the encoder. Clock, destination and media are fakes.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Occurrence } from '../../lambda/domain/play-out.ts';
import { Figures } from '../../lambda/publisher/figures.ts';
import type { MessageQueue, QueuedMessage } from '../../lambda/publisher/message-queue.ts';
import { sendPaced, TooSlow } from '../../lambda/publisher/paced-sender.ts';
import { DestinationError } from '../../lambda/publisher/rtmp/destination-error.ts';
import type { MediaMessage } from '../../lambda/publisher/rtmp/message.ts';
import type { RtmpPublisher } from '../../lambda/publisher/rtmp/rtmp-publisher.ts';

const frameMs = 40;
const pictureBytes = 1000;
const gopFrames = 50;
/** Sent ahead of its time at most. */
const leadMs = 300;

const occurrence: Occurrence = {
  item: { itemID: 'item', uploadID: 'upload', objectKey: 'key', kind: 'video', durationSeconds: 60, hasAudio: true },
  entryNumber: 0,
  playlistID: null,
  lap: 0,
  startFrame: 0,
  frameCount: 1500,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Takes what is sent: at once, as TCP does; in the next turn, as TLS does; or not at all. */
class FakePublisher implements RtmpPublisher {
  takes: 'at once' | 'a moment later' | 'nothing' = 'at once';
  bytesSent = 3000;
  bytesQueued = 0;
  readonly bytesAcknowledged = null;
  readonly bytesDelivered = null;
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

/** Pictures on a grid, as fast as they are asked for, or not at all. */
class FakeMessages implements Pick<MessageQueue, 'next' | 'close' | 'endBeforeKeyframe'> {
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
        picture: { frame, occurrence },
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
    isOver: () => Date.now() - startMs > endsAfterMs,
    onEnding: (frame) => void events.push(`next from ${frame}`),
  });
  let end: unknown = 'sends';
  over.then(
    () => (end = 'ended'),
    (error: unknown) => (end = error),
  );
  return { publisher, messages, figures, events, startMs, end: () => end };
}

function pass(ms: number): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(ms);
}

it('a connection whose time is over ends before a keyframe, with all that is before it sent', async () => {
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

describe('in time', () => {
  it('sends nothing earlier than its time and the lead, and nothing much later', async () => {
    const { publisher, startMs, end } = begin({ startInMs: 1000 });
    await pass(61_000);
    expect(publisher.sent.at(-1)!.timestampMs).toBeGreaterThan(60_000 + leadMs - 2 * frameMs);
    const aheadMs = publisher.sent.map(({ atMs, timestampMs }) => startMs + timestampMs - atMs);
    expect(Math.max(...aheadMs)).toBeLessThanOrEqual(leadMs);
    expect(Math.min(...aheadMs)).toBeGreaterThanOrEqual(leadMs - 2 * frameMs);
    expect(publisher.sent.map(({ timestampMs }) => timestampMs)).toEqual(
      publisher.sent.map((_, index) => index * frameMs),
    );
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

  it(
    'holds nothing per tick: 100,000 of them leave no timer, and one listener on the connection',
    { timeout: 30_000 },
    async () => {
      const publisher = new FakePublisher();
      const listen = vi.spyOn(publisher.ended, 'then');
      const { end } = begin({ publisher });
      await pass(100_000 * frameMs);
      expect(publisher.sent.length).toBeGreaterThan(100_000);
      expect(listen).toHaveBeenCalledOnce();
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

  it('is not given before the first picture is taken, whatever else was', async () => {
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

describe('an encoder that is slow', () => {
  it('is told of after 5 s, and again when it has caught up', async () => {
    const { messages, events, publisher, end } = begin();
    await pass(1000);
    messages.stall();
    await pass(5000);
    expect(events).toEqual(['evidence']);
    await pass(1000);
    expect(events).toEqual(['evidence', 'slow']);
    messages.resume();
    await pass(2000);
    expect(events).toEqual(['evidence', 'slow', 'in time']);
    expect(publisher.sent.at(-1)!.timestampMs).toBeGreaterThan(9000 + leadMs - 2 * frameMs);
    expect(end()).toBe('sends');
  });

  it('that gives nothing any more for 15 s ends the connection, by our fault', async () => {
    const { messages, end } = begin();
    await pass(1000);
    messages.stall();
    await pass(15_000);
    expect(end()).toBe('sends');
    await pass(1000);
    expect(end()).toBeInstanceOf(TooSlow);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that fails ends the connection with that', async () => {
    const { messages, publisher, end } = begin();
    await pass(1000);
    const sent = publisher.sent.length;
    messages.failure = new Error('no picture');
    await pass(100);
    expect(end()).toBe(messages.failure);
    // One that had come already was waiting for its time.
    expect(publisher.sent.length).toBeLessThanOrEqual(sent + 1);
  });
});

describe('a destination', () => {
  it('that takes nothing any more is given up after 5 s', async () => {
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

  it('that takes less than the stream has is to blame for what comes late, not the encoder', async () => {
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

  it('that has nothing to take, as no media comes, is not to blame', async () => {
    const { messages, events } = begin();
    await pass(1000);
    messages.stall();
    await pass(10_000);
    expect(events).toEqual(['evidence', 'slow']);
  });

  it.each([
    ['with an error', new DestinationError('connection_lost')],
    ['because we close', null],
  ])('that ends %s ends the sending, also while media is waited for', async (_, error) => {
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
