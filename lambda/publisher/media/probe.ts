// What an uploaded file really is, and whether all of it is there.
import type { DynamicRange } from '../../domain/video-format.ts';
import { containerFormatOf, fitsMimeType, usualMimeType } from './container-formats.ts';
import type { ContainerFormat, MediaKind } from './container-formats.ts';
import { decodeSample, readPacketEnds } from './media-ends.ts';
import { MediaError } from './media-error.ts';
import type { MediaTools } from './media-tools.ts';
import { assertAllBytes, readSourceHead } from './source-head.ts';
import { notMedia, readStructure } from './structure.ts';
import type { Structure } from './structure.ts';

export interface MediaFacts {
  readonly kind: MediaKind;
  /** As claimed, or the usual one of what was found where nothing was claimed. */
  readonly mimeType: string;
  /** From where the first of pictures and sound begins to where the last ends. Null for images. */
  readonly durationSeconds: number | null;
  /** As displayed: rotated, with square pixels. Null without pictures. */
  readonly width: number | null;
  readonly height: number | null;
  /** Average; null for images and sound, or when it is not known. */
  readonly framerate: number | null;
  /** ffmpeg's names: h264, aac, … */
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  /** Moving pictures; cover art is none. */
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
  readonly dynamicRange: DynamicRange;
}

/** What the uploader says that the file is. */
export interface ClaimedMedia {
  /** Null when nobody said it. */
  readonly mimeType: string | null;
  /** Bytes; null when it was not given. */
  readonly fileSize: number | null;
}

/** Where a file is looked at and decoded: this much at the beginning and at the end. */
const sampleSeconds = 3;
/** What a header may be off by before media counts as missing: at most this, and at most this share of a short file. */
const toleranceSeconds = 0.5;
const toleranceShare = 0.2;

/**
 * Reads the structure, looks for the last packets, and decodes the first and the last seconds.
 * @param sourceURL http(s) address, or a path
 * @throws {MediaError} when the file is not what it claims to be, not all there, or cannot be played
 * @throws other errors, which are ours: a tool is missing, the source cannot be read. Trying again may help
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
  if (claimed.mimeType !== null) assertFits(format, kind, claimed.mimeType);

  const { video, audio, startSeconds, headerSeconds } = structure;
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
  };
  if (kind === 'image') {
    await decodeSample(
      source,
      { streams: [video!], fromSeconds: null, strict: true },
      'The image cannot be decoded: it is damaged or cut off.',
    );
    return { ...facts, durationSeconds: null, framerate: null };
  }

  const streams = [video, audio].filter((stream) => stream !== null);
  const [ends] = await Promise.all([
    readPacketEnds(
      source,
      headerSeconds === null ? null : Math.max(startSeconds, startSeconds + headerSeconds - sampleSeconds),
    ),
    decodeSample(
      source,
      { streams, fromSeconds: null, strict: false, seconds: sampleSeconds },
      'The beginning of the file cannot be decoded: it is damaged.',
    ),
  ]);
  const foundSeconds = Math.max(...ends.values(), startSeconds) - startSeconds;
  const tolerance = Math.min(toleranceSeconds, (headerSeconds ?? 0) * toleranceShare);
  if (headerSeconds !== null && foundSeconds < headerSeconds - tolerance) {
    throw new MediaError(
      'truncated',
      `The file is cut off: it should last ${headerSeconds.toFixed(1)} seconds, but its end is missing.`,
    );
  }
  // A stream that ended before the part looked at has no end that is known; the one that made it that long has.
  const lasting = streams.filter(({ index }) => ends.has(index));
  const fromSeconds = Math.min(...lasting.map(({ index }) => ends.get(index)!)) - sampleSeconds;
  if (fromSeconds > startSeconds && lasting.length > 0) {
    await decodeSample(
      source,
      { streams: lasting, fromSeconds: fromSeconds - startSeconds, strict: false },
      'The end of the file cannot be decoded: it is damaged.',
    );
  }
  const headerIsRight = headerSeconds !== null && foundSeconds <= headerSeconds + tolerance;
  return {
    ...facts,
    durationSeconds: headerIsRight ? headerSeconds : foundSeconds,
    framerate: video?.framerate ?? null,
  };
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
  const content = kind === 'video' ? `${format.label} video` : `${kindNouns[kind]} (${format.label})`;
  throw new MediaError('type_mismatch', `The file says ${mimeType} but contains ${content}.`);
}
