// Two months of a prepared stream, to an ingest that checks every byte of it. SIMULATED_DAYS=5 makes it five days.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { connectionEndsAfterMs } from '../../../lambda/domain/destinations/ingest-limits.ts';
import { frameCountOf } from '../../../lambda/domain/playout/play-out.ts';
import { parseRtmpURL } from '../../../lambda/domain/destinations/ways/rtmp.ts';
import { Figures } from '../../../lambda/publisher/replica/figures.ts';
import { preparedMedia } from '../../../lambda/publisher/prepared/prepared-media.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { SendSchedule } from '../../../lambda/publisher/prepared/send-schedule.ts';
import { mediaChunkSize, messageType } from '../../../lambda/publisher/rtmp/message.ts';
import { startPublishing } from '../../../lambda/publisher/rtmp/start-publishing.ts';
import { item, timelineOf } from './prepared-clips.ts';
import { StrictIngest } from './strict-ingest.ts';
import type { Acknowledging } from './strict-ingest.ts';
import { labelOffset, objectsOf, syntheticSegments } from './synthetic-renditions.ts';
import { VirtualClock } from './virtual-clock.ts';

const dayMs = 86_400_000;
const days = Number(process.env['SIMULATED_DAYS'] ?? 60);
const rate = 24;
const format = { quality: 'q_720p', framerate: 'f_24', videoCodec: 'h264' } as const;
/** Items that last no whole number of pictures, AAC frames or GOPs. */
const items = [item('a', 61.03), item('b', 17.37), item('c', 7.01)];
const frameCounts = items.map((each) => frameCountOf(each, rate));
const url = parseRtmpURL('rtmp://live.example.com/live')!;

const pictureMs = 1000 / rate;
/** A tick is a third of a millisecond: pictures and frames of sound both last whole numbers of ticks. */
const ticksPerMs = 3;
const pictureTicks = (1000 * ticksPerMs) / rate;
const soundFrameTicks = (1024 * ticksPerMs) / 48;
/**
 * Tolerance: a time is the sum of two times, each rounded to the millisecond by up to a tick. The time of the
 * connection's first picture, the origin of times, is such a sum too.
 */
const roundingTicks = 4;
const timestampRange = 2 ** 32;
const timestampRangeTicks = timestampRange * ticksPerMs;

/** Judges the messages of one kind: each must be the next of the loop, at its time. */
class JudgedTrack {
  count = 0;
  expectedTicks = 0;
  item = -1;
  frame = 0;
  readonly #name: string;
  readonly #label: number;
  readonly #frameTicks: number;

  constructor(name: 'picture' | 'sound', label: number, frameTicks: number) {
    this.#name = name;
    this.#label = label;
    this.#frameTicks = frameTicks;
  }

  /** @returns the fault of the message, or null */
  take(timestampMs: number, bytes: Buffer, start: number): string | null {
    const expectedTicks = this.expectedTicks;
    const offTicks = Math.abs(timestampMs * ticksPerMs - expectedTicks);
    this.count++;
    this.expectedTicks += this.#frameTicks;
    if (this.expectedTicks >= timestampRangeTicks) this.expectedTicks -= timestampRangeTicks;
    const label = start + this.#label;
    const item = bytes[label]!;
    const frame = (bytes[label + 1]! << 8) | bytes[label + 2]!;
    const [lastItem, lastFrame] = [this.item, this.frame];
    this.item = item;
    this.frame = frame;
    if (offTicks > roundingTicks && timestampRangeTicks - offTicks > roundingTicks)
      return `${this.#name} at ${timestampMs} ms for ${expectedTicks / ticksPerMs} ms`;
    const follows = item === lastItem ? frame === lastFrame + 1 : this.#isJoin(lastItem, lastFrame, item, frame);
    if (follows) return null;
    return `${this.#name} ${item}/${frame} after ${lastItem}/${lastFrame}`;
  }

  #isJoin(lastItem: number, lastFrame: number, item: number, frame: number): boolean {
    if (lastItem === -1) return true;
    const count = (frameCounts[lastItem]! * pictureTicks) / this.#frameTicks;
    const wasWhole = [Math.floor(count), Math.ceil(count)].includes(lastFrame + 1);
    return wasWhole && item === (lastItem + 1) % items.length && frame === 0;
  }
}

/** Judges the messages of a stream over all its connections, pictures and sound separately. */
class Judge {
  readonly faults: string[] = [];
  readonly #pictures = new JudgedTrack('picture', labelOffset.video, pictureTicks);
  readonly #sound = new JudgedTrack('sound', labelOffset.audio, soundFrameTicks);

  get pictures(): number {
    return this.#pictures.count;
  }

  get soundFrames(): number {
    return this.#sound.count;
  }

  /** Begins a connection: its messages must continue after those of the previous one. */
  begin(): void {
    this.#pictures.expectedTicks = 0;
    // Pictures are shown one picture after their decoding. Sound is delayed by the same time.
    this.#sound.expectedTicks = this.soundFrames * soundFrameTicks + pictureTicks - this.pictures * pictureTicks;
  }

  readonly take = (type: number, timestampMs: number, bytes: Buffer, start: number): void => {
    if (bytes[start + 1] !== 1) return;
    const fault = (type === messageType.video ? this.#pictures : this.#sound).take(timestampMs, bytes, start);
    if (fault !== null && this.faults.length < 5) this.faults.push(fault);
  };
}

interface Streaming {
  readonly clock: VirtualClock;
  readonly schedule: SendSchedule;
  readonly store: SegmentStore;
}

/** Prepares a stream without a destination. Reads all media into the cache, so that later reads take no time. */
async function streaming(pictureBytes?: number): Promise<Streaming> {
  const segments = syntheticSegments(items, format, pictureBytes);
  const store = new SegmentStore({ objects: objectsOf(segments), maxCachedBytes: 1024 ** 3 });
  for (const key of segments.keys()) {
    const header = await store.header(key);
    for (let block = 0; block < header.blockChecksums.length; block++) await store.block(key, header, block);
  }
  const clock = new VirtualClock();
  return { clock, store, schedule: new SendSchedule(clock.steadyClock) };
}

/**
 * Sends a stream over one connection, from the position that the judge has reached.
 * @param untilMs time at which the connection is closed, unless it ends earlier
 */
async function connection(
  { clock, schedule, store }: Streaming,
  judge: Judge,
  {
    untilMs,
    endsAtMs = Infinity,
    acknowledging = 'total',
    eachTurn = () => {},
  }: { untilMs: number; endsAtMs?: number; acknowledging?: Acknowledging; eachTurn?: () => void },
) {
  const startFrame = judge.pictures;
  judge.begin();
  const ingest = new StrictIngest(acknowledging, judge.take);
  const publisher = await startPublishing(ingest.socket, url, 'key', {});
  const contentHashes = new Map(items.map(({ uploadID }) => [uploadID, uploadID]));
  const timelines = { video: { entries: timelineOf(...items), contentHashes }, audio: { entries: [], contentHashes } };
  const events: string[] = [];
  const log = (event: string) => void events.push(event);
  const loadTimelines = async () => timelines;
  const loading = { loadTimelines, currentTimelines: loadTimelines };
  const prepared = preparedMedia({ format, store, schedule, ...loading, onLost: () => log('lost'), log });
  const media = await prepared.open(startFrame, new AbortController().signal);
  publisher.send(media.sequenceHeaders);
  let nextFrame: number | null = null;
  let isOver = false;
  const sending = media.send({
    publisher,
    figures: new Figures(),
    startMs: startFrame * pictureMs,
    steadyClock: clock.steadyClock,
    onEvidence: () => log('evidence'),
    onSlow: (through) => log(`slow: ${through}`),
    onTaking: () => {},
    onShort: () => log('short'),
    prepareEnd: () => clock.nowMs > endsAtMs,
    onEnding: (frame) => void (nextFrame = frame),
  });
  const ended = sending.catch((error: unknown) => log(String(error))).finally(() => (isOver = true));
  await clock.runUntil(untilMs, () => {
    eachTurn();
    return !isOver;
  });
  await publisher.close();
  await ended;
  await media.close();
  return { ingest, publisher, events, nextFrame: nextFrame as number | null };
}

/** Used heap in bytes after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

it(`${days} days over one connection: every message comes at its time, and no more memory is taken`, async () => {
  const stream = await streaming();
  const heap: number[] = [];
  let [leastAheadMs, mostAheadMs] = [Infinity, -Infinity];
  const judge = new Judge();
  const eachTurn = () => {
    // During the first seconds the media is not yet read ahead.
    if (stream.clock.nowMs < 10_000) return;
    const aheadMs = judge.pictures * pictureMs - stream.clock.nowMs;
    if (aheadMs < leastAheadMs) leastAheadMs = aheadMs;
    if (aheadMs > mostAheadMs) mostAheadMs = aheadMs;
    if (stream.clock.nowMs >= (heap.length + 1) * (days / 4) * dayMs) heap.push(heapBytes());
  };
  const { ingest, publisher, events } = await connection(stream, judge, { untilMs: days * dayMs, eachTurn });
  const gibibytes = (ingest.bytesReceived / 2 ** 30).toFixed(1);
  const heapMebibytes = heap.map((bytes) => (bytes / 2 ** 20).toFixed(1));
  console.log(
    `${judge.pictures} pictures and ${judge.soundFrames} frames of sound in ${gibibytes} GiB; ` +
      `${leastAheadMs.toFixed(0)} to ${mostAheadMs.toFixed(0)} ms ahead; heap ${heapMebibytes.join(', ')} MiB`,
  );
  expect(judge.faults).toEqual([]);
  expect(events).toEqual(['evidence']);
  expect(judge.pictures).toBeGreaterThanOrEqual((days * dayMs) / pictureMs);
  expect(mostAheadMs - leastAheadMs).toBeLessThanOrEqual(50);
  expect(publisher.bytesAcknowledged).toBeGreaterThan(publisher.bytesSent - 300_000);
  expect(heap.at(-1)! - heap[0]!).toBeLessThan(2 ** 20);
});

it('two days over connections that end before 8 hours: nothing is lost or doubled between them', async () => {
  const stream = await streaming();
  const random = [0, 0.5, 0.999];
  const judge = new Judge();
  const lengthsMs: number[] = [];
  while (stream.clock.nowMs < 2 * dayMs) {
    const beganMs = stream.clock.nowMs;
    const drawn = random[lengthsMs.length % random.length]!;
    const endsAtMs = beganMs + connectionEndsAfterMs('live-api-s.facebook.com', drawn);
    const { events, nextFrame } = await connection(stream, judge, { untilMs: Infinity, endsAtMs });
    expect(judge.faults).toEqual([]);
    expect(events).toEqual(['evidence']);
    expect(nextFrame).toBe(judge.pictures);
    lengthsMs.push(stream.clock.nowMs - beganMs);
  }
  expect(lengthsMs.length).toBeGreaterThanOrEqual(6);
  expect(Math.max(...lengthsMs)).toBeLessThan(8 * 3_600_000);
});

it('media of the ffmpeg backend has its times over all wraps, even after hours without any', async () => {
  const received: number[] = [];
  const ingest = new StrictIngest('total', (type, timestampMs, bytes, start) => {
    if (type === messageType.video && bytes[start + 1] === 1) received.push(timestampMs);
  });
  const publisher = await startPublishing(ingest.socket, url, 'key', {});
  const payload = Buffer.alloc(3 * mediaChunkSize + 1);
  payload.set([0x27, 1]);
  const borders = [2 ** 24 - 1, 2 ** 24, 2 ** 31, 2 ** 32, 2 ** 32 + 2 ** 24, 60 * dayMs];
  const sent = borders.flatMap((border) =>
    Array.from({ length: 100 }, (_, index) => Math.round(border + (index - 50) * pictureMs)),
  );
  sent.sort((a, b) => a - b);
  for (const timestampMs of sent) publisher.send([{ type: 'video', timestampMs, payload }]);
  expect(received).toEqual(sent.map((timestampMs) => timestampMs % timestampRange));
  await publisher.close();
});

describe('a server that acknowledges', () => {
  it.each(['total', 'total until 2 GiB', 'increment'] as const)(
    'the %s gets a good stream beyond 2 and 4 GiB',
    async (acknowledging) => {
      const judge = new Judge();
      const stream = await streaming(40_000);
      const untilMs = 76 * 60_000;
      const { ingest, events, publisher } = await connection(stream, judge, { untilMs, acknowledging });
      expect(judge.faults).toEqual([]);
      expect(events).toEqual(['evidence']);
      expect(ingest.bytesReceived).toBeGreaterThan(2 ** 32);
      expect(publisher.bytesAcknowledged).toBeLessThanOrEqual(publisher.bytesSent);
      if (acknowledging !== 'total until 2 GiB')
        expect(publisher.bytesAcknowledged).toBeGreaterThan(publisher.bytesSent - 1_000_000);
    },
  );
});
