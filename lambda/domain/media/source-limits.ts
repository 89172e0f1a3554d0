// Limits of a stranger's file before any of it is decoded, by kind, and the cost of decoding it.
import type { ContentFacts } from '../playout/rendition.ts';

const mebibyte = 1024 * 1024;
const hourSeconds = 3600;

/**
 * Limits of pictures. A decoded picture, of `pictureBytes`, has to fit into memory several times. A still is decoded
 * once, so it may be larger than a moving picture.
 */
export const pictureLimits = {
  video: { pixels: 8192 * 4320, pictureBytes: 128 * mebibyte },
  image: { pixels: 64 * mebibyte, pictureBytes: 256 * mebibyte },
} as const;
/** Longest side that is shown. Pixels that are not square can claim any width. */
export const longestSidePixels = 32_768;
const framesPerSecondAtMost = 240;

/** Longest duration: no user plays more, and each second is prepared. */
const longestSeconds = 48 * hourSeconds;
/** ProRes of 2160p60 has 220 MB/s, and eight channels of sound at 192 kHz and 32 bits have 6 MB/s. */
const bytesPerSecondAtMost = { video: 250_000_000, audio: 12_500_000 } as const;
/**
 * A file with fewer bytes a second claims more duration than it has media. A black and silent film has ten times as
 * many.
 */
const bytesPerSecondAtLeast = 50;
/** Shorter files are not judged by that: a single picture may last for all of one. */
const judgedFromSeconds = 60;

const channelsAtMost = 32;
const samplesPerSecondAtMost = 384_000;

/** Pixels a second of 720p30, whose decode cost is 1. */
const unitPixelsPerSecond = 1280 * 720 * 30;
/** Pictures of more than 8 bits take about half as long again. */
const deepPictureFactor = 1.5;
/** Four times the largest output, 2160p60: 4320p60 passes with 8 bits, 4320p30 and 2160p120 with any. */
const decodeCostAtMost = 4 * 18;

/** Pictures of a file, from its header. */
export interface SourcePictures {
  /** As coded, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Null if the file does not state it, and for stills. */
  readonly framerate: number | null;
  /** Bytes for each pixel of a decoded picture. */
  readonly bytesPerPixel: number;
  /** Whether a sample has more than 8 bits. */
  readonly isDeep: boolean;
}

export interface SourceSound {
  /** Channels of all tracks of sound together. */
  readonly channels: number;
  readonly sampleRate: number;
}

/** Facts that a file states about itself. */
export interface SourceFacts {
  readonly kind: ContentFacts['kind'];
  readonly pictures: SourcePictures | null;
  readonly sound: SourceSound | null;
  /** Null if the file does not state it. */
  readonly durationSeconds: number | null;
  /** Null if unknown. */
  readonly sizeBytes: number | null;
}

/**
 * Cost of decoding moving pictures in real time, in units of 8-bit 720p30, by pixels a second. An unknown rate counts
 * as 60.
 */
export function decodeCost({ width, height, framerate, isDeep }: Omit<SourcePictures, 'bytesPerPixel'>): number {
  const unknownFramerate = 60;
  const pixelsPerSecond = width * height * (framerate ?? unknownFramerate);
  return (pixelsPerSecond / unitPixelsPerSecond) * (isDeep ? deepPictureFactor : 1);
}

/** Pixels a second, at 8 bits, with this decode cost. */
export function pixelsOfDecodeCost(cost: number): number {
  return cost * unitPixelsPerSecond;
}

/** Reason why a file is refused, with a remedy, in two sentences; null for a file that can be decoded. */
export function faultOfSource({ kind, pictures, sound, durationSeconds, sizeBytes }: SourceFacts): string | null {
  return (
    (pictures && kind !== 'audio' ? faultOfPictures(kind, pictures) : null) ??
    (sound ? faultOfSound(sound) : null) ??
    (durationSeconds === null || kind === 'image' ? null : faultOfDuration(kind, durationSeconds, sizeBytes))
  );
}

/** Reason why pictures of this size are refused. */
export function tooManyPixels(kind: 'video' | 'image', width: number, height: number): string {
  const atMost = Math.floor(pictureLimits[kind].pixels / 1e6);
  return (
    `The pictures have ${width} × ${height} pixels, of which we take ${atMost} million at most. ` +
    'Make the file anew with smaller pictures: streams have 3840 × 2160.'
  );
}

function faultOfPictures(kind: 'video' | 'image', pictures: SourcePictures): string | null {
  const { width, height, framerate, bytesPerPixel, isDeep } = pictures;
  const { pixels, pictureBytes } = pictureLimits[kind];
  if (width * height > pixels) return tooManyPixels(kind, width, height);
  if (width * height * bytesPerPixel > pictureBytes) {
    const megabytes = (bytes: number) => Math.round(bytes / mebibyte);
    return (
      `A picture takes ${megabytes(width * height * bytesPerPixel)} MiB when it is decoded, ` +
      `and we take ${megabytes(pictureBytes)} at most. Make the file anew with 8 bits a colour, or smaller pictures.`
    );
  }
  if (kind === 'image') return null;
  if (framerate !== null && framerate > framesPerSecondAtMost) {
    return (
      `The file has ${framerate} pictures a second, and we take ${framesPerSecondAtMost} at most. ` +
      'Make it anew with 60: streams have no more.'
    );
  }
  if (decodeCost({ width, height, framerate, isDeep }) <= decodeCostAtMost) return null;
  return (
    `The pictures, ${width} × ${height} and ${framerate} a second, take more work to decode than we do in real time. ` +
    'Make the file anew with 3840 × 2160 pixels, or 60 pictures a second.'
  );
}

function faultOfSound({ channels, sampleRate }: SourceSound): string | null {
  if (channels > channelsAtMost) {
    return (
      `The file has ${channels} channels of sound, and we take ${channelsAtMost} at most. ` +
      'Mix it down to stereo: streams have no more.'
    );
  }
  if (sampleRate <= samplesPerSecondAtMost) return null;
  return `The sound has ${sampleRate} samples a second. Make the file anew with 48000: streams have no more.`;
}

function faultOfDuration(kind: 'video' | 'audio', durationSeconds: number, sizeBytes: number | null): string | null {
  if (durationSeconds > longestSeconds) {
    const hours = Math.round(durationSeconds / hourSeconds);
    return (
      `The file says that it lasts ${hours} hours, and we take ${longestSeconds / hourSeconds} at most. ` +
      'Cut it into several files, or make it anew if that is not its length.'
    );
  }
  if (sizeBytes === null) return null;
  const bytesPerSecond = sizeBytes / durationSeconds;
  if (durationSeconds > judgedFromSeconds && bytesPerSecond < bytesPerSecondAtLeast) {
    const seconds = Math.round(durationSeconds);
    return (
      `The file says that it lasts ${seconds} seconds, but has only ${sizeBytes} bytes. ` +
      'Make it anew; upload an image if it is to show one.'
    );
  }
  if (durationSeconds < 1 || bytesPerSecond <= bytesPerSecondAtMost[kind]) return null;
  const megabytes = (bytes: number) => Math.round(bytes / 1e6);
  return (
    `The file has ${megabytes(bytesPerSecond)} MB for each second, and we take ` +
    `${megabytes(bytesPerSecondAtMost[kind])} at most. Make it anew with a lower bitrate.`
  );
}
