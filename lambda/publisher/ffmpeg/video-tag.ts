// FLV video tag bodies: H.264 as in Adobe's Flash Video File Format 10.1, annex E.4.3, other codecs as in Enhanced RTMP v2 (ExVideoTagHeader).
import type { VideoCodec } from '../../domain/video-format.ts';

/** What Enhanced RTMP calls the codecs that FLV had no number for. */
export const fourCC: Readonly<Record<Exclude<VideoCodec, 'h264'>, string>> = { hevc: 'hvc1', av1: 'av01' };

export interface VideoTag {
  readonly content: 'sequence header' | 'picture' | 'other';
  readonly isKeyframe: boolean;
  /** From its decoding to its showing. */
  readonly compositionMs: number;
}

/** Upper half of the first byte: whether the rest is Enhanced RTMP's, and the frame type, which is 1 for keyframes. */
const extendedBit = 0x80;
const keyframeBits = 0x10;
const frameTypeMask = 0x70;
/** The lower half, in Enhanced RTMP. */
const packetType = { sequenceStart: 0, codedFrames: 1, codedFramesAtOnce: 3 } as const;
const packetTypeMask = 0x0f;
const fourCCBytes = 4;
const compositionTimeBytes = 3;
/** Of H.264: the second byte. */
const avcPacketType = { sequenceHeader: 0, picture: 1 } as const;
const avcHeaderBytes = 2;

/** What a whole tag body holds, by its first bytes. */
export function readVideoTag(body: Buffer): VideoTag {
  const first = body[0]!;
  const isKeyframe = (first & frameTypeMask) === keyframeBits;
  if (!(first & extendedBit)) {
    const content =
      body[1] === avcPacketType.sequenceHeader
        ? 'sequence header'
        : body[1] === avcPacketType.picture
          ? 'picture'
          : 'other';
    return {
      content,
      isKeyframe,
      compositionMs: content === 'picture' ? body.readIntBE(avcHeaderBytes, compositionTimeBytes) : 0,
    };
  }
  const type = first & packetTypeMask;
  const content =
    type === packetType.sequenceStart
      ? 'sequence header'
      : type === packetType.codedFrames || type === packetType.codedFramesAtOnce
        ? 'picture'
        : 'other';
  return {
    content,
    isKeyframe,
    compositionMs: hasCompositionTime(body) ? body.readIntBE(1 + fourCCBytes, compositionTimeBytes) : 0,
  };
}

/**
 * The body of a picture with another time between its decoding and its showing: the same buffer, unless it had no room for one.
 * @throws {TypeError} of AV1 with any but 0: it has no other order
 */
export function withCompositionTime(body: Buffer, compositionMs: number): Buffer {
  const first = body[0]!;
  if (!(first & extendedBit)) {
    body.writeIntBE(compositionMs, avcHeaderBytes, compositionTimeBytes);
    return body;
  }
  const headerBytes = 1 + fourCCBytes;
  if (!hasCompositionTime(body)) {
    if (compositionMs === 0) return body;
    if (fourCCOf(body) !== fourCC.hevc) throw new TypeError(`${fourCCOf(body)} shows its pictures as they come`);
    const type = Buffer.of((first & ~packetTypeMask) | packetType.codedFrames);
    body = Buffer.concat([
      type,
      body.subarray(1, headerBytes),
      Buffer.alloc(compositionTimeBytes),
      body.subarray(headerBytes),
    ]);
  }
  body.writeIntBE(compositionMs, headerBytes, compositionTimeBytes);
  return body;
}

function hasCompositionTime(body: Buffer): boolean {
  return (body[0]! & packetTypeMask) === packetType.codedFrames && fourCCOf(body) === fourCC.hevc;
}

function fourCCOf(body: Buffer): string {
  return body.toString('latin1', 1, 1 + fourCCBytes);
}
