// Makes one segment of a rendition from an upload with ffmpeg, independently of earlier segments.
import type { SourceReading } from '../../domain/shared/source-reading.ts';
import type { FrameRange } from '../../domain/playout/composition.ts';
import { frameCountOf } from '../../domain/playout/play-out.ts';
import {
  firstSoundFrameFrom,
  pictureOffsetMs,
  pictureOfSoundFrame,
  soundOffsetMs,
} from '../../domain/playout/prepared-play-out.ts';
import { groupsOfSegment, isSound } from '../../domain/playout/rendition.ts';
import type { PictureFormat, Rendition } from '../../domain/playout/rendition.ts';
import type { SoundLevel } from '../../domain/playout/sound.ts';
import { framesPerSecond as rates } from '../../domain/shared/video-format.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { latencySamples, openAudioEncoder } from '../ffmpeg/audio-encoder.ts';
import { openAudioSource } from '../ffmpeg/audio-source.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { audioFormat, profileOf } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { VideoRequest } from '../ffmpeg/item-arguments.ts';
import { onlyLayer } from '../ffmpeg/layered-pictures.ts';
import type { PictureOverlay } from '../ffmpeg/overlays.ts';
import { openVideoSource } from '../ffmpeg/video-source.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { mediaChunkSize } from '../rtmp/message.ts';
import { deltaChunks } from '../prepared/delta-chunks.ts';
import { writeSegment } from '../prepared/segment-format.ts';

export interface SegmentRequest {
  readonly rendition: Rendition;
  readonly segment: number;
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
  readonly kind: 'video' | 'image' | 'audio';
  readonly hasAudio: boolean;
  /** Absent: SDR. */
  readonly dynamicRange?: DynamicRange | undefined;
  /** Absent: the usual way. */
  readonly reading?: SourceReading | undefined;
  /** The overlay of its pictures; null or absent: none. */
  readonly overlay?: PictureOverlay | null | undefined;
  /** The gain that brings the sound to its target loudness; absent or null: the sound is unchanged. */
  readonly level?: SoundLevel | null | undefined;
  /** The item's duration if a rendition of sound alone must end with the pictures; absent: it may be longer. */
  readonly itemSeconds?: number | undefined;
  /** The encoder of the pictures; null for sound alone. */
  readonly encoder: EncoderSettings | null;
}

/**
 * The AAC encoder begins this many frames before the first wanted one; they are discarded. After them its output equals
 * that of an encoder that began with the item.
 */
const prerollFrames = 8;
/** The preroll for sound with a limiter, whose state depends on this many frames. */
const limitedPrerollFrames = 48;
/** The sound of an item fades in and out over this many samples. Without fades, joins would click. */
const fadeSamples = audioFormat.sampleRate / 100;

/** The inputs of a segment. */
interface Work {
  readonly tools: MediaTools;
  readonly request: SegmentRequest;
  readonly signal: AbortSignal;
}

/**
 * @returns the bytes of the segment's object. They are not reproducible: x264 distributes bits by the timing of its
 * threads
 * @throws {MediaError} when the upload cannot be decoded; {ToolError} when ffmpeg or the source failed; the signal's
 * reason
 */
export async function prepareSegment(tools: MediaTools, request: SegmentRequest, signal: AbortSignal): Promise<Buffer> {
  const { format } = request.rendition;
  const { firstGroup: first, groupCount } = groupsOfSegment(request.rendition, request.segment);
  const groups = { first, end: first + groupCount };
  const work = { tools, request, signal };
  return isSound(format) ? prepareSound(work, groups) : preparePictures(work, groups, format, profileOf(format));
}

async function prepareSound(work: Work, groups: FrameRange): Promise<Buffer> {
  const { rendition, itemSeconds } = work.request;
  const { samplesPerAacFrame } = audioFormat;
  const itemSamples =
    itemSeconds === undefined ? rendition.groupCount * samplesPerAacFrame : shortestSamples(itemSeconds);
  return writeSound(groups.first, await encodeSound(work, groups, itemSamples));
}

/** Makes a segment of pictures with their own sound. */
async function preparePictures(work: Work, groups: FrameRange, format: PictureFormat, profile: Profile) {
  const { rendition, sourceURL, kind, dynamicRange, reading, overlay = null, encoder } = work.request;
  const { framing, inOrder = false } = format;
  if (kind === 'audio' || !encoder) throw new TypeError('sound has no pictures');
  const look = {
    ...(dynamicRange && { dynamicRange }),
    ...(reading && { reading }),
    ...(framing && { framing }),
    overlay,
  };
  const layer = onlyLayer({ sourceURL, kind, ...look });
  const soundFrames = {
    first: firstSoundFrameFrom(groups.first, profile.framesPerSecond),
    end: firstSoundFrameFrom(groups.end, profile.framesPerSecond),
  };
  const [pictures, sound] = await Promise.all([
    encodePictures({ ...work, request: { layers: [layer], encoder, inOrder } }, groups, profile),
    encodeSound(work, soundFrames, rendition.groupCount * profile.samplesPerFrame),
  ]);
  return writePictures(groups, profile, pictures, sound);
}

/** The bytes of an object with sound alone. */
export function writeSound(firstGroup: number, { messages, sequenceHeader }: Encoded): Buffer {
  const facts = {
    chunkSize: mediaChunkSize,
    framesPerSecond: null,
    gopFrames: 1,
    firstGroup,
    videoSequenceHeader: null,
    audioSequenceHeader: sequenceHeader,
  };
  return writeSegment(
    facts,
    messages.map((message) => ({ video: null, sound: [message] })),
  );
}

/** The bytes of an object with pictures and their sound. */
export function writePictures(
  groups: FrameRange,
  { framesPerSecond, gopFrames }: Profile,
  pictures: Encoded,
  sound: Encoded,
): Buffer {
  const firstSound = firstSoundFrameFrom(groups.first, framesPerSecond);
  const written: { video: Buffer; sound: Buffer[] }[] = pictures.messages.map((video) => ({ video, sound: [] }));
  for (const [index, message] of sound.messages.entries()) {
    const picture = pictureOfSoundFrame(firstSound + index, framesPerSecond);
    written[picture - groups.first]!.sound.push(message);
  }
  const facts = {
    chunkSize: mediaChunkSize,
    framesPerSecond,
    gopFrames,
    firstGroup: groups.first,
    videoSequenceHeader: pictures.sequenceHeader,
    audioSequenceHeader: sound.sequenceHeader,
  };
  return writeSegment(facts, written);
}

/** Encoded pictures, or frames of sound. */
export interface Encoded {
  readonly messages: Buffer[];
  readonly sequenceHeader: Buffer;
}

/** The inputs of pictures. */
interface PictureWork extends Omit<Work, 'request'> {
  readonly request: Pick<VideoRequest, 'layers' | 'encoder' | 'inOrder'>;
}

/** Encodes pictures of an item. */
export async function encodePictures(
  { tools, request, signal }: PictureWork,
  { first, end }: FrameRange,
  profile: Profile,
): Promise<Encoded> {
  const { framesPerSecond, gopFrames } = profile;
  const frames = { startFrame: first, frameCount: end - first };
  const source = openVideoSource(tools, { ...request, ...frames, profile, background: true }, signal);
  const timeOf = (picture: number) => pictureOffsetMs(picture, framesPerSecond);
  const messages: Buffer[] = [];
  let sequenceHeader: Buffer | undefined;
  try {
    for (let frame = await source.readFrame(); frame !== null; frame = await source.readFrame()) {
      const picture = first + frame.index;
      if (frame.keyframe !== (picture % gopFrames === 0))
        throw new Error(`picture ${picture} breaks the grid of keyframes`);
      sequenceHeader ??= frame.sequenceHeader;
      messages.push(deltaChunks('video', sinceBefore(picture, timeOf), frame.payload));
    }
  } finally {
    await source.close();
  }
  if (!sequenceHeader) throw new Error('the encoder gave no sequence header');
  return { messages, sequenceHeader };
}

/** Encodes sound frames of the upload, as an item that lasts `itemSamples`. */
async function encodeSound(
  { tools, request, signal }: Work,
  { first, end }: FrameRange,
  itemSamples: number,
): Promise<Encoded> {
  const { sourceURL, hasAudio, reading, level = null } = request;
  const { samplesPerAacFrame, bytesPerSample } = audioFormat;
  const preroll = Math.min(first, level?.isLimited ? limitedPrerollFrames : prerollFrames);
  const startSample = (first - preroll) * samplesPerAacFrame;
  // The encoder looks ahead: the samples after the segment influence its last frame.
  const endSample = Math.min(itemSamples, end * samplesPerAacFrame + latencySamples);
  const sampleCount = endSample - startSample;
  const audioRequest = { sourceURL, reading, startSample, sampleCount, level, background: true };
  const source = hasAudio ? openAudioSource(tools, audioRequest, signal) : null;
  const read = async (sample: number) => {
    const samples =
      (await source?.readSamples(samplesPerAacFrame)) ?? Buffer.alloc(samplesPerAacFrame * bytesPerSample);
    fade(samples, sample, itemSamples);
    return samples;
  };
  try {
    return await encodeSoundFrames(tools, { first, end, preroll, read }, signal);
  } finally {
    await source?.close();
  }
}

interface SoundFrames extends FrameRange {
  /** The encoder begins this many frames earlier. They are discarded. */
  readonly preroll: number;
  /** Called in order: the samples of one frame from a sample of the item. */
  readonly read: (startSample: number) => Promise<Buffer>;
}

/** Encodes frames of sound, and reads `latencySamples` more than they contain. */
export async function encodeSoundFrames(
  tools: MediaTools,
  { first, end, preroll, read }: SoundFrames,
  signal: AbortSignal,
): Promise<Encoded> {
  const { samplesPerAacFrame } = audioFormat;
  const encoder = openAudioEncoder(tools, signal);
  try {
    const messages: Buffer[] = [];
    let sample = (first - preroll) * samplesPerAacFrame;
    // The loop begins one frame before the samples: the encoder's first frame only primes decoders.
    for (let frame = first - preroll - 1; frame < end; frame++) {
      const neededSamples = (frame + 1) * samplesPerAacFrame + latencySamples;
      for (; sample < neededSamples; sample += samplesPerAacFrame) encoder.write(await read(sample));
      const body = await encoder.readFrame();
      if (frame >= first) messages.push(deltaChunks('audio', sinceBefore(frame, soundOffsetMs), body));
    }
    return { messages, sequenceHeader: await encoder.sequenceHeader };
  } finally {
    await encoder.close();
  }
}

/** The samples of an item at the framerate at which it is shortest. */
function shortestSamples(durationSeconds: number): number {
  const { sampleRate } = audioFormat;
  return Math.min(...Object.values(rates).map((rate) => (frameCountOf({ durationSeconds }, rate) * sampleRate) / rate));
}

/** Milliseconds since the previous message; 0 for the first of a rendition, whose time play-out fills in. */
export function sinceBefore(position: number, offsetMs: (position: number) => number): number {
  return position === 0 ? 0 : offsetMs(position) - offsetMs(position - 1);
}

/** Fades samples in place: in from silence at the item's first sample, and out to silence at its last. */
function fade(samples: Buffer, firstSample: number, itemSamples: number): void {
  const count = samples.length / audioFormat.bytesPerSample;
  for (let index = 0; index < count; index++) {
    const toEdge = Math.min(firstSample + index, itemSamples - 1 - firstSample - index);
    if (toEdge >= fadeSamples) continue;
    const gain = Math.max(0, toEdge) / fadeSamples;
    for (let channel = 0; channel < audioFormat.channels; channel++) {
      const at = index * audioFormat.bytesPerSample + channel * 2;
      samples.writeInt16LE(Math.round(samples.readInt16LE(at) * gain), at);
    }
  }
}
