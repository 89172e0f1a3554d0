// What a stranger's file may ask of us before anything of it is decoded: limits by kind, and what decoding costs.
import type { ContentFacts } from '../playout/rendition.ts';

const mebibyte = 1024 * 1024;
const hourSeconds = 3600;

/** Pictures of any kind. A picture that is decoded has to fit into memory several times. */
export interface PictureLimits {
  readonly pixels: number;
  /** Of one decoded picture. */
  readonly pictureBytes: number;
}

/** A still is decoded once, so it may be larger than a moving picture. */
export const pictureLimits: Readonly<Record<'video' | 'image', PictureLimits>> = {
  video: { pixels: 8192 * 4320, pictureBytes: 128 * mebibyte },
  image: { pixels: 64 * mebibyte, pictureBytes: 256 * mebibyte },
};
/** Wider or higher, no picture is shown. Pixels that are not square can be made to look as wide as you like. */
export const longestSidePixels = 32_768;
const framesPerSecondAtMost = 240;

/** Nobody plays a file that is longer, and each of its seconds is prepared. */
const longestSeconds = 48 * hourSeconds;
/** ProRes of 2160p60 has 220 MB/s, and eight channels of sound at 192 kHz and 32 bits have 6 MB/s. */
const bytesPerSecondAtMost = { video: 250_000_000, audio: 12_500_000 } as const;
/**
 * A file of fewer bytes for a second says that it lasts longer than it has media for. A black and silent film has ten
 * times as many.
 */
const bytesPerSecondAtLeast = 50;
/** Short files are not judged by that: a single picture may be shown for all of one. */
const judgedFromSeconds = 60;

const channelsAtMost = 32;
const samplesPerSecondAtMost = 384_000;

/** The picture rate and the size of 720p30, which costs 1 to decode. */
const unitPixelsPerSecond = 1280 * 720 * 30;
/** Pictures of more than 8 bits take about half as long again. */
const deepPictureFactor = 1.5;
/** Four times the largest output, 2160p60: 4320p60 passes with 8 bits, 4320p30 and 2160p120 with any. */
const decodeCostAtMost = 4 * 18;

/** The pictures of a file, as its header has them. */
export interface SourcePictures {
  /** As coded, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Null where the file does not tell, and for stills. */
  readonly framerate: number | null;
  /** Of a decoded picture. */
  readonly bytesPerPixel: number;
  /** Whether a sample has more than 8 bits. */
  readonly isDeep: boolean;
}

export interface SourceSound {
  /** Of all tracks of sound together. */
  readonly channels: number;
  readonly sampleRate: number;
}

/** What a file says of itself. */
export interface SourceFacts {
  readonly kind: ContentFacts['kind'];
  readonly pictures: SourcePictures | null;
  readonly sound: SourceSound | null;
  /** Null where the file does not tell. */
  readonly durationSeconds: number | null;
  /** Null where nobody knows. */
  readonly sizeBytes: number | null;
}

/**
 * What it costs to decode moving pictures in real time, in 720p30 of 8 bits: by pixels a second. A rate that is not
 * known is taken for 60.
 */
export function decodeCost({ width, height, framerate, isDeep }: Omit<SourcePictures, 'bytesPerPixel'>): number {
  const unknownFramerate = 60;
  const pixelsPerSecond = width * height * (framerate ?? unknownFramerate);
  return (pixelsPerSecond / unitPixelsPerSecond) * (isDeep ? deepPictureFactor : 1);
}

/** The pixels a second of 8 bits that cost as much to decode. */
export function pixelsOfDecodeCost(cost: number): number {
  return cost * unitPixelsPerSecond;
}

/** Why a file is not taken, and what its user can do: two sentences. Null for a file that can be decoded. */
export function faultOfSource({ kind, pictures, sound, durationSeconds, sizeBytes }: SourceFacts): string | null {
  return (
    (pictures && kind !== 'audio' ? faultOfPictures(kind, pictures) : null) ??
    (sound ? faultOfSound(sound) : null) ??
    (durationSeconds === null || kind === 'image' ? null : faultOfDuration(kind, durationSeconds, sizeBytes))
  );
}

/** Why pictures of this size are not taken. */
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
