// Renders a golden timeline with either backend, faster than real time: an FLV file, and raw samples if encoded.
import type { ComposedTrack } from '../../lambda/domain/playout/composed-sound.ts';
import { drawingName, variantsOf } from '../../lambda/domain/playout/drawing-names.ts';
import { lookKey, wholeDrawing, withNext } from '../../lambda/domain/playout/drawings.ts';
import type { Drawing } from '../../lambda/domain/playout/drawings.ts';
import { mixesSoundUnder } from '../../lambda/domain/playout/mixed-sound.ts';
import { partsWithin } from '../../lambda/domain/playout/parts-within.ts';
import type { TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import {
  formatName,
  formatOfItem,
  groupsOf,
  renditionOf,
  variantsOfItem,
} from '../../lambda/domain/playout/rendition.ts';
import type { RenditionFormat } from '../../lambda/domain/playout/rendition.ts';
import { showsSoundTitles } from '../../lambda/domain/playout/sound-titles.ts';
import { framesPerSecond as rates } from '../../lambda/domain/shared/video-format.ts';
import { overlaysOf } from '../../lambda/publisher/drawing/layer-overlays.ts';
import type { DrawingFiles } from '../../lambda/publisher/drawing/layer-overlays.ts';
import { openFrames } from '../../lambda/publisher/encoded/ffmpeg-media.ts';
import { profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { SegmentStore } from '../../lambda/publisher/prepared/segment-store.ts';
import { segmentKey } from '../../lambda/publisher/prepared/segment-format.ts';
import { CheckingIngest, flvOf } from '../publisher/prepared/checking-ingest.ts';
import { makeParts } from '../publisher/prepared/made-parts.ts';
import { mediaOptions, play } from '../publisher/prepared/prepared-clips.ts';
import type { PreparedClips } from '../publisher/prepared/prepared-clips.ts';
import { fastEncoder } from '../support/media-samples.ts';
import { captionsFile } from './timelines.ts';
import type { GoldenTimeline } from './timelines.ts';

export interface Rendered {
  readonly flv: Buffer;
  /** 48 kHz, s16le, stereo; null: only the sound of the file exists. */
  readonly samples: Buffer | null;
}

const { signal } = new AbortController();
const cachedBytes = 512 * 1024 * 1024;
const mostItems = 6;

/** Renders a timeline as the ffmpeg backend encodes it. The clock of its run began at a fixed time. */
export async function renderEncoded(
  tools: MediaTools,
  files: ReadonlyMap<string, string>,
  { video, audio, format, fromSeconds, seconds }: GoldenTimeline,
): Promise<Rendered> {
  const profile = profileOf(format);
  const rate = profile.framesPerSecond;
  const options = {
    tools,
    profile,
    encoder: () => fastEncoder,
    loadTimelines: async () => ({ video, audio }),
    urlOf: async (objectKey: string) => files.get(objectKey)!,
    captionsOf: async () => captionsFile,
    anchoredAtMs: async () => Date.parse('2026-11-24T12:00:57Z'),
    log: (event: string) => console.log(`    ${event}`),
    signal,
  };
  const source = await openFrames(options, Math.round(fromSeconds * rate));
  const ingest = new CheckingIngest();
  const samples: Buffer[] = [];
  for (let frame = 0; frame < seconds * rate; frame++) {
    const { video: picture, samples: heard } = await source.next();
    const timestampMs = Math.round((frame * 1000) / rate);
    if (picture.sequenceHeader) ingest.send([{ type: 'video', timestampMs, payload: picture.sequenceHeader }]);
    ingest.send([{ type: 'video', timestampMs, payload: picture.payload }]);
    samples.push(Buffer.from(heard));
  }
  await source.close();
  return { flv: flvOf(ingest), samples: Buffer.concat(samples) };
}

/**
 * Prepares all media of a timeline, and renders it as the prepared backend sends it.
 * @param clips keeps the renditions, which other timelines may also send
 */
export async function renderPrepared(
  tools: MediaTools,
  files: ReadonlyMap<string, string>,
  clips: PreparedClips,
  timeline: GoldenTimeline,
): Promise<Rendered> {
  const { video, audio, format, fromSeconds, seconds } = timeline;
  const work = { tools, files, clips, timeline, drawings: drawingsOf(timeline) };
  const store = new SegmentStore({ objects: clips.objects, maxCachedBytes: cachedBytes });
  const keys: string[] = [];
  const [formats, looks] = [new Map<string, RenditionFormat[]>(), new Map<string, number>()];
  for (const [item, wanted] of renditionsIn(timeline)) {
    const key = lookKey(item.uploadID, formatName(wanted));
    if (looks.has(key)) continue;
    formats.set(item.uploadID, [...(formats.get(item.uploadID) ?? []), wanted]);
    looks.set(key, 0);
    keys.push(await prepared(work, item, wanted));
  }
  const contentHashes = new Map([...formats.keys()].map((uploadID) => [uploadID, uploadID]));
  const pictures = { entries: video, contentHashes, ...(showsSoundTitles(video) && { heard: audio }) };
  const sound = {
    entries: audio,
    contentHashes,
    ...(mixesSoundUnder(video, audio) && { under: { pictures, format } }),
  };
  const joins = new Map<string, number>();
  keys.push(...(await composed(work, pictures, sound, joins)));
  for (const key of keys) {
    const header = await store.header(key);
    for (let start = 0, block = 0; start < header.mediaBytes; start += 1024 * 1024)
      await store.block(key, header, block++);
  }
  const ingest = new CheckingIngest();
  const { options, turns, unreadable, logged } = mediaOptions(store, () => ({ video, audio }));
  const loadTimelines = async () => {
    return { video: { ...pictures, joins, formats, looks }, audio: { ...sound, joins, looks } };
  };
  const media = { options: { ...options, format, loadTimelines }, turns, unreadable, logged };
  await play(media, ingest, { startFrame: Math.round(fromSeconds * rates[format.framerate]), seconds });
  if (unreadable.length + logged.length > 0) throw new Error([...unreadable, ...logged].join(', '));
  return { flv: flvOf(ingest), samples: null };
}

interface Work {
  readonly tools: MediaTools;
  readonly files: ReadonlyMap<string, string>;
  readonly clips: PreparedClips;
  readonly timeline: GoldenTimeline;
  readonly drawings: Map<string, Drawing>;
}

/** The drawings over the items of a timeline, by name. */
function drawingsOf({ video }: GoldenTimeline): Map<string, Drawing> {
  const drawings = video.flatMap(({ snapshot: { overlays, items, mode } }) => {
    const whole = wholeDrawing(overlays);
    const variants = overlays ? withNext(items, mode).flatMap((item) => variantsOf(overlays, item)) : [];
    return [...(whole ? [{ name: drawingName(whole), drawing: whole }] : []), ...variants];
  });
  return new Map(drawings.map(({ name, drawing }) => [name, drawing]));
}

/** The renditions that a timeline sends. */
function renditionsIn({ video, audio, format }: GoldenTimeline): (readonly [TimelineItem, RenditionFormat])[] {
  const atLevel = (item: TimelineItem) => (item.levels ? [[item, 'sound-14'] as const] : []);
  return [
    ...video.flatMap(({ snapshot: { items } }) =>
      items.flatMap((item) => [
        [item, formatOfItem(format, item)] as const,
        ...variantsOfItem(format, item).map((each) => [item, each] as const),
        ...atLevel(item),
      ]),
    ),
    ...audio.flatMap(({ snapshot: { items } }) =>
      items.flatMap((item) => [[item, 'sound'] as const, ...atLevel(item)]),
    ),
  ];
}

/** @returns the key of its only segment */
async function prepared(work: Work, item: TimelineItem, format: RenditionFormat): Promise<string> {
  const rendition = renditionOf(item.uploadID, item, format);
  const { first, end } = groupsOf(rendition);
  const drawing = typeof format === 'string' ? null : (work.drawings.get(format.variant ?? format.drawn ?? '') ?? null);
  const layer = { startFrame: 0, drawn: drawing };
  const profile = profileOf(work.timeline.format);
  const [overlay = null] = await overlaysOf([layer], { first, end }, profile, drawingFilesOf(work), signal);
  const level = typeof format === 'string' && format !== 'sound' ? item.levels![0]!.level : null;
  const more = { overlay, level, ...(level && { itemSeconds: item.durationSeconds }) };
  const key = segmentKey(rendition, 0);
  const isThere = await work.clips.objects.read(key).then(
    (stream) => !!stream.destroy(),
    () => false,
  );
  if (!isThere) await work.clips.prepare(item, work.files.get(item.uploadID)!, format, fastEncoder, more);
  return key;
}

/** Makes the parts of the recorded stretch. @returns the keys of their objects */
async function composed(
  work: Work,
  video: ComposedTrack,
  audio: ComposedTrack,
  joins: Map<string, number>,
): Promise<string[]> {
  const { tools, files, clips, timeline } = work;
  const { format, fromSeconds, seconds } = timeline;
  const rate = rates[format.framerate];
  const stretch = { startFrame: Math.round(fromSeconds * rate), frameCount: (seconds + 2) * rate };
  const parts = partsWithin({ video, audio }, stretch, format, mostItems);
  const pathOf = (source: string) => files.get(source)!;
  const making = { tools, objects: clips.objects, pathOf, logoPath: files.get('logo')!, captions: captionsFile };
  return makeParts(parts, making, joins);
}

function drawingFilesOf({ files }: Pick<Work, 'files'>): DrawingFiles {
  return { logoURL: async (uploadID) => files.get(uploadID)!, captionsOf: async () => captionsFile };
}
