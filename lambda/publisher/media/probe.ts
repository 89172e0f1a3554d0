// What an uploaded file really is, and whether all of it is there.
import { decodeCost, faultOfSource } from '../../domain/media/source-limits.ts';
import type { SourceFacts } from '../../domain/media/source-limits.ts';
import type { FileTags } from '../../domain/playout/titles.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { containerFormatOf, fitsMimeType, usualMimeType } from './container-formats.ts';
import type { ContainerFormat, MediaKind } from './container-formats.ts';
import { decodeSample, readPacketEnds } from './media-ends.ts';
import { MediaError } from './media-error.ts';
import type { MediaTools } from './media-tools.ts';
import { assertAllBytes, readSourceHead } from './source-head.ts';
import { notMedia, readStructure } from './structure.ts';
import type { Source, Structure } from './structure.ts';

export interface MediaFacts {
  readonly kind: MediaKind;
  /** What was claimed; where nothing was claimed, the usual one of what was found. */
  readonly mimeType: string;
  /** From the beginning of pictures or sound, whichever begins first, to the end of the last. Null for images. */
  readonly durationSeconds: number | null;
  /** In pixels, as displayed: rotated, with square pixels. Null without pictures. */
  readonly width: number | null;
  readonly height: number | null;
  /** The average; null for images and sound, or when it is not known. */
  readonly framerate: number | null;
  /** By ffmpeg's names: h264, aac, … */
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  /** Whether there are moving pictures; cover art is none. */
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
  readonly dynamicRange: DynamicRange;
  /** Of `decodeCost`; null without moving pictures. */
  readonly decodeCost: number | null;
  /** What the file says of itself. */
  readonly tags: FileTags;
}

/** What the uploader says that the file is. */
export interface ClaimedMedia {
  /** Null when nobody said it. */
  readonly mimeType: string | null;
  /** What it is to be used as; null when nobody said it. A video may be used for its sound. */
  readonly type: MediaKind | null;
  /** Bytes; null when it was not given. */
  readonly fileSize: number | null;
}

/** This much of a file is decoded at its beginning and at its end. */
const sampleSeconds = 3;
/** Media counts as missing when a header is off by more than this, or by more than this share of a short file. */
const toleranceSeconds = 0.5;
const toleranceShare = 0.2;
/** Some headers say lengths in milliseconds. */
const paddedFromSeconds = 0.002;

/**
 * Reads the structure, looks for the last packets, and decodes the first and the last seconds.
 * @param sourceURL http(s) address, or a path
 * @throws {MediaError} when the file is not what it claims to be, not all there, or cannot be played
 * @throws other errors that are our fault, as when a tool is missing or the source cannot be read: trying again may
 * help
 */
export async function probeMedia(
  tools: MediaTools,
  sourceURL: string,
  claimed: ClaimedMedia,
  signal: AbortSignal,
): Promise<MediaFacts> {
  const head = await readSourceHead(sourceURL, signal);
  assertAllBytes(head, claimed.fileSize);
  const source = { tools, sourceURL, signal };
  const structure = await readStructure(source, head);
  const format = containerFormatOf(structure.formatName);
  if (format === null) throw notMedia();
  const kind = kindOf(format, structure);
  const { video, audio } = structure;
  if (claimed.mimeType !== null) assertFits(format, kind, claimed.mimeType);
  if (claimed.type !== null && claimed.type !== kind && !(claimed.type === 'audio' && audio !== null))
    throw new MediaError(
      'type_mismatch',
      `The upload has the type ${claimed.type}, but the file contains ${contentOf(format, kind)}. ` +
        'Upload it again without a type.',
    );

  const said = { kind, pictures: video?.source ?? null, sound: audio?.source ?? null };
  const sizeBytes = head.size ?? claimed.fileSize;
  assertDecodable({ ...said, durationSeconds: structure.headerSeconds, sizeBytes });
  const facts = {
    kind,
    mimeType: claimed.mimeType ?? usualMimeType(format, kind),
    width: video?.width ?? null,
    height: video?.height ?? null,
    videoCodec: video?.codec ?? null,
    audioCodec: audio?.codec ?? null,
    hasVideo: kind === 'video',
    hasAudio: audio !== null,
    dynamicRange: video?.dynamicRange ?? 'sdr',
    decodeCost: video && kind === 'video' ? decodeCost(video.source) : null,
    tags: structure.tags,
  };
  if (kind === 'image') {
    const blame = 'The image cannot be decoded: it is damaged or cut off.';
    await decodeSample(source, { kind, streams: [video!], fromSeconds: null, strict: true, blame });
    return { ...facts, durationSeconds: null, framerate: null };
  }
  const durationSeconds = await measureDuration(source, structure);
  assertDecodable({ ...said, durationSeconds, sizeBytes });
  return { ...facts, durationSeconds, framerate: video?.framerate ?? null };
}

function assertDecodable(facts: SourceFacts): void {
  const fault = faultOfSource(facts);
  if (fault !== null) throw new MediaError('too_demanding', fault);
}

/**
 * How long the media of a file lasts.
 * @throws {MediaError} when its beginning or its end cannot be decoded, or its end is missing
 */
async function measureDuration(source: Source, structure: Structure): Promise<number> {
  const { video, audio, startSeconds, headerSeconds } = structure;
  const streams = [video, audio].filter((stream) => stream !== null);
  const lookFromSeconds =
    headerSeconds === null ? null : Math.max(startSeconds, startSeconds + headerSeconds - sampleSeconds);
  const kind: MediaKind = video === null ? 'audio' : 'video';
  const beginning = {
    kind,
    streams,
    fromSeconds: null,
    seconds: sampleSeconds,
    strict: false,
    blame: 'The beginning of the file cannot be decoded: it is damaged.',
  };
  const [ends] = await Promise.all([
    readPacketEnds(source, lookFromSeconds, audio?.source.sampleRate ?? 0),
    decodeSample(source, beginning),
  ]);

  const foundSeconds = Math.max(...ends.values(), startSeconds) - startSeconds;
  const tolerance = Math.min(toleranceSeconds, (headerSeconds ?? 0) * toleranceShare);
  if (headerSeconds !== null && foundSeconds < headerSeconds - tolerance) {
    const promised = headerSeconds.toFixed(1);
    throw new MediaError(
      'truncated',
      `The file is cut off: it should last ${promised} seconds, but its end is missing.`,
    );
  }

  // A stream that ends before the part that was looked at has no known end. The stream that lasts longest has one.
  const lasting = streams.filter(({ index }) => ends.has(index));
  const fromSeconds = Math.min(...lasting.map(({ index }) => ends.get(index)!)) - sampleSeconds;
  if (fromSeconds > startSeconds && lasting.length > 0) {
    const blame = 'The end of the file cannot be decoded: it is damaged.';
    await decodeSample(source, {
      kind,
      streams: lasting,
      fromSeconds: fromSeconds - startSeconds,
      strict: false,
      blame,
    });
  }
  const isHeaderRight = headerSeconds !== null && foundSeconds <= headerSeconds + tolerance;
  if (!isHeaderRight) return foundSeconds;
  // Headers of sound count what encoders put before and after it, which nobody hears.
  const isPadded = video === null && ends.size > 0 && foundSeconds < headerSeconds - paddedFromSeconds;
  return isPadded ? Math.round(foundSeconds * 1e6) / 1e6 : headerSeconds;
}

function kindOf(format: ContainerFormat, { video, audio }: Structure): MediaKind {
  if (format.still && video !== null) return 'image';
  if (video !== null) return 'video';
  if (audio !== null) return 'audio';
  throw new MediaError('no_decodable_stream', `The ${format.label} file has neither pictures nor sound in it.`);
}

const kindNouns: Record<MediaKind, string> = {
  video: 'video',
  audio: 'sound without pictures',
  image: 'a still image',
};

function assertFits(format: ContainerFormat, kind: MediaKind, mimeType: string): void {
  if (kind === mimeType.split('/')[0] && fitsMimeType(format, mimeType)) return;
  throw new MediaError('type_mismatch', `The file says ${mimeType} but contains ${contentOf(format, kind)}.`);
}

function contentOf({ label }: ContainerFormat, kind: MediaKind): string {
  return kind === 'video' ? `${label} video` : `${kindNouns[kind]} (${label})`;
}
