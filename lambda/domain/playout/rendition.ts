// What uploads are prepared to: the formats, lengths and segments of renditions.
import { variantPart } from './drawings.ts';
import type { Aspect, FramingName } from './look.ts';
import type { DrawingName, VariantName } from './overlays.ts';
import { frameCountOf } from './play-out.ts';
import type { TimelineItem } from './play-out.ts';
import { firstSoundFrameFrom } from './prepared-play-out.ts';
import { framerates, framesPerSecond, qualities, videoCodecs } from '../shared/video-format.ts';
import type { DynamicRange, Framerate, Quality, VideoCodec } from '../shared/video-format.ts';

/** A rendition of pictures has a quality, framerate and codec. A rendition of sound is played beside all of them. */
export type RenditionFormat = PictureFormat | SoundFormat;

/** Sound as loud as it is, or at a loudness in LUFS, such as `sound-14`. */
export type SoundFormat = 'sound' | `sound-${number}`;

export interface PictureFormat {
  readonly quality: Quality;
  readonly framerate: Framerate;
  readonly videoCodec: VideoCodec;
  /** Absent: 16:9. */
  readonly aspect?: Exclude<Aspect, '16:9'>;
  /** How pictures of another shape are put into it; absent: with black bars. */
  readonly framing?: FramingName;
  /** What is drawn over them; absent: nothing. */
  readonly drawn?: DrawingName;
  /** What is drawn over those of a part besides, which is all that the rendition has; absent: it has all pictures. */
  readonly variant?: VariantName;
}

/** What of an item decides in which format of its stream it is sent. */
export type ItemFormat = Pick<TimelineItem, 'framing' | 'drawn' | 'variants'>;

/** What was found in an upload, as far as its renditions differ by it. */
export interface ContentFacts {
  readonly kind: TimelineItem['kind'];
  /** Null for a still image. */
  readonly durationSeconds: number | null;
  readonly hasAudio: boolean;
  readonly dynamicRange: DynamicRange;
}

/** There is one rendition of one content in one format, whoever uploaded the content and however often. */
export interface Rendition {
  /** What `contentHashOf` answers. Of what was uploaded before there was that function: the hash of the bytes alone. */
  readonly contentHash: string;
  readonly format: RenditionFormat;
  /** How many pictures the item has, or in a rendition of sound how many AAC frames. */
  readonly groupCount: number;
  /** Of a variant, the pictures from `first` to `end`, `end` not included, that it has; absent: all. */
  readonly part?: { readonly first: number; readonly end: number };
}

/**
 * A whole number of GOPs at every framerate. The slowest machine prepares a
 * segment in the time that a command may take.
 */
const segmentSeconds = 20;
/** These last a little longer than a segment of pictures. */
const soundFramesPerSegment = 1000;
/** Of a closed GOP: what every ingest recommends. */
export const gopSeconds = 2;
/** A still image is prepared as one GOP, which plays again and again. */
export const stillSeconds = gopSeconds;
/** A frame at the lowest framerate. On that frame grid an item may last half a frame longer than its media. */
const longestFrameSeconds = 1 / 24;

/**
 * The name of a content: of its bytes together with all else that decides what its renditions are. So nobody's upload
 * can have another rendition made of the same bytes than everybody else's.
 * @param bytesHash SHA-256 of the bytes, in hex
 */
export function contentHashOf(bytesHash: string, { kind, durationSeconds, hasAudio, dynamicRange }: ContentFacts) {
  const facts = [kind, durationSeconds, hasAudio ? 'sound' : null, dynamicRange === 'sdr' ? null : dynamicRange];
  return [bytesHash, ...facts.filter((fact) => fact !== null)].join('-');
}

/** The SHA-256 of the bytes, in hex, of which `contentHashOf` made a name; of an older name, the name itself. */
export function bytesHashOf(contentHash: string): string {
  return contentHash.split('-')[0]!;
}

/** @param item with the length of the upload, which does not matter for a still image */
export function renditionOf(
  contentHash: string,
  item: Pick<TimelineItem, 'kind' | 'durationSeconds'>,
  format: RenditionFormat,
): Rendition {
  if (!isSound(format)) {
    const durationSeconds = item.kind === 'image' ? stillSeconds : item.durationSeconds;
    const groupCount = frameCountOf({ durationSeconds }, framesPerSecond[format.framerate]);
    const { variant } = format;
    return {
      contentHash,
      format,
      groupCount,
      ...(variant !== undefined && item.kind !== 'image' && partOf(format, groupCount, variantPart(variant, item))),
    };
  }
  const milliseconds = frameCountOf({ durationSeconds: item.durationSeconds + longestFrameSeconds }, 1000);
  return { contentHash, format, groupCount: firstSoundFrameFrom(milliseconds, 1000) };
}

/** The pictures of whole GOPs that cover a part of an item; nothing where that is all of it. */
function partOf(
  { framerate }: PictureFormat,
  groupCount: number,
  { fromSeconds, toSeconds }: ReturnType<typeof variantPart>,
): Pick<Rendition, 'part'> {
  if (fromSeconds === 0 && toSeconds === Infinity) return {};
  const gopFrames = gopSeconds * framesPerSecond[framerate];
  const first = Math.floor(fromSeconds / gopSeconds) * gopFrames;
  return { part: { first, end: Math.min(groupCount, Math.ceil(toSeconds / gopSeconds) * gopFrames) } };
}

/** The pictures or frames of sound that a rendition has, `end` not included. */
export function groupsOf({ groupCount, part }: Pick<Rendition, 'groupCount' | 'part'>) {
  return part ?? { first: 0, end: groupCount };
}

export function groupsPerSegment(format: RenditionFormat): number {
  return isSound(format) ? soundFramesPerSegment : segmentSeconds * framesPerSecond[format.framerate];
}

/** Which groups of a rendition are in a segment. */
export function groupsOfSegment(rendition: Omit<Rendition, 'contentHash'>, segment: number) {
  const { first, end } = groupsOf(rendition);
  const perSegment = groupsPerSegment(rendition.format);
  const firstGroup = first + segment * perSegment;
  return { firstGroup, groupCount: Math.min(perSegment, end - firstGroup) };
}

export function segmentCount(rendition: Omit<Rendition, 'contentHash'>): number {
  const { first, end } = groupsOf(rendition);
  return Math.ceil((end - first) / groupsPerSegment(rendition.format));
}

export function isSound(format: RenditionFormat): format is SoundFormat {
  return typeof format === 'string';
}

/** The format of sound at a loudness. @param targetLUFS below 0 */
export function soundAt(targetLUFS: number): SoundFormat {
  return `sound${targetLUFS}` as SoundFormat;
}

/** The loudness that sound of a format is brought to, in LUFS; null: it is as loud as it is, or no sound alone. */
export function targetOfFormat(format: RenditionFormat): number | null {
  return format === 'sound' || !isSound(format) ? null : Number(format.slice('sound'.length));
}

/**
 * `q_1080p-f_30` for H.264, `q_1080p-f_30-hevc`, `q_1080p-f_30-9x16-blur`, `q_1080p-f_30-o0123456789abcdef` with a
 * drawing over it, `q_1080p-f_30-v0123456789abcdeff10` for a part, `sound`, or `sound-14`: the format in object keys,
 * rows and commands.
 */
export function formatName(format: RenditionFormat): string {
  if (isSound(format)) return format;
  const { quality, framerate, videoCodec, aspect, framing, drawn, variant } = format;
  const parts = [
    quality,
    framerate,
    videoCodec === 'h264' ? undefined : videoCodec,
    aspect?.replace(':', 'x'),
    framing,
    drawn,
    variant,
  ];
  return parts.filter((part) => part !== undefined).join('-');
}

/** The format that an item is sent in, of those of its stream, but for its variants. */
export function formatOfItem(format: PictureFormat, item: ItemFormat): PictureFormat;
export function formatOfItem(format: RenditionFormat, item: ItemFormat): RenditionFormat;
export function formatOfItem(format: RenditionFormat, { framing, drawn }: ItemFormat): RenditionFormat {
  if (isSound(format)) return format;
  return { ...format, ...(framing !== undefined && { framing }), ...(drawn !== undefined && { drawn }) };
}

/** The formats of the variants of an item, of those of its stream. */
export function variantsOfItem(format: RenditionFormat, item: ItemFormat): PictureFormat[] {
  const whole = formatOfItem(format, item);
  return isSound(whole) ? [] : (item.variants ?? []).map((variant) => ({ ...whole, variant }));
}

/** Uploads by the name of the format that they are sent in, each once; the names in order. */
export function uploadsByFormat(
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: RenditionFormat,
): ReadonlyMap<string, readonly string[]> {
  return byName(items.map((item) => [formatName(formatOfItem(format, item)), item.uploadID]));
}

/** Uploads by the name of the format of each variant that they are sent in; each once, the names in order. */
export function uploadsByVariant(
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: RenditionFormat,
): ReadonlyMap<string, readonly string[]> {
  return byName(
    items.flatMap((item) => variantsOfItem(format, item).map((each) => [formatName(each), item.uploadID] as const)),
  );
}

function byName(uploads: readonly (readonly [name: string, uploadID: string])[]) {
  const groups = Map.groupBy(uploads, ([name]) => name);
  const names = [...groups.keys()].sort();
  return new Map(names.map((name) => [name, [...new Set(groups.get(name)!.map(([, uploadID]) => uploadID))].sort()]));
}

const lookNamed =
  /^(.*?)(?:-(9x16|1x1))?(?:-(crop|blur|pad[\da-f]{6}))?(?:-(o[\da-f]{16}))?(?:-(v[\da-f]{16}(?:a|[fl]\d+)))?$/;
const soundNamed = /^sound(?:-\d+(?:\.\d+)?)?$/;

/** The format of a name. @throws {RangeError} when there is none */
export function formatNamed(name: string): RenditionFormat {
  const pictures = qualities.flatMap((quality) =>
    framerates.flatMap((framerate) => videoCodecs.map((videoCodec) => ({ quality, framerate, videoCodec }))),
  );
  if (soundNamed.test(name)) return name as SoundFormat;
  const [, plain, aspect, framing, drawn, variant] = lookNamed.exec(name) ?? [];
  const format = pictures.find((each) => formatName(each) === plain);
  if (!format) throw new RangeError(`there is no format ${name}`);
  return {
    ...format,
    ...(aspect !== undefined && { aspect: aspect.replace('x', ':') as Exclude<Aspect, '16:9'> }),
    ...(framing !== undefined && { framing: framing as FramingName }),
    ...(drawn !== undefined && { drawn: drawn as DrawingName }),
    ...(variant !== undefined && { variant: variant as VariantName }),
  };
}
