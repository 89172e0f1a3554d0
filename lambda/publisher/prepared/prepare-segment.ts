// Makes one segment of a rendition from an upload, with ffmpeg: the same pictures and sound, whatever was made before it.
import {
  firstSoundFrameFrom,
  pictureOffsetMs,
  pictureOfSoundFrame,
  soundOffsetMs,
} from '../../domain/prepared-play-out.ts';
import { groupsPerSegment } from '../../domain/rendition.ts';
import type { Rendition } from '../../domain/rendition.ts';
import type { DynamicRange } from '../../domain/video-format.ts';
import { openAudioEncoder } from '../ffmpeg/audio-encoder.ts';
import { openAudioSource } from '../ffmpeg/audio-source.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { audioFormat, profileOf } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { openVideoSource } from '../ffmpeg/video-source.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { mediaChunkSize } from '../rtmp/message.ts';
import { deltaChunks } from './delta-chunks.ts';
import { writeSegment } from './segment-format.ts';
import type { Group } from './segment-format.ts';

export interface SegmentRequest {
  readonly rendition: Rendition;
  readonly segment: number;
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
  readonly kind: 'video' | 'image' | 'audio';
  readonly hasAudio: boolean;
  /** SDR where it is absent. */
  readonly dynamicRange?: DynamicRange | undefined;
  /** Of pictures; null where there are none. */
  readonly encoder: EncoderSettings | null;
}

/** Encoded before the first frame wanted and thrown away: by then the encoder does what it would have done from the beginning. */
const prerollFrames = 8;
/** At both ends of an item, where its sound meets that of another: without it the join would crack. */
const fadeSamples = audioFormat.sampleRate / 100;

/**
 * @returns the object's bytes; made again, they differ by a few, as x264 spends its bits by how its threads take turns
 * @throws {MediaError} when nothing of the upload can be decoded; {ToolError} when ffmpeg or the source failed; the signal's reason
 */
export async function prepareSegment(tools: MediaTools, request: SegmentRequest, signal: AbortSignal): Promise<Buffer> {
  const { format, groupCount } = request.rendition;
  const firstGroup = request.segment * groupsPerSegment(format);
  const end = Math.min(firstGroup + groupsPerSegment(format), groupCount);
  if (format === 'sound') {
    const sound = await encodeSound(
      tools,
      request,
      firstGroup,
      end,
      groupCount * audioFormat.samplesPerAacFrame,
      signal,
    );
    const groups = sound.messages.map((message) => ({ video: null, sound: [message] }));
    const facts = {
      chunkSize: mediaChunkSize,
      framesPerSecond: null,
      gopFrames: 1,
      firstGroup,
      videoSequenceHeader: null,
    };
    return writeSegment({ ...facts, audioSequenceHeader: sound.sequenceHeader }, groups);
  }
  const profile = profileOf(format);
  const rate = profile.framesPerSecond;
  const firstSound = firstSoundFrameFrom(firstGroup, rate);
  const [pictures, sound] = await Promise.all([
    encodePictures(tools, request, profile, firstGroup, end, signal),
    encodeSound(
      tools,
      request,
      firstSound,
      firstSoundFrameFrom(end, rate),
      groupCount * profile.samplesPerFrame,
      signal,
    ),
  ]);
  const groups: { video: Buffer; sound: Buffer[] }[] = pictures.messages.map((video) => ({ video, sound: [] }));
  sound.messages.forEach((message, index) =>
    groups[pictureOfSoundFrame(firstSound + index, rate) - firstGroup]!.sound.push(message),
  );
  const facts = { chunkSize: mediaChunkSize, framesPerSecond: rate, gopFrames: profile.gopFrames, firstGroup };
  const headers = { videoSequenceHeader: pictures.sequenceHeader, audioSequenceHeader: sound.sequenceHeader };
  return writeSegment({ ...facts, ...headers }, groups satisfies Group[]);
}

interface Encoded {
  readonly messages: Buffer[];
  readonly sequenceHeader: Buffer;
}

async function encodePictures(
  tools: MediaTools,
  { sourceURL, encoder, kind, dynamicRange }: SegmentRequest,
  profile: Profile,
  first: number,
  end: number,
  signal: AbortSignal,
): Promise<Encoded> {
  if (kind === 'audio' || !encoder) throw new TypeError('sound has no pictures');
  const rate = profile.framesPerSecond;
  const source = openVideoSource(
    tools,
    { sourceURL, kind, dynamicRange, startFrame: first, frameCount: end - first, profile, encoder, background: true },
    signal,
  );
  const messages: Buffer[] = [];
  let sequenceHeader: Buffer | undefined;
  try {
    for (let frame = await source.readFrame(); frame !== null; frame = await source.readFrame()) {
      const picture = first + frame.index;
      if (frame.keyframe !== (picture % profile.gopFrames === 0))
        throw new Error(`picture ${picture} breaks the grid of keyframes`);
      sequenceHeader ??= frame.sequenceHeader;
      messages.push(
        deltaChunks(
          'video',
          sinceBefore(picture, (each) => pictureOffsetMs(each, rate)),
          frame.payload,
        ),
      );
    }
  } finally {
    await source.close();
  }
  if (!sequenceHeader) throw new Error('the encoder gave no sequence header');
  return { messages, sequenceHeader };
}

/** Frames `first` to `end` of the sound of an item that lasts `itemSamples`. */
async function encodeSound(
  tools: MediaTools,
  request: SegmentRequest,
  first: number,
  end: number,
  itemSamples: number,
  signal: AbortSignal,
): Promise<Encoded> {
  const { sourceURL, hasAudio } = request;
  const { samplesPerAacFrame } = audioFormat;
  const encoder = openAudioEncoder(tools, { bitrateKbps: audioFormat.bitrateKbps }, signal);
  const preroll = Math.min(first, prerollFrames);
  const startSample = (first - preroll) * samplesPerAacFrame;
  // The encoder looks ahead: what follows the segment decides how its last frame ends.
  const endSample = Math.min(itemSamples, end * samplesPerAacFrame + encoder.latencySamples);
  const source = hasAudio
    ? openAudioSource(tools, { sourceURL, startSample, sampleCount: endSample - startSample, background: true }, signal)
    : null;
  try {
    const messages: Buffer[] = [];
    // The encoder's first frame only primes decoders.
    for (let frame = first - preroll - 1, sample = startSample; frame < end; frame++) {
      for (
        const needed = (frame + 1) * samplesPerAacFrame + encoder.latencySamples;
        sample < needed;
        sample += samplesPerAacFrame
      ) {
        const samples =
          (await source?.readSamples(samplesPerAacFrame)) ??
          Buffer.alloc(samplesPerAacFrame * audioFormat.bytesPerSample);
        fade(samples, sample, itemSamples);
        encoder.write(samples);
      }
      const body = await encoder.readFrame();
      if (frame >= first) messages.push(deltaChunks('audio', sinceBefore(frame, soundOffsetMs), body));
    }
    return { messages, sequenceHeader: await encoder.sequenceHeader };
  } finally {
    await Promise.all([encoder.close(), source?.close()]);
  }
}

/** The first of a rendition follows nothing that it knows of: play-out fills that in. */
function sinceBefore(position: number, offsetMs: (position: number) => number): number {
  return position === 0 ? 0 : offsetMs(position) - offsetMs(position - 1);
}

/** In place: from nothing at the item's first sample, to nothing at its last. */
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
