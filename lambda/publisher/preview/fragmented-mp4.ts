// Writes fragmented MP4 (ISO/IEC 14496-12 and -15) with a track of pictures and one of AAC, which browsers play.
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import { audioFormat } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { codedDataOf, readVideoTag } from '../ffmpeg/video-tag.ts';

type Picture = Pick<Profile, 'videoCodec' | 'width' | 'height'>;

export interface Sample {
  readonly bytes: Buffer;
  readonly isKeyframe: boolean;
  /** Time from the decoding to the display, in units of the track's clock. */
  readonly compositionTime: number;
}

/** Successive samples of a track, all of one duration. Times are in units of the track's clock. */
export interface Fragment {
  readonly startTime: number;
  readonly duration: number;
  readonly samples: readonly Sample[];
}

/** Length of the FLV tag header before an AAC frame or its configuration. */
const aacHeaderBytes = 2;
/** Units per second. Every framerate that we send divides the first. */
export const clockRates = { video: 90_000, audio: audioFormat.sampleRate } as const;

/** Units per second of times that concern all tracks. */
const movieRate = 1000;
const trackIDs = { video: 1, audio: 2 } as const;
/** The name of the sample entry, and of its box with the configuration. */
const entries = {
  h264: ['avc1', 'avcC'],
  hevc: ['hvc1', 'hvcC'],
  av1: ['av01', 'av1C'],
} as const satisfies Readonly<Record<VideoCodec, readonly [string, string]>>;

/** The sample of a picture. @param payload FLV tag body */
export function pictureSample(payload: Buffer, { framesPerSecond }: Pick<Profile, 'framesPerSecond'>): Sample {
  const { isKeyframe, compositionMs } = readVideoTag(payload);
  const delayFrames = Math.round((compositionMs * framesPerSecond) / 1000);
  const compositionTime = delayFrames * (clockRates.video / framesPerSecond);
  return { bytes: codedDataOf(payload), isKeyframe, compositionTime };
}

/** The sample of an AAC frame. @param payload FLV tag body */
export function soundSample(payload: Buffer): Sample {
  return { bytes: payload.subarray(aacHeaderBytes), isKeyframe: true, compositionTime: 0 };
}

/**
 * The header before the first fragment, the same for all of them.
 * @param headers FLV tag bodies with configurations
 * @param seconds duration of all fragments; 0: not known
 */
export function movieHeader(
  picture: Picture,
  headers: { readonly video: Buffer; readonly audio: Buffer },
  seconds = 0,
): Buffer {
  const movieUnits = Math.round(seconds * movieRate);
  const whole = seconds === 0 ? [] : [fullBox('mehd', 0, 0, u32(movieUnits))];
  const brands = ['iso6', 'mp41'].map((brand) => Buffer.from(brand, 'latin1'));
  return Buffer.concat([
    box('ftyp', brands[0]!, u32(0), ...brands),
    box(
      'moov',
      fullBox(
        'mvhd',
        0,
        0,
        u32(0, 0, movieRate, movieUnits, 0x10000),
        u16(0x100, 0),
        u32(0, 0),
        matrix,
        u32(0, 0, 0, 0, 0, 0, 3),
      ),
      videoTrack(picture, codedDataOf(headers.video), seconds),
      audioTrack(headers.audio.subarray(aacHeaderBytes), seconds),
      box('mvex', ...whole, ...Object.values(trackIDs).map((id) => fullBox('trex', 0, 0, u32(id, 1, 0, 0, 0)))),
    ),
  ]);
}

/** @param sequence grows with each fragment */
export function movieFragment(sequence: number, video: Fragment, audio: Fragment): Buffer {
  const tracks = (
    [
      ['video', video],
      ['audio', audio],
    ] as const
  ).filter(([, { samples }]) => samples.length > 0);
  const media = Buffer.concat(tracks.flatMap(([, { samples }]) => samples.map(({ bytes }) => bytes)));
  const head = (mediaStart: number) => {
    let offset = mediaStart;
    const trafs = tracks.map(([kind, fragment]) => {
      const traf = trackFragment(trackIDs[kind], fragment, offset);
      offset += fragment.samples.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return traf;
    });
    return box('moof', fullBox('mfhd', 0, 0, u32(sequence >>> 0)), ...trafs);
  };
  // The length of the head does not depend on the value of `mediaStart`.
  const mediaStart = head(0).length + 8;
  return Buffer.concat([head(mediaStart), box('mdat', media)]);
}

function trackFragment(trackID: number, { startTime, duration, samples }: Fragment, dataOffset: number): Buffer {
  const defaults = { baseIsMoof: 0x02_00_00, duration: 0x08 } as const;
  const present = { dataOffset: 0x001, size: 0x200, flags: 0x400, compositionTime: 0x800 } as const;
  const sampleFlags = { keyframe: 0x02_00_00_00, other: 0x01_01_00_00 } as const;
  const table = Buffer.alloc(samples.length * 12);
  samples.forEach(({ bytes, isKeyframe, compositionTime }, index) => {
    table.writeUInt32BE(bytes.length, index * 12);
    table.writeUInt32BE(isKeyframe ? sampleFlags.keyframe : sampleFlags.other, index * 12 + 4);
    table.writeInt32BE(compositionTime, index * 12 + 8);
  });
  const trackFlags = defaults.baseIsMoof | defaults.duration;
  const runFlags = present.dataOffset | present.size | present.flags | present.compositionTime;
  return box(
    'traf',
    fullBox('tfhd', 0, trackFlags, u32(trackID, duration)),
    fullBox('tfdt', 1, 0, u64(startTime)),
    fullBox('trun', 1, runFlags, u32(samples.length, dataOffset), table),
  );
}

/** @param record the decoder configuration record of the codec, as in MP4 */
function videoTrack({ videoCodec, width, height }: Picture, record: Buffer, seconds: number): Buffer {
  const [entry, configuration] = entries[videoCodec];
  const description = box(
    entry,
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(width, height),
    u32(0x48_00_00, 0x48_00_00, 0),
    u16(1),
    Buffer.alloc(32),
    u16(0x18, 0xffff),
    box(configuration, record),
  );
  const media = fullBox('vmhd', 0, 1, Buffer.alloc(8));
  const kind = { id: trackIDs.video, clockRate: clockRates.video, handler: 'vide' } as const;
  return track({ ...kind, width, height, seconds, media, description });
}

/** @param configuration the AudioSpecificConfig */
function audioTrack(configuration: Buffer, seconds: number): Buffer {
  const { channels, sampleRate } = audioFormat;
  const specific = descriptor(0x05, configuration);
  const [aac, audioStream] = [0x40, 0x15];
  const decoder = descriptor(0x04, Buffer.of(aac, audioStream), Buffer.alloc(11), specific);
  const stream = descriptor(0x03, u16(0), Buffer.of(0), decoder, descriptor(0x06, Buffer.of(0x02)));
  const description = box(
    'mp4a',
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(8),
    u16(channels, 16, 0, 0),
    u32(sampleRate * 0x10000),
    fullBox('esds', 0, 0, stream),
  );
  const media = fullBox('smhd', 0, 0, Buffer.alloc(4));
  const size = { width: 0, height: 0, seconds };
  return track({ id: trackIDs.audio, clockRate: clockRates.audio, handler: 'soun', ...size, media, description });
}

interface Track {
  readonly id: number;
  readonly clockRate: number;
  readonly handler: 'vide' | 'soun';
  readonly width: number;
  readonly height: number;
  /** 0: not known. */
  readonly seconds: number;
  readonly media: Buffer;
  readonly description: Buffer;
}

function track({ id, clockRate, handler, width, height, seconds, media, description }: Track): Buffer {
  const enabledInMovie = 0x3;
  const volume = handler === 'soun' ? 0x100 : 0;
  const undetermined = 0x55c4;
  const empty = ['stts', 'stsc', 'stco'].map((type) => fullBox(type, 0, 0, u32(0)));
  const header = [
    u32(0, 0, id, 0, Math.round(seconds * movieRate), 0, 0),
    u16(0, 0, volume, 0),
    matrix,
    u32(width * 0x10000, height * 0x10000),
  ];
  return box(
    'trak',
    fullBox('tkhd', 0, enabledInMovie, ...header),
    box(
      'mdia',
      fullBox('mdhd', 0, 0, u32(0, 0, clockRate, Math.round(seconds * clockRate)), u16(undetermined, 0)),
      fullBox('hdlr', 0, 0, u32(0), Buffer.from(handler, 'latin1'), Buffer.alloc(13)),
      box(
        'minf',
        media,
        box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1))),
        box('stbl', fullBox('stsd', 0, 0, u32(1), description), ...empty, fullBox('stsz', 0, 0, u32(0, 0))),
      ),
    ),
  );
}

/** The identity matrix: pictures are not transformed. */
const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40_00_00_00);

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const bytes = parts.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(bytes), Buffer.from(type, 'latin1'), ...parts]);
}

function fullBox(type: string, version: number, flags: number, ...parts: readonly Buffer[]): Buffer {
  return box(type, u32(version * 0x1_00_00_00 + flags), ...parts);
}

/** A descriptor of MPEG-4 (ISO/IEC 14496-1), shorter than 128 bytes. */
function descriptor(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, body.length), body]);
}

function u16(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 2);
  numbers.forEach((number, index) => bytes.writeUInt16BE(number, index * 2));
  return bytes;
}

function u32(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, index) => bytes.writeUInt32BE(number, index * 4));
  return bytes;
}

function u64(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes;
}
