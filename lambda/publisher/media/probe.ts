// Examines an uploaded file: its true kind and facts, and whether it is complete.
import { decodeCost, faultOfSource } from '../../domain/media/source-limits.ts';
import type { SourceFacts } from '../../domain/media/source-limits.ts';
import type { FileTags } from '../../domain/playout/titles.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { containerFormatOf, fitsMimeType, usualMimeType } from './container-formats.ts';
import { kindOfMimeType } from '../../domain/media/upload-words.ts';
import type { ContainerFormat, MediaKind } from './container-formats.ts';
import { decodeSample, readPacketEnds } from './media-ends.ts';
import { MediaError } from './media-error.ts';
import type { MediaTools } from './media-tools.ts';
import { assertAllBytes, assertNoForeignImage, readSourceHead } from './source-head.ts';
import { notMedia, readStructure } from './structure.ts';
import type { Source, Structure } from './structure.ts';

export interface MediaFacts {
  readonly kind: MediaKind;
  /** The claimed MIME type if it is right; else the usual one of the format. */
  readonly mimeType: string;
  /** From the first picture or sound to the end of the last. Null for images. */
  readonly durationSeconds: number | null;
  /** In pixels, as displayed: rotated, with square pixels. Null without pictures. */
  readonly width: number | null;
  readonly height: number | null;
  /** The average; null for images and sound, or if unknown. */
  readonly framerate: number | null;
  /** Codecs by ffmpeg's names: h264, aac, … */
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  /** Whether there are moving pictures. Cover art does not count. */
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
  readonly dynamicRange: DynamicRange;
  /** See `decodeCost`; null without moving pictures. */
  readonly decodeCost: number | null;
  /** The file's own title, artist, album and artwork. */
  readonly tags: FileTags;
}

/** The uploader's claims about the file. */
export interface ClaimedMedia {
  /** Null without a claim. Browsers derive it from the file's name, so a wrong one is no fault of the file. */
  readonly mimeType: string | null;
  /** The intended use; null without a claim. A video may be used for its sound. */
  readonly type: MediaKind | null;
  /** Bytes; null without a claim. */
  readonly fileSize: number | null;
}

/** Seconds that are decoded at the beginning and at the end of a file. */
const sampleSeconds = 3;
/** Media counts as missing if the header is off by more than this, or by more than this share of a short file. */
const toleranceSeconds = 0.5;
const toleranceShare = 0.2;
/** Tolerance for padding, as some headers give durations in milliseconds. */
const paddedFromSeconds = 0.002;

/**
 * Reads the structure, finds the last packets, and decodes the first and the last seconds.
 * @param sourceURL http(s) address, or a path
 * @throws {MediaError} when the file is not what was claimed, is incomplete, or cannot be played
 * @throws other errors that are our fault, as when a tool is missing or the source cannot be read. A retry may help
 */
export async function probeMedia(
  tools: MediaTools,
  sourceURL: string,
  claimed: ClaimedMedia,
  signal: AbortSignal,
): Promise<MediaFacts> {
  const head = await readSourceHead(sourceURL, signal);
  assertAllBytes(head, claimed.fileSize);
  assertNoForeignImage(head);
  const source = { tools, sourceURL, signal };
  const structure = await readStructure(source, head);
  const format = containerFormatOf(structure.formatName);
  if (format === null) throw notMedia();
  const kind = kindOf(format, structure);
  const { video, audio } = structure;
  if (claimed.type !== null && claimed.type !== kind && !(claimed.type === 'audio' && audio !== null))
    throw new MediaError(
      'type_mismatch',
      `The upload has the type ${claimed.type}, but the file contains ${contentOf(format, kind)}. ` +
        'Upload it again without a type.',
    );

  const declared = { kind, pictures: video?.source ?? null, sound: audio?.source ?? null };
  const sizeBytes = head.size ?? claimed.fileSize;
  assertDecodable({ ...declared, durationSeconds: structure.headerSeconds, sizeBytes });
  const facts = {
    kind,
    mimeType: isRight(claimed.mimeType, format, kind) ? claimed.mimeType : usualMimeType(format, kind),
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
  assertDecodable({ ...declared, durationSeconds, sizeBytes });
  return { ...facts, durationSeconds, framerate: video?.framerate ?? null };
}

function assertDecodable(facts: SourceFacts): void {
  const fault = faultOfSource(facts);
  if (fault !== null) throw new MediaError('too_demanding', fault);
}

/**
 * Measures the duration of a file's media in seconds.
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

  // A stream that ends before the part that was read has no known end. The longest stream has one.
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
  // Headers of sound include the padding of encoders before and after it, which is not heard.
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

function isRight(mimeType: string | null, format: ContainerFormat, kind: MediaKind): mimeType is string {
  return mimeType !== null && kind === kindOfMimeType(mimeType) && fitsMimeType(format, mimeType);
}

function contentOf({ label }: ContainerFormat, kind: MediaKind): string {
  return kind === 'video' ? `${label} video` : `${kindNouns[kind]} (${label})`;
}
