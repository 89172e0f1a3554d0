// Examines an uploaded file: its true kind and facts, and whether it is complete.
import { decodeCost, faultOfSource } from '../../domain/media/source-limits.ts';
import type { SourceReading } from '../../domain/shared/source-reading.ts';
import type { SourceFacts } from '../../domain/media/source-limits.ts';
import type { FileTags } from '../../domain/playout/titles.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { containerFormatOf, fitsMimeType, maxStreams, usualMimeType } from './container-formats.ts';
import { kindOfMimeType } from '../../domain/media/upload-words.ts';
import type { ContainerFormat, MediaKind } from './container-formats.ts';
import { decodesSample, measureFramerate, readPackets, takesTooLong } from './media-ends.ts';
import type { StreamPackets } from './media-ends.ts';
import { MediaError } from './media-error.ts';
import type { MediaTools } from './media-tools.ts';
import { assertAllBytes, assertNoForeignImage, readSourceHead } from './source-head.ts';
import { notMedia, readStructure } from './structure.ts';
import type { Source, StreamStructure, Structure } from './structure.ts';

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
  /** How the file is read; null: the usual way. */
  readonly reading: SourceReading | null;
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
/** A file lasts longer than its header says if packets are later by more than this, as pictures are rounded. */
const longerSeconds = 0.2;
/** Rates up to this are believed, as players show no more. */
const believedFramesPerSecond = 120;
/** The most time between packets of one time in a file whose tracks are interleaved. */
const interleavedSeconds = 1;
/** The lead if keyframes were not counted: encoders make one each 10 s or more often. */
const unknownLeadSeconds = 12;
/** The rate of reordered pictures if it is unknown or uneven: the lead is long enough for faster ones too. */
const slowestFramesPerSecond = 10;
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
  const examine = async (empty: ReadonlySet<number>) =>
    factsOf(source, await readStructure(source, head, empty), { ...claimed, sizeBytes: head.size ?? claimed.fileSize });
  try {
    return await examine(new Set());
  } catch (error) {
    if (!(error instanceof BeginningDamaged)) throw error;
    // Recorders without a microphone declare a track of sound all the same.
    const empty = await streamsWithoutPackets(source, error.streams);
    if (empty.size === 0) throw error;
    return examine(empty);
  }
}

/** The beginning of one of these streams cannot be decoded. */
class BeginningDamaged extends MediaError {
  readonly streams: readonly StreamStructure[];

  constructor(streams: readonly StreamStructure[]) {
    super('damaged', 'The beginning of the file cannot be decoded: it is damaged.');
    this.streams = streams;
  }
}

/** The streams that are empty; every stream of the file may be one of them if one of these is. */
async function streamsWithoutPackets(source: Source, streams: readonly StreamStructure[]): Promise<Set<number>> {
  const packets = await readPackets(source, null, 0);
  if (packets === null || packets.size === 0 || streams.every(({ index }) => packets.has(index))) return new Set();
  return new Set(Array.from({ length: maxStreams }, (_, index) => index).filter((index) => !packets.has(index)));
}

/** Facts about a file's media by its structure, its packets, and samples of it. */
async function factsOf(
  source: Source,
  structure: Structure,
  { sizeBytes, ...claimed }: ClaimedMedia & { readonly sizeBytes: number | null },
): Promise<MediaFacts> {
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
  // A header may claim any rate, and some have none.
  const isRateKnown = video === null || kind === 'image' || (video.framerate ?? Infinity) <= believedFramesPerSecond;
  const headerPictures = declared.pictures && { ...declared.pictures, ...(!isRateKnown && { framerate: null }) };
  assertDecodable({ ...declared, pictures: headerPictures, durationSeconds: structure.headerSeconds, sizeBytes });
  const framerate = isRateKnown ? (video?.framerate ?? null) : await measureFramerate(source, video);
  const pictures = declared.pictures && { ...declared.pictures, framerate };
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
    decodeCost: pictures && kind === 'video' ? decodeCost(pictures) : null,
    tags: structure.tags,
  };
  if (kind === 'image') {
    const sample = { kind, streams: [video!], fromSeconds: null, strict: true };
    if (!(await decodesSample(source, sample)))
      throw new MediaError('damaged', 'The image cannot be decoded: it is damaged or cut off.');
    const reading = video!.orientation === null ? null : { orientation: video!.orientation };
    return { ...facts, durationSeconds: null, framerate: null, reading };
  }
  const { durationSeconds, ...search } = await measureLength(source, structure, format);
  assertDecodable({ ...declared, pictures, durationSeconds, sizeBytes });
  return { ...facts, durationSeconds, framerate, reading: readingOf(structure, format, search) };
}

/** How the file is read; null: the usual way. */
function readingOf(
  { video, audio }: Structure,
  { isSearched }: ContainerFormat,
  { leadSeconds, searchableSeconds }: Search,
): SourceReading | null {
  const reading = {
    ...(video && !video.isFirst && { pictures: video.index }),
    ...(audio && !audio.isFirst && { sound: audio.index }),
    ...(audio && audio.right !== null && { right: audio.right }),
    ...(video?.matrix && { matrix: video.matrix }),
    ...(video?.alpha && { alpha: video.alpha }),
    ...(leadSeconds !== null && { leadSeconds }),
    ...(searchableSeconds !== null && { searchableSeconds }),
    ...(isSearched && video && video.afterSeconds > 0 && { picturesAfter: video.afterSeconds }),
    ...(isSearched && audio && audio.afterSeconds > 0 && { soundAfter: audio.afterSeconds }),
  };
  return Object.keys(reading).length > 0 ? reading : null;
}

/**
 * The lead of a file in which a search may end at a keyframe that is shown after the time: it is searched by times of
 * decoding, or by rounded times. ffmpeg moves times of decoding by one constant, which is too little for some pictures
 * of an uneven rate. Null: the usual way.
 */
function searchLead({ video, isFragmented }: Structure, format: ContainerFormat, packets: Packets): number | null {
  if (!video) return null;
  const { reorderedPictures, isUneven, framerate } = video;
  const framesPerSecond = isUneven ? slowestFramesPerSecond : (framerate ?? slowestFramesPerSecond);
  const isShownLater = reorderedPictures > 0 && (format.isDecodingOrdered || isFragmented || isUneven);
  if (isShownLater || format.isCountedInPictures)
    return Math.min(unknownLeadSeconds, (reorderedPictures + 1) / framesPerSecond);
  // With a longer lead, a search for the time of a keyframe would end at the keyframe before.
  const delaySeconds = format.isSearchedPictureBefore ? (packets.get(video.index)?.keyframeDelaySeconds ?? 0) : 0;
  const neededSeconds = delaySeconds - 1.5 / framesPerSecond;
  return neededSeconds > 1 / framesPerSecond ? Math.min(unknownLeadSeconds, neededSeconds) : null;
}

function assertDecodable(facts: SourceFacts): void {
  const fault = faultOfSource(facts);
  if (fault !== null) throw new MediaError('too_demanding', fault);
}

/** How a time is found in a file, from `SourceReading`; null: the usual way. */
interface Search {
  readonly leadSeconds: number | null;
  readonly searchableSeconds: number | null;
}

/** The length of a file's media, and how to find a time in it. */
interface Length extends Search {
  readonly durationSeconds: number;
}

/**
 * Measures a file's media.
 * @throws {MediaError} when its beginning or its end cannot be decoded, or its end is missing
 */
async function measureLength(source: Source, structure: Structure, format: ContainerFormat): Promise<Length> {
  const streams = [structure.video, structure.audio].filter((stream) => stream !== null);
  const kind: MediaKind = structure.video === null ? 'audio' : 'video';
  const beginning = { kind, streams, fromSeconds: null, seconds: sampleSeconds, strict: false };
  const [length, isBeginningWhole] = await Promise.all([
    format.isSearched ? searchedLength(source, structure) : indexedLength(source, structure),
    decodesSample(source, beginning),
  ]);
  if (!isBeginningWhole) throw new BeginningDamaged(streams);
  const { packets, leadSeconds, durationSeconds } = length;
  // A stream that ends before the part that was read has no known end. The longest stream has one.
  const lasting = streams.filter(({ index }) => packets.has(index));
  const lastSeconds = Math.min(...lasting.map(({ index }) => packets.get(index)!.lastSeconds));
  const fromSeconds = lastSeconds - structure.startSeconds - sampleSeconds;
  // The end of a file whose clock jumps would be found by reading all of it.
  if (fromSeconds > 0 && lasting.length > 0 && (leadSeconds ?? 0) < durationSeconds) {
    const end = { kind, streams: lasting, fromSeconds, leadSeconds: leadSeconds ?? undefined, strict: false };
    if (!(await decodesSample(source, end)))
      throw new MediaError('damaged', 'The end of the file cannot be decoded: it is damaged.');
  }
  return {
    durationSeconds,
    leadSeconds: leadSeconds ?? searchLead(structure, format, packets),
    searchableSeconds: format.hasEndMark ? await searchableUntil(source, structure, packets) : null,
  };
}

/** The last time before the mark at the end of the pictures; null: there are none, or it takes too long to find. */
async function searchableUntil(source: Source, { video, startSeconds }: Structure, lastPackets: Packets) {
  if (video === null) return null;
  const packets = lastPackets.has(video.index) ? lastPackets : await readPackets(source, null, 0);
  const last = packets?.get(video.index)?.lastDecodedSeconds;
  // The mark has the time of the last picture, in milliseconds.
  return last === undefined ? null : Math.max(0, Math.round((last - startSeconds) * 1000 - 2) / 1000);
}

type Packets = ReadonlyMap<number, StreamPackets>;

/** A length with the packets that were read, by the indexes of streams. */
type LengthWithPackets = Omit<Length, 'searchableSeconds'> & { readonly packets: Packets };

/** The time from the beginning of the file's clock to the last end of a stream. */
function secondsOf(packets: Packets, startSeconds: number): number {
  return Math.max(...packets.values().map(({ endSeconds }) => endSeconds), startSeconds) - startSeconds;
}

/** Reads all packets of a file that is searched by times, as its header has only guesses. */
async function searchedLength(source: Source, structure: Structure): Promise<LengthWithPackets> {
  const { video, audio, startSeconds } = structure;
  const packets = await readPackets(source, null, audio?.source.sampleRate ?? 0);
  // A file that is too large to be read is believed.
  if (packets === null) return { ...(await indexedLength(source, structure)), leadSeconds: unknownLeadSeconds };
  const durationSeconds = secondsOf(packets, startSeconds);
  const played = [video, audio].flatMap((stream) => (stream && packets.get(stream.index)) ?? []);
  if (played.some(({ hasJumps }) => hasJumps))
    return { durationSeconds, leadSeconds: Math.ceil(durationSeconds), packets };
  // Decoding begins at a keyframe that may be as far away as the longest distance between two, and at a page of Ogg.
  const keyframeSeconds = (video && packets.get(video.index)?.keyframeSeconds) ?? 0;
  const apartSeconds = Math.max(keyframeSeconds, ...played.map(({ placeSeconds }) => placeSeconds));
  return { durationSeconds, leadSeconds: Math.ceil(apartSeconds + interleavedSeconds), packets };
}

/** Measures the length by the header and the last packets. */
async function indexedLength(source: Source, { video, audio, startSeconds, headerSeconds }: Structure) {
  // Some headers count from 0 also where the media begins later.
  const isLate = startSeconds > toleranceSeconds;
  const lookFromSeconds =
    headerSeconds === null ? null : Math.max(startSeconds, headerSeconds + (isLate ? 0 : startSeconds) - sampleSeconds);
  const packets = await readPackets(source, lookFromSeconds, audio?.source.sampleRate ?? 0);
  if (packets === null) throw takesTooLong();
  const foundSeconds = secondsOf(packets, startSeconds);
  const tolerance = Math.min(toleranceSeconds, (headerSeconds ?? 0) * toleranceShare);
  const isFromZero = isLate && headerSeconds !== null && headerSeconds > startSeconds;
  const promisedSeconds = isFromZero ? headerSeconds - startSeconds : headerSeconds;
  if (promisedSeconds !== null && foundSeconds < promisedSeconds - tolerance) {
    throw new MediaError(
      'truncated',
      `The file is cut off: it should last ${promisedSeconds.toFixed(1)} seconds, but its end is missing.`,
    );
  }
  // A header or a last packet may belong to the shorter track.
  const isLonger = headerSeconds !== null && foundSeconds > headerSeconds + longerSeconds;
  const isHeaderRight = headerSeconds !== null && !isLonger && foundSeconds >= headerSeconds - tolerance;
  if (!isHeaderRight) return { durationSeconds: foundSeconds, leadSeconds: null, packets };
  // Headers of sound include the padding of encoders before and after it, which is not heard.
  const isPadded = video === null && packets.size > 0 && foundSeconds < headerSeconds - paddedFromSeconds;
  return {
    durationSeconds: isPadded ? Math.round(foundSeconds * 1e6) / 1e6 : headerSeconds,
    leadSeconds: null,
    packets,
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

function isRight(mimeType: string | null, format: ContainerFormat, kind: MediaKind): mimeType is string {
  return mimeType !== null && kind === kindOfMimeType(mimeType) && fitsMimeType(format, mimeType);
}

function contentOf({ label }: ContainerFormat, kind: MediaKind): string {
  return kind === 'video' ? `${label} video` : `${kindNouns[kind]} (${label})`;
}
