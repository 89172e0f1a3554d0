// What uploads are prepared to: the formats, lengths and segments of renditions.
import type { Aspect, FramingName } from './look.ts';
import { frameCountOf } from './play-out.ts';
import type { TimelineItem } from './play-out.ts';
import { firstSoundFrameFrom } from './prepared-play-out.ts';
import { framerates, framesPerSecond, qualities, videoCodecs } from './video-format.ts';
import type { DynamicRange, Framerate, Quality, VideoCodec } from './video-format.ts';

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
}

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
  /** How many pictures there are, or in a rendition of sound how many AAC frames. */
  readonly groupCount: number;
}

/**
 * A whole number of GOPs at every framerate. The slowest machine prepares a
 * segment in the time that a command may take.
 */
const segmentSeconds = 20;
/** These last a little longer than a segment of pictures. */
const soundFramesPerSegment = 1000;
/** A still image is prepared as one closed GOP of this length, which plays again and again. */
export const stillSeconds = 2;
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
    return { contentHash, format, groupCount: frameCountOf({ durationSeconds }, framesPerSecond[format.framerate]) };
  }
  const milliseconds = frameCountOf({ durationSeconds: item.durationSeconds + longestFrameSeconds }, 1000);
  return { contentHash, format, groupCount: firstSoundFrameFrom(milliseconds, 1000) };
}

export function groupsPerSegment(format: RenditionFormat): number {
  return isSound(format) ? soundFramesPerSegment : segmentSeconds * framesPerSecond[format.framerate];
}

/** Which groups of a rendition are in a segment. */
export function groupsOfSegment({ format, groupCount }: Pick<Rendition, 'format' | 'groupCount'>, segment: number) {
  const firstGroup = segment * groupsPerSegment(format);
  return { firstGroup, groupCount: Math.min(groupsPerSegment(format), groupCount - firstGroup) };
}

export function segmentCount({ format, groupCount }: Pick<Rendition, 'format' | 'groupCount'>): number {
  return Math.ceil(groupCount / groupsPerSegment(format));
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
 * `q_1080p-f_30` for H.264, `q_1080p-f_30-hevc`, `q_1080p-f_30-9x16-blur`, `sound`, or `sound-14`: the format in object
 * keys, rows and commands.
 */
export function formatName(format: RenditionFormat): string {
  if (isSound(format)) return format;
  const { quality, framerate, videoCodec, aspect, framing } = format;
  const parts = [
    quality,
    framerate,
    videoCodec === 'h264' ? undefined : videoCodec,
    aspect?.replace(':', 'x'),
    framing,
  ];
  return parts.filter((part) => part !== undefined).join('-');
}

/** The format that an item is sent in, of those of its stream. */
export function formatOfItem(format: RenditionFormat, { framing }: Pick<TimelineItem, 'framing'>): RenditionFormat {
  return isSound(format) || framing === undefined ? format : { ...format, framing };
}

/** Uploads by the name of the format that they are sent in, each once; the names in order. */
export function uploadsByFormat(
  items: readonly Pick<TimelineItem, 'uploadID' | 'framing'>[],
  format: RenditionFormat,
): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(items, (item) => formatName(formatOfItem(format, item)));
  const names = [...groups.keys()].sort();
  return new Map(names.map((name) => [name, [...new Set(groups.get(name)!.map(({ uploadID }) => uploadID))].sort()]));
}

const lookNamed = /^(.*?)(?:-(9x16|1x1))?(?:-(crop|blur|pad[\da-f]{6}))?$/;
const soundNamed = /^sound(?:-\d+(?:\.\d+)?)?$/;

/** The format of a name. @throws {RangeError} when there is none */
export function formatNamed(name: string): RenditionFormat {
  const pictures = qualities.flatMap((quality) =>
    framerates.flatMap((framerate) => videoCodecs.map((videoCodec) => ({ quality, framerate, videoCodec }))),
  );
  if (soundNamed.test(name)) return name as SoundFormat;
  const [, plain, aspect, framing] = lookNamed.exec(name) ?? [];
  const format = pictures.find((each) => formatName(each) === plain);
  if (!format) throw new RangeError(`there is no format ${name}`);
  return {
    ...format,
    ...(aspect !== undefined && { aspect: aspect.replace('x', ':') as Exclude<Aspect, '16:9'> }),
    ...(framing !== undefined && { framing: framing as FramingName }),
  };
}
