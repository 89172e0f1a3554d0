// Renders a golden timeline by either backend, without waiting for the clock: an FLV file, and raw samples if encoded.
import { parseCaptions } from '../../lambda/domain/playout/captions.ts';
import { drawingName, variantsOf } from '../../lambda/domain/playout/drawing-names.ts';
import { captionTexts, lookKey, wholeDrawing, withNext } from '../../lambda/domain/playout/drawings.ts';
import type { Drawing } from '../../lambda/domain/playout/drawings.ts';
import { hearsUnder, mixedSoundWithin } from '../../lambda/domain/playout/mixed-sound.ts';
import { joinKey } from '../../lambda/domain/media/object-keys.ts';
import { formatOfJoined, pictureJoinsAt } from '../../lambda/domain/playout/picture-joins.ts';
import { occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import {
  formatName,
  formatOfItem,
  groupsOf,
  renditionOf,
  variantsOfItem,
} from '../../lambda/domain/playout/rendition.ts';
import type { PictureFormat, RenditionFormat } from '../../lambda/domain/playout/rendition.ts';
import { joinsAt } from '../../lambda/domain/playout/sound-joins.ts';
import { tellsOfSound } from '../../lambda/domain/playout/sound-titles.ts';
import { titledPicturesWithin } from '../../lambda/domain/playout/titled-pictures.ts';
import { framesPerSecond as rates } from '../../lambda/domain/shared/video-format.ts';
import { drawTogether } from '../../lambda/publisher/drawing/text-sheet.ts';
import { openFrames } from '../../lambda/publisher/encoded/ffmpeg-media.ts';
import { profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import type { PictureOverlay } from '../../lambda/publisher/ffmpeg/overlays.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { SegmentStore } from '../../lambda/publisher/prepared/segment-store.ts';
import { segmentKey } from '../../lambda/publisher/prepared/segment-format.ts';
import { prepareJoin } from '../../lambda/publisher/preparing/prepare-join.ts';
import { prepareMix } from '../../lambda/publisher/preparing/prepare-mix.ts';
import { formatOfJoin, preparePictureJoin } from '../../lambda/publisher/preparing/prepare-picture-join.ts';
import { CheckingIngest, flvOf } from '../publisher/prepared/checking-ingest.ts';
import { mediaOptions, play } from '../publisher/prepared/prepared-clips.ts';
import type { PreparedClips } from '../publisher/prepared/prepared-clips.ts';
import { fastEncoder } from '../support/media-samples.ts';
import { captionsFile } from './timelines.ts';
import type { GoldenTimeline } from './timelines.ts';

export interface Rendered {
  readonly flv: Buffer;
  /** 48 kHz, s16le, stereo; null: the sound of the file is all that there is. */
  readonly samples: Buffer | null;
}

const { signal } = new AbortController();
const cachedBytes = 512 * 1024 * 1024;

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
 * Prepares all that a timeline sends, and renders it as the prepared backend sends it.
 * @param clips keeps the renditions, which other timelines may send too
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
  const [formats, looks] = [new Map<string, string[]>(), new Map<string, number>()];
  for (const [item, wanted] of renditionsIn(timeline)) {
    const name = formatName(wanted);
    if (formats.get(item.uploadID)?.includes(name)) continue;
    formats.set(item.uploadID, [...(formats.get(item.uploadID) ?? []), name]);
    looks.set(lookKey(item.uploadID, name), 0);
    keys.push(await prepared(work, item, wanted));
  }
  const contentHashes = new Map([...formats.keys()].map((uploadID) => [uploadID, uploadID]));
  const pictures = { entries: video, contentHashes, ...(tellsOfSound(video) && { heard: audio }) };
  const sound = { entries: audio, contentHashes, ...(hearsUnder(video, audio) && { under: { pictures, format } }) };
  const joins = new Map<string, number>();
  for (const { name, bytes } of await composed(work, pictures, sound)) {
    await clips.objects.write(joinKey(name), bytes, { contentType: 'application/octet-stream' });
    joins.set(name, 0);
    keys.push(joinKey(name));
  }
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
  const [overlay = null] = typeof format === 'string' ? [] : await overlaysOf(work, [{ format, first, end }]);
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

/** What is drawn over pictures of several formats, on one sheet. */
async function overlaysOf(
  { files, drawings }: Pick<Work, 'files' | 'drawings'>,
  pictures: readonly { readonly format: PictureFormat; readonly first: number; readonly end: number }[],
): Promise<(PictureOverlay | null)[]> {
  const drawn = pictures.map(({ format: { variant, drawn: whole } }) => drawings.get(variant ?? whole ?? '') ?? null);
  const texts = drawn.map((drawing, index) => {
    const { first, end, format } = pictures[index]!;
    const rate = rates[format.framerate];
    const stretch = { fromSeconds: first / rate, toSeconds: end / rate };
    const { texts: own = [], captions } = drawing ?? {};
    return captions ? [...own, ...captionTexts(captions, parseCaptions(captionsFile), own, stretch)] : own;
  });
  const sheets = await drawTogether(texts, profileOf(pictures[0]!.format), signal);
  return drawn.map((drawing, index) => {
    const { logo = null } = drawing ?? {};
    return drawing && { logo: logo && { ...logo, sourceURL: files.get(logo.uploadID)! }, sheet: sheets[index] ?? null };
  });
}

/** Joins, titled pictures and mixes of the recorded part, by name. */
async function composed(
  work: Work,
  pictures: Parameters<typeof pictureJoinsAt>[0],
  sound: Parameters<typeof joinsAt>[0],
): Promise<{ readonly name: string; readonly bytes: Buffer }[]> {
  const { tools, files, drawings, timeline } = work;
  const { format, fromSeconds, seconds } = timeline;
  const rate = rates[format.framerate];
  const urlOf = (contentHash: string) => files.get(contentHash)!;
  const stretch = { startFrame: Math.round(fromSeconds * rate), frameCount: (seconds + 2) * rate };
  const within = (entries: typeof timeline.video): ItemOccurrence[] => {
    const all = entries.length === 0 ? [] : occurrencesFrom(entries, stretch.startFrame, rate).take(6);
    return [...all].filter(({ startFrame }) => startFrame < stretch.startFrame + stretch.frameCount);
  };
  const made = new Map<string, Buffer>();
  for (const { name, recipe } of within(sound.entries).flatMap((each) => joinsAt(sound, each, rate)))
    if (!made.has(name)) made.set(name, await prepareJoin(tools, { recipe, urlOf }, signal));
  const placed = [
    ...within(pictures.entries).flatMap((occurrence) => pictureJoinsAt(pictures, occurrence, format)),
    ...(pictures.heard ? titledPicturesWithin(pictures, stretch, format) : []),
  ];
  for (const { name, recipe, drawings: told } of placed) {
    if (made.has(name)) continue;
    for (const variant of told) drawings.set(variant.name, variant.drawing);
    const { item, from, firstGroup, groupCount } = recipe;
    const parts = [{ ...item, group: firstGroup }, ...(from ? [from] : [])].map(({ group, ...each }) => {
      return { format: formatOfJoined(formatOfJoin(recipe), each), first: group, end: group + groupCount };
    });
    const overlays = await overlaysOf(work, parts);
    made.set(name, await preparePictureJoin(tools, { recipe, urlOf, encoder: fastEncoder, overlays }, signal));
  }
  if (sound.under)
    for (const { name, recipe } of mixedSoundWithin(sound, stretch, rate))
      made.set(name, await prepareMix(tools, { recipe, urlOf }, signal));
  return [...made].map(([name, bytes]) => ({ name, bytes }));
}
