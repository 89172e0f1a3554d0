// Renditions for tests, made from real files by the real preparation, and played faster than real time.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { mixesSoundUnder } from '../../../lambda/domain/playout/mixed-sound.ts';
import { renditionOf, segmentCount } from '../../../lambda/domain/playout/rendition.ts';
import type { Rendition, RenditionFormat } from '../../../lambda/domain/playout/rendition.ts';
import { createFileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import type { EncoderSettings } from '../../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import { Figures } from '../../../lambda/publisher/replica/figures.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import type { TakeoverInterval } from '../../../lambda/domain/live/takeover-intervals.ts';
import { preparedMedia } from '../../../lambda/publisher/prepared/prepared-media.ts';
import type { SlateMedia } from '../../../lambda/publisher/prepared/slate-playing.ts';
import type { PreparedMediaOptions } from '../../../lambda/publisher/prepared/prepared-media.ts';
import { prepareSegment } from '../../../lambda/publisher/preparing/prepare-segment.ts';
import type { SegmentRequest } from '../../../lambda/publisher/preparing/prepare-segment.ts';
import { blockBytes, readSegmentHeader, segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import type { SegmentHeader } from '../../../lambda/publisher/prepared/segment-format.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import type { Turn } from '../../../lambda/publisher/prepared/send-schedule.ts';
import type { Publisher } from '../../../lambda/publisher/destination/publisher.ts';
import { CheckingIngest } from './checking-ingest.ts';
import { fastEncoder } from '../../support/media-samples.ts';

export const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;
/** Number of repeated turns after which a destination counts as stalled. */
const patience = 5000;
const noSignal = new AbortController().signal;

export interface PreparedClips extends AsyncDisposable {
  readonly objects: FileObjectStore;
  /** Prepares a whole file. The item's upload id serves as content hash. */
  prepare(
    item: TimelineItem,
    path: string,
    format?: RenditionFormat,
    encoder?: EncoderSettings,
    more?: Pick<SegmentRequest, 'level' | 'itemSeconds' | 'overlay'>,
  ): Promise<void>;
}

export async function preparedClips(tools: MediaTools): Promise<PreparedClips> {
  const folder = await mkdtemp(join(tmpdir(), 'prepared-'));
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'test' });
  return {
    objects,
    async prepare(item, path, wanted = format, encoder = fastEncoder, more = {}) {
      const rendition = renditionOf(item.uploadID, item, wanted);
      for (let segment = 0; segment < segmentCount(rendition); segment++) {
        const { kind, hasAudio, dynamicRange, reading } = item;
        const source = { sourceURL: path, kind, hasAudio, dynamicRange, reading };
        const request = { rendition, segment, ...source, encoder, ...more };
        const bytes = await prepareSegment(tools, request, noSignal);
        await objects.write(segmentKey(rendition, segment), bytes, { contentType: 'application/octet-stream' });
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** Reads an object into the memory of a store, because a test's clock does not wait for reads of the sound track. */
export async function keepAtHand(store: SegmentStore, key: string): Promise<void> {
  const header = await store.header(key);
  const blocks = Math.ceil(header.mediaBytes / blockBytes);
  await Promise.all(Array.from({ length: blocks }, (_, block) => store.block(key, header, block)));
}

/** Reads a rendition: the headers of its segments, and all of its messages as a server receives them. */
export async function receiveRendition(
  objects: FileObjectStore,
  rendition: Rendition,
): Promise<{ headers: SegmentHeader[]; ingest: CheckingIngest }> {
  const ingest = new CheckingIngest();
  const headers: SegmentHeader[] = [];
  for (let segment = 0; segment < segmentCount(rendition); segment++) {
    const bytes = await buffer(await objects.read(segmentKey(rendition, segment)));
    const header = readSegmentHeader(bytes);
    const { videoSequenceHeader, audioSequenceHeader } = header;
    if (videoSequenceHeader) ingest.send([{ type: 'video', timestampMs: 0, payload: videoSequenceHeader }]);
    ingest.send([{ type: 'audio', timestampMs: 0, payload: audioSequenceHeader }]);
    ingest.sendChunks([bytes.subarray(header.mediaStart)]);
    headers.push(header);
  }
  return { headers, ingest };
}

export function item(uploadID: string, durationSeconds: number, more: Partial<TimelineItem> = {}): TimelineItem {
  return {
    itemID: `item_${uploadID}`,
    uploadID,
    name: uploadID,
    objectKey: uploadID,
    kind: 'video',
    durationSeconds,
    hasAudio: true,
    ...more,
  };
}

export function timelineOf(...items: readonly TimelineItem[]): TimelineEntry[] {
  return [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot: { mode: 'sequential', seed: 1, items } }];
}

export interface Tracks {
  readonly video: readonly TimelineEntry[];
  readonly audio?: readonly TimelineEntry[];
  /** Existing joins, each with its first sending time in seconds. */
  readonly joins?: ReadonlyMap<string, number>;
  readonly takeovers?: readonly TakeoverInterval[];
  /** Their prepared slates, by upload. */
  readonly slates?: ReadonlyMap<string, SlateMedia>;
}

/** Options of prepared media on a test's clock: streams have their turns only when `play` gives them. */
export function mediaOptions(objects: PreparedMediaOptions['store'] | FileObjectStore, tracks: () => Tracks) {
  const turns = new Set<Turn>();
  const logged: string[] = [];
  const unreadable: string[] = [];
  const options: PreparedMediaOptions = {
    format,
    store: objects instanceof SegmentStore ? objects : new SegmentStore({ objects, maxCachedBytes: 64 * 1024 * 1024 }),
    schedule: {
      add(turn) {
        turns.add(turn);
        return () => turns.delete(turn);
      },
    },
    loadTimelines: async () => timelines(),
    currentTimelines: async () => timelines(),
    onLost: (uploadID, made) => void unreadable.push('segment' in made ? `${uploadID} ${made.segment}` : made.join),
    log: (event) => void logged.push(event),
  };
  const timelines = () => {
    const { video, audio = [], joins = new Map(), takeovers = [], slates = new Map() } = tracks();
    const items = [...video, ...audio].flatMap(({ snapshot }) => snapshot.items);
    const contentHashes = new Map(items.map(({ uploadID }) => [uploadID, uploadID]));
    const pictures = { entries: video, contentHashes, joins };
    const under = mixesSoundUnder(video, audio) && { under: { pictures, format } };
    const taken = { takeovers, pictureEntries: video, slates };
    return { video: { ...pictures, ...taken }, audio: { entries: audio, contentHashes, joins, ...under, ...taken } };
  };
  return { options, turns, logged, unreadable };
}

/**
 * Sends some seconds of a stream from a frame on, as fast as the publisher accepts them. The clock begins at 0.
 * @param events gets the reports of the sender
 */
export async function play(
  { options, turns }: ReturnType<typeof mediaOptions>,
  publisher: Publisher,
  {
    startFrame = 0,
    seconds,
    endsAfterMs = Infinity,
    eachTurn,
    onTaking = () => {},
  }: {
    startFrame?: number;
    seconds: number;
    endsAfterMs?: number;
    eachTurn?: () => unknown;
    onTaking?: (isTaking: boolean) => void;
  },
  events: string[] = [],
): Promise<Figures> {
  let nowMs = 0;
  const figures = new Figures();
  const stream = preparedMedia(options);
  const { profile } = stream;
  const media = await stream.open(startFrame, noSignal);
  figures.connected(media.startFrame, false);
  const { framesPerSecond } = profile;
  const originMs = (media.startFrame * 1000) / framesPerSecond;
  publisher.begin({ profile, originMs, sequenceHeaders: media.sequenceHeaders });
  const sending = media.send({
    publisher,
    figures,
    startMs: 0,
    steadyClock: () => nowMs,
    onEvidence: () => void events.push('evidence'),
    onSlow: (through) => void events.push(through ? `slow through the ${through}` : 'in time'),
    onTaking,
    onShort: () => void events.push('short'),
    prepareEnd: () => nowMs > endsAfterMs,
    onEnding: (frame) => void events.push(`next from ${frame}`),
  });
  const over = sending.then(() => true);
  over.catch(() => {});
  const framesDone = () =>
    figures.sample(0, new Date(), 30).framesSent + figures.sample(0, new Date(), 30).droppedFrames;
  while (nowMs < seconds * 1000 && !(await Promise.race([over, setImmediate(false)]))) {
    nowMs += 250;
    const before = framesDone();
    const isDue = before < Math.floor(((nowMs + 500) * 30) / 1000);
    const isStillReading = () => isDue && publisher.bytesQueued === 0 && framesDone() === before;
    // Reading takes no time on this clock: a stream without data at its turn gets another turn.
    let attempts = 0;
    do {
      for (const turn of turns) turn(nowMs);
      await setImmediate();
      attempts++;
    } while (attempts < patience && isStillReading());
    await eachTurn?.();
  }
  if (seconds > 0) await Promise.race([sending, setImmediate()]);
  await media.close();
  return figures;
}

/** Limit of unacknowledged bytes. Test ingests acknowledge every 263 KB, so a publisher above it is too fast. */
const acknowledgedWithinBytes = 400_000;

/**
 * Resolves once a real ingest has accepted nearly all sent data. For `eachTurn` of `play`: the clock of a test runs
 * faster than ingests accept media.
 */
export async function untilTaken(publisher: Publisher): Promise<void> {
  const isAhead = () =>
    publisher.bytesQueued > 0 ||
    publisher.bytesSent - (publisher.bytesAcknowledged ?? publisher.bytesSent) > acknowledgedWithinBytes;
  while (isAhead()) await setImmediate();
}
