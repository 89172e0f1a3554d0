// What an upload is prepared to: formats, lengths and segments of renditions.
import { frameCountOf } from './play-out.ts';
import type { TimelineItem } from './play-out.ts';
import { firstSoundFrameFrom } from './prepared-play-out.ts';
import { framerates, framesPerSecond, qualities, videoCodecs } from './video-format.ts';
import type { Framerate, Quality, VideoCodec } from './video-format.ts';

/** A rendition is for a quality, framerate and codec; one of sound alone serves all of them. */
export type RenditionFormat = PictureFormat | 'sound';

export interface PictureFormat {
  readonly quality: Quality;
  readonly framerate: Framerate;
  readonly videoCodec: VideoCodec;
}

/** Of one content in one format there is one rendition, whoever uploaded it and whoever asks. */
export interface Rendition {
  /** SHA-256 of the upload's bytes, in hex. */
  readonly contentHash: string;
  readonly format: RenditionFormat;
  /** Groups in all: pictures, or AAC frames where there are none. */
  readonly groupCount: number;
}

/** Whole GOPs at every framerate. Short enough to be prepared by the slowest machine within the time of a command. */
const segmentSeconds = 20;
/** As long as a segment of pictures, or a little longer. */
const soundFramesPerSegment = 1000;
/** A still is prepared as one closed GOP, which plays again and again. */
const stillSeconds = 2;
/** The lowest framerate: on its grid an item may last half a frame longer than its media. */
const longestFrameSeconds = 1 / 24;

/** @param item with the length of the upload; of a still it is not looked at */
export function renditionOf(
  contentHash: string,
  item: Pick<TimelineItem, 'kind' | 'durationSeconds'>,
  format: RenditionFormat,
): Rendition {
  if (format !== 'sound') {
    const durationSeconds = item.kind === 'image' ? stillSeconds : item.durationSeconds;
    return { contentHash, format, groupCount: frameCountOf({ durationSeconds }, framesPerSecond[format.framerate]) };
  }
  const milliseconds = frameCountOf({ durationSeconds: item.durationSeconds + longestFrameSeconds }, 1000);
  return { contentHash, format, groupCount: firstSoundFrameFrom(milliseconds, 1000) };
}

export function groupsPerSegment(format: RenditionFormat): number {
  return format === 'sound' ? soundFramesPerSegment : segmentSeconds * framesPerSecond[format.framerate];
}

export function segmentCount({ format, groupCount }: Pick<Rendition, 'format' | 'groupCount'>): number {
  return Math.ceil(groupCount / groupsPerSegment(format));
}

/** `q_1080p-f_30` for H.264, `q_1080p-f_30-hevc`, or `sound`: the format in object keys, rows and commands. */
export function formatName(format: RenditionFormat): string {
  if (format === 'sound') return format;
  const { quality, framerate, videoCodec } = format;
  return [quality, framerate, ...(videoCodec === 'h264' ? [] : [videoCodec])].join('-');
}

/** The format of a name. @throws {RangeError} when there is none */
export function formatNamed(name: string): RenditionFormat {
  const pictures = qualities.flatMap((quality) =>
    framerates.flatMap((framerate) => videoCodecs.map((videoCodec) => ({ quality, framerate, videoCodec }))),
  );
  const format = name === 'sound' ? name : pictures.find((each) => formatName(each) === name);
  if (!format) throw new RangeError(`there is no format ${name}`);
  return format;
}
