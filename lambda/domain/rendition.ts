// What an upload is prepared to: formats, lengths and segments of renditions.
import { frameCountOf } from './play-out.ts';
import type { TimelineItem } from './play-out.ts';
import { firstSoundFrameFrom } from './prepared-play-out.ts';
import { framerates, framesPerSecond, qualities } from './video-format.ts';
import type { Framerate, Quality } from './video-format.ts';

/** A rendition is for a quality and framerate; one of sound alone serves all of them. */
export type RenditionFormat = PictureFormat | 'sound';

export interface PictureFormat {
  readonly quality: Quality;
  readonly framerate: Framerate;
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
export function renditionOf(contentHash: string, item: Pick<TimelineItem, 'kind' | 'durationSeconds'>, format: RenditionFormat): Rendition {
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

/** `q_1080p-f_30` or `sound`: the format in object keys, rows and commands. */
export function formatName(format: RenditionFormat): string {
  return format === 'sound' ? format : `${format.quality}-${format.framerate}`;
}

/** The format of a name. @throws {RangeError} when there is none */
export function formatNamed(name: string): RenditionFormat {
  if (name === 'sound') return name;
  const [quality, framerate] = name.split('-');
  const format = { quality: qualities.find((each) => each === quality), framerate: framerates.find((each) => each === framerate) };
  if (!format.quality || !format.framerate) throw new RangeError(`there is no format ${name}`);
  return { quality: format.quality, framerate: format.framerate };
}
