// FLV video tag bodies: H.264 by Adobe's Flash Video File Format 10.1, E.4.3; other codecs by Enhanced RTMP v2.
import type { VideoCodec } from '../../domain/shared/video-format.ts';

/** The names in Enhanced RTMP (ExVideoTagHeader) of codecs without a number in FLV. */
export const fourCC: Readonly<Record<Exclude<VideoCodec, 'h264'>, string>> = { hevc: 'hvc1', av1: 'av01' };

export interface VideoTag {
  readonly content: 'sequence header' | 'picture' | 'other';
  readonly isKeyframe: boolean;
  /** Milliseconds from the picture's decoding to its display. */
  readonly compositionMs: number;
}

/** The upper half of the first byte: whether Enhanced RTMP defines the rest, and the frame type, 1 for keyframes. */
const extendedBit = 0x80;
const keyframeBits = 0x10;
const frameTypeMask = 0x70;
/** The lower half of the first byte, in Enhanced RTMP. */
const packetType = { sequenceStart: 0, codedFrames: 1, codedFramesAtOnce: 3 } as const;
const packetTypeMask = 0x0f;
const fourCCBytes = 4;
const headerBytes = 1 + fourCCBytes;
const compositionTimeBytes = 3;
/** The second byte, of H.264. */
const avcPacketType = { sequenceHeader: 0, picture: 1 } as const;
const avcHeaderBytes = 2;

const contentOfPacket: Readonly<Record<number, VideoTag['content']>> = {
  [packetType.sequenceStart]: 'sequence header',
  [packetType.codedFrames]: 'picture',
  [packetType.codedFramesAtOnce]: 'picture',
};
const contentOfAvcPacket: Readonly<Record<number, VideoTag['content']>> = {
  [avcPacketType.sequenceHeader]: 'sequence header',
  [avcPacketType.picture]: 'picture',
};

/** Reads the content of a whole tag body from its first bytes. */
export function readVideoTag(body: Buffer): VideoTag {
  const first = body[0]!;
  const isKeyframe = (first & frameTypeMask) === keyframeBits;
  if (!isExtended(body)) {
    const content = contentOfAvcPacket[body[1]!] ?? 'other';
    const compositionMs = content === 'picture' ? body.readIntBE(avcHeaderBytes, compositionTimeBytes) : 0;
    return { content, isKeyframe, compositionMs };
  }
  const content = contentOfPacket[first & packetTypeMask] ?? 'other';
  const compositionMs = hasCompositionTime(body) ? body.readIntBE(headerBytes, compositionTimeBytes) : 0;
  return { content, isKeyframe, compositionMs };
}

/**
 * Sets the time between a picture's decoding and its display.
 * @returns the body with this time: the same buffer, unless it had no room for the time
 * @throws {TypeError} for AV1 and any time but 0, as AV1 shows pictures in decoding order
 */
export function withCompositionTime(body: Buffer, compositionMs: number): Buffer {
  if (!isExtended(body)) {
    body.writeIntBE(compositionMs, avcHeaderBytes, compositionTimeBytes);
    return body;
  }
  const hasRoom = hasCompositionTime(body);
  if (!hasRoom && compositionMs === 0) return body;
  const timed = hasRoom ? body : withRoomForTime(body);
  timed.writeIntBE(compositionMs, headerBytes, compositionTimeBytes);
  return timed;
}

/** A copy of an extended body whose packet type has a composition time. */
function withRoomForTime(body: Buffer): Buffer {
  if (fourCCOf(body) !== fourCC.hevc) throw new TypeError(`${fourCCOf(body)} shows its pictures as they come`);
  const type = Buffer.of((body[0]! & ~packetTypeMask) | packetType.codedFrames);
  const room = Buffer.alloc(compositionTimeBytes);
  return Buffer.concat([type, body.subarray(1, headerBytes), room, body.subarray(headerBytes)]);
}

/** The codec's own data in a tag body: a decoder configuration record, or the units of a picture, both as in MP4. */
export function codedDataOf(body: Buffer): Buffer {
  if (!isExtended(body)) return body.subarray(avcHeaderBytes + compositionTimeBytes);
  return body.subarray(headerBytes + (hasCompositionTime(body) ? compositionTimeBytes : 0));
}

function isExtended(body: Buffer): boolean {
  return (body[0]! & extendedBit) !== 0;
}

/** Whether an extended body holds a composition time. */
function hasCompositionTime(body: Buffer): boolean {
  return (body[0]! & packetTypeMask) === packetType.codedFrames && fourCCOf(body) === fourCC.hevc;
}

function fourCCOf(body: Buffer): string {
  return body.toString('latin1', 1, 1 + fourCCBytes);
}
