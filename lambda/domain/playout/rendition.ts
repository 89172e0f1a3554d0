// The formats, lengths and segments of renditions, which uploads are prepared to.
import type { SourceReading } from '../shared/source-reading.ts';
import { variantPart } from './drawings.ts';
import type { Aspect, FramingName } from './look.ts';
import type { DrawingName, VariantName } from './overlays.ts';
import { frameCountOf } from './play-out.ts';
import type { TimelineItem } from './play-out.ts';
import { firstSoundFrameFrom } from './prepared-play-out.ts';
import { framerates, framesPerSecond, qualities, videoCodecs } from '../shared/video-format.ts';
import type { DynamicRange, Framerate, Quality, VideoCodec } from '../shared/video-format.ts';

/** A video rendition has a quality, framerate and codec. A sound rendition is played with any of them. */
export type RenditionFormat = PictureFormat | SoundFormat;

/** Sound at its original loudness, or at a loudness in LUFS, such as `sound-14`. */
export type SoundFormat = 'sound' | `sound-${number}`;

export interface PictureFormat {
  readonly quality: Quality;
  readonly framerate: Framerate;
  readonly videoCodec: VideoCodec;
  /** Absent: 16:9. */
  readonly aspect?: Exclude<Aspect, '16:9'>;
  /** How pictures of another shape fill the frame; absent: with black bars. */
  readonly framing?: FramingName;
  /** Drawing over all pictures; absent: none. */
  readonly drawn?: DrawingName;
  /** Additional drawing over some pictures. The rendition has only these. Absent: it has all pictures. */
  readonly variant?: VariantName;
  /** Pictures are decoded in the order in which they are shown, so it can be left after each. Absent: at keyframes. */
  readonly inOrder?: true;
}

/** The fields of an item that, with its stream's format, decide the format that it is sent in. */
export type ItemFormat = Pick<TimelineItem, 'framing' | 'drawn' | 'variants'>;

/** The facts about an upload that its renditions depend on. */
export interface ContentFacts {
  readonly kind: TimelineItem['kind'];
  /** Duration; null for a still image. */
  readonly durationSeconds: number | null;
  readonly hasAudio: boolean;
  readonly dynamicRange: DynamicRange;
  /** Absent: the usual way. */
  readonly reading?: SourceReading;
}

/** A rendition of one content in one format. All uploads of the content share it. */
export interface Rendition {
  /** Result of `contentHashOf`. */
  readonly contentHash: string;
  readonly format: RenditionFormat;
  /** The number of pictures of the item, or of AAC frames in a sound rendition. */
  readonly groupCount: number;
  /** The pictures of a variant, from `first` to `end`, `end` not included; absent: all. */
  readonly part?: { readonly first: number; readonly end: number };
}

/**
 * A whole number of GOPs at every framerate. The slowest machine can prepare a segment within the time limit of a
 * command.
 */
const segmentSeconds = 20;
/** AAC frames in a segment of sound, which is a little longer than a segment of pictures. */
const soundFramesPerSegment = 1000;
/** Length of a closed GOP; the value every ingest recommends. */
export const gopSeconds = 2;
/** A still image is prepared as one GOP, which plays repeatedly. */
export const stillSeconds = gopSeconds;
/** The longest frame. An item may last half a frame longer than its media. */
const longestFrameSeconds = 1 / 24;

/**
 * The name of a content: the bytes, and all other facts that its renditions depend on. So a user's upload cannot cause
 * another rendition of the same bytes than the uploads of others.
 * @param bytesHash SHA-256 of the bytes, in hex
 */
export function contentHashOf(bytesHash: string, content: ContentFacts) {
  const { kind, durationSeconds, hasAudio, dynamicRange, reading = {} } = content;
  const { pictures, sound, right, matrix, alpha, leadSeconds, soundLeadSeconds } = reading;
  const { searchableSeconds, picturesAfter, soundAfter, fromSeconds, orientation } = reading;
  const facts = [
    kind,
    durationSeconds,
    hasAudio ? 'sound' : null,
    dynamicRange === 'sdr' ? null : dynamicRange,
    pictures === undefined ? null : `v${pictures}`,
    sound === undefined ? null : `a${sound}`,
    right === undefined ? null : `r${right}`,
    matrix ?? null,
    alpha === undefined ? null : 'alpha',
    leadSeconds === undefined ? null : `l${leadSeconds}`,
    soundLeadSeconds === undefined ? null : `sl${soundLeadSeconds}`,
    searchableSeconds === undefined ? null : `u${searchableSeconds}`,
    picturesAfter === undefined ? null : `vs${picturesAfter}`,
    soundAfter === undefined ? null : `as${soundAfter}`,
    fromSeconds === undefined ? null : `from${fromSeconds}`,
    orientation === undefined ? null : `o${orientation}`,
  ];
  return [bytesHash, ...facts.filter((fact) => fact !== null)].join('-');
}

/** The SHA-256 of the bytes, in hex, from a name by `contentHashOf`. */
export function bytesHashOf(contentHash: string): string {
  return contentHash.split('-')[0]!;
}

/** @param item its duration is that of the upload; for a still image it is ignored */
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

/** The pictures of the whole GOPs that cover a part of an item; no field if they are all pictures. */
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

/** The range of pictures or frames of sound in a rendition, `end` not included. */
export function groupsOf({ groupCount, part }: Pick<Rendition, 'groupCount' | 'part'>) {
  return part ?? { first: 0, end: groupCount };
}

export function groupsPerSegment(format: RenditionFormat): number {
  return isSound(format) ? soundFramesPerSegment : segmentSeconds * framesPerSecond[format.framerate];
}

/** The range of groups in a segment of a rendition. */
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

/** The drawing over the pictures of a format; undefined: none, or sound. */
export function drawingIn(format: RenditionFormat): DrawingName | VariantName | undefined {
  return isSound(format) ? undefined : (format.variant ?? format.drawn);
}

/** The format of sound at a loudness. @param targetLUFS below 0 */
export function soundAt(targetLUFS: number): SoundFormat {
  return `sound${targetLUFS}` as SoundFormat;
}

/** The target loudness of a format in LUFS; null: the original loudness, or a format with pictures. */
export function targetOfFormat(format: RenditionFormat): number | null {
  return format === 'sound' || !isSound(format) ? null : Number(format.slice('sound'.length));
}

/**
 * The name of a format in object keys, rows and commands: `q_1080p-f_30` for H.264, `q_1080p-f_30-hevc`,
 * `q_1080p-f_30-9x16-blur`, `q_1080p-f_30-o0123456789abcdef` with a drawing, `q_1080p-f_30-v0123456789abcdeff10` for a
 * part, `q_1080p-f_30-inorder`, `sound`, or `sound-14`.
 */
export function formatName(format: RenditionFormat): string {
  if (isSound(format)) return format;
  const { quality, framerate, videoCodec, aspect, framing, drawn, variant, inOrder } = format;
  const parts = [
    quality,
    framerate,
    videoCodec === 'h264' ? undefined : videoCodec,
    aspect?.replace(':', 'x'),
    framing,
    drawn,
    variant,
    inOrder && 'inorder',
  ];
  return parts.filter((part) => part !== undefined).join('-');
}

/** The format that an item is sent in, without its variants. @param format of the stream */
export function formatOfItem(format: PictureFormat, item: ItemFormat): PictureFormat;
export function formatOfItem(format: RenditionFormat, item: ItemFormat): RenditionFormat;
export function formatOfItem(format: RenditionFormat, { framing, drawn }: ItemFormat): RenditionFormat {
  if (isSound(format)) return format;
  return { ...format, ...(framing !== undefined && { framing }), ...(drawn !== undefined && { drawn }) };
}

/** The formats of the variants of an item. @param format of the stream */
export function variantsOfItem(format: RenditionFormat, item: ItemFormat): PictureFormat[] {
  const whole = formatOfItem(format, item);
  return isSound(whole) ? [] : (item.variants ?? []).map((variant) => ({ ...whole, variant }));
}

/** A format, and the uploads that are sent in it, each once and sorted. */
export interface UploadsOfFormat {
  readonly format: RenditionFormat;
  readonly uploadIDs: readonly string[];
}

/** The formats in which uploads are sent, sorted by name. */
export function uploadsByFormat(
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: RenditionFormat,
): UploadsOfFormat[] {
  return grouped(items.map((item) => [formatOfItem(format, item), item.uploadID]));
}

/** The formats of the variants in which uploads are sent, sorted by name. */
export function uploadsByVariant(
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: RenditionFormat,
): UploadsOfFormat[] {
  return grouped(items.flatMap((item) => variantsOfItem(format, item).map((each) => [each, item.uploadID] as const)));
}

function grouped(uploads: readonly (readonly [format: RenditionFormat, uploadID: string])[]): UploadsOfFormat[] {
  const groups = [...Map.groupBy(uploads, ([format]) => formatName(format))];
  return groups
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, of]) => ({ format: of[0]![0], uploadIDs: [...new Set(of.map(([, uploadID]) => uploadID))].sort() }));
}

const lookNamed =
  /^(.*?)(?:-(9x16|1x1))?(?:-(crop|blur|pad[\da-f]{6}))?(?:-(o[\da-f]{16}))?(?:-(v[\da-f]{16}(?:a|[fl]\d+)))?(-inorder)?$/;
const soundNamed = /^sound(?:-\d+(?:\.\d+)?)?$/;

/**
 * The format with a name that a command or a row contains. Other code passes on formats. Decision D171.
 * @throws {RangeError} if there is none
 */
export function formatNamed(name: string): RenditionFormat {
  const pictures = qualities.flatMap((quality) =>
    framerates.flatMap((framerate) => videoCodecs.map((videoCodec) => ({ quality, framerate, videoCodec }))),
  );
  if (soundNamed.test(name)) return name as SoundFormat;
  const [, plain, aspect, framing, drawn, variant, inOrder] = lookNamed.exec(name) ?? [];
  const format = pictures.find((each) => formatName(each) === plain);
  if (!format) throw new RangeError(`there is no format ${name}`);
  return {
    ...format,
    ...(aspect !== undefined && { aspect: aspect.replace('x', ':') as Exclude<Aspect, '16:9'> }),
    ...(framing !== undefined && { framing: framing as FramingName }),
    ...(drawn !== undefined && { drawn: drawn as DrawingName }),
    ...(variant !== undefined && { variant: variant as VariantName }),
    ...(inOrder !== undefined && { inOrder: true }),
  };
}
