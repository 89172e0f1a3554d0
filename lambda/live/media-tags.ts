// The bodies of contributed FLV tags: their codecs and contents, and their form as an FLV file for ffmpeg.
import { flvTagType } from '../publisher/ffmpeg/flv-reader.ts';
import { readVideoTag } from '../publisher/ffmpeg/video-tag.ts';
import type { VideoTag } from '../publisher/ffmpeg/video-tag.ts';
import type { ContributedTag } from './contribution.ts';

/** A tag of pictures. */
export interface PictureTag extends VideoTag {
  /** Null for a codec that is not accepted. */
  readonly codec: string | null;
}

/** A tag of sound. */
export interface SoundTag {
  readonly codec: string | null;
  readonly isSequenceHeader: boolean;
}

/** Codecs by their number in FLV (Adobe Flash Video File Format 10.1, E.4.3.1 and E.4.2.1). */
const avcNumber = 7;
const aacNumber = 10;
const mp3Numbers = new Set([2, 14]);
/** Codecs by their name in Enhanced RTMP. */
const codecOfName: Readonly<Record<string, string>> = { hvc1: 'hevc', av01: 'av1', vp09: 'vp9' };
const extendedBit = 0x80;
const nameEnd = 5;
/** The packet types of Enhanced RTMP up to this one have the header that ffmpeg reads. */
const lastPlainPacket = 3;
const packetTypeMask = 0x0f;
const longestHeader = 8;
/** A message to the player instead of a picture. */
const commandFrame = 5;

/** Reads a tag of pictures; null if it has none: it is too short, or it is a command. */
export function pictureTagOf(body: Buffer): PictureTag | null {
  const [first] = body;
  if (first === undefined || body.length < nameEnd) return null;
  if ((first & extendedBit) !== 0) {
    if ((first & packetTypeMask) > lastPlainPacket || body.length < longestHeader) return null;
    return { codec: codecOfName[body.toString('latin1', 1, nameEnd)] ?? null, ...readVideoTag(body) };
  }
  if (first >> 4 === commandFrame) return null;
  return { codec: (first & packetTypeMask) === avcNumber ? 'h264' : null, ...readVideoTag(body) };
}

/** Reads a tag of sound; null if it has none. */
export function soundTagOf(body: Buffer): SoundTag | null {
  if (body.length < 2) return null;
  const number = body[0]! >> 4;
  if (number === aacNumber) return { codec: 'aac', isSequenceHeader: body[1] === 0 };
  return { codec: mp3Numbers.has(number) ? 'mp3' : null, isSequenceHeader: false };
}

/** The start of an FLV file with one kind of media. */
export function flvStart(type: ContributedTag['type']): Buffer {
  const contents = type === 'video' ? 1 : 4;
  return Buffer.from([0x46, 0x4c, 0x56, 1, contents, 0, 0, 0, 9, 0, 0, 0, 0]);
}

const tagHeaderBytes = 11;

/** The pieces of an FLV tag. @param timestampMs whole and not negative */
export function flvTag(type: ContributedTag['type'], timestampMs: number, body: Buffer): [Buffer, Buffer, Buffer] {
  const header = Buffer.alloc(tagHeaderBytes);
  header[0] = flvTagType[type];
  header.writeUIntBE(body.length, 1, 3);
  header.writeUIntBE(timestampMs & 0xff_ff_ff, 4, 3);
  header[7] = (timestampMs >>> 24) & 0xff;
  const size = Buffer.alloc(4);
  size.writeUInt32BE(tagHeaderBytes + body.length);
  return [header, body, size];
}
