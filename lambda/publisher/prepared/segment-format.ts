// The prepared format (README.md): a segment of a rendition as RTMP chunks, identical for every stream, lap and day.
import { crc32 } from 'node:zlib';
import { renditionsPrefix, segmentFormatVersion } from '../../domain/media/object-keys.ts';
import { formatName } from '../../domain/playout/rendition.ts';
import type { Rendition } from '../../domain/playout/rendition.ts';

/** The media of a segment is read and checked in blocks of this size. */
export const blockBytes = 1024 * 1024;
/** A header is read with one request of this size: room for 5,000 groups, five times those of the longest segment. */
export const maxHeaderBytes = 64 * 1024;
/** A message larger than this is not written: nginx-rtmp ends a connection at 10 MiB. */
export const maxMessageBytes = 8 * 1024 * 1024;

const magic = 'LSEG';
const fixedBytes = 16;
const crcBytes = 4;
const groupBytes = 8;

/** Facts that the header of a segment holds. */
export interface SegmentFacts {
  /** The RTMP chunk size of its chunks. */
  readonly chunkSize: number;
  /** Null for sound alone. */
  readonly framesPerSecond: number | null;
  /** Groups whose number in the rendition is a multiple of this are keyframes. 1 for sound alone. */
  readonly gopFrames: number;
  /** The number of the segment's first group in the rendition. */
  readonly firstGroup: number;
  /** The FLV tag body to be sent before the pictures; null for sound alone. */
  readonly videoSequenceHeader: Buffer | null;
  /** The FLV tag body to be sent before the sound. */
  readonly audioSequenceHeader: Buffer;
}

/**
 * A group is a picture followed by the frames of sound that begin during it; in a rendition of sound alone it is one
 * frame of sound. Each picture and each frame is one RTMP message with a short header (format 1), which holds the time
 * since the previous message.
 */
export interface Group {
  readonly video: Buffer | null;
  readonly sound: readonly Buffer[];
}

/** A segment's header, as read. */
export interface SegmentHeader extends SegmentFacts {
  readonly groupCount: number;
  /** Offset of the media in the object, in bytes. */
  readonly mediaStart: number;
  readonly mediaBytes: number;
  /** Offsets of the groups in the media, in bytes, and as the last one the end: `groupCount + 1` offsets. */
  readonly groupOffsets: Uint32Array;
  /** The length of each group's picture in bytes. */
  readonly videoBytes: Uint32Array;
  /** CRC-32 of each block of the media. */
  readonly blockChecksums: Uint32Array;
}

/** The bytes are not a segment of this version, are cut off, or have changed since they were written. */
export class SegmentDamaged extends Error {
  override readonly name = 'SegmentDamaged';
}

/** The key of the object that holds a segment. */
export function segmentKey(
  { contentHash, format }: Pick<Rendition, 'contentHash' | 'format'>,
  segment: number,
): string {
  return segmentKeyNamed(contentHash, formatName(format), segment);
}

/** As `segmentKey`, for the name of a format. */
export function segmentKeyNamed(contentHash: string, format: string, segment: number): string {
  return `${renditionsPrefix}v${segmentFormatVersion}/${contentHash}/${format}/${segment}`;
}

/** @throws {RangeError} when a message is larger than 8 MiB, or the groups are too many for a header */
export function writeSegment(facts: SegmentFacts, groups: readonly Group[]): Buffer {
  const pieces = groups.flatMap(({ video, sound }) => [...(video ? [video] : []), ...sound]);
  const tooLarge = pieces.find(({ length }) => length > maxMessageBytes);
  if (tooLarge) throw new RangeError(`a message of ${tooLarge.length} bytes is too large for RTMP servers`);
  const media = Buffer.concat(pieces);
  const { videoSequenceHeader, audioSequenceHeader, ...rest } = facts;
  const json = Buffer.from(
    JSON.stringify({
      ...rest,
      mediaBytes: media.length,
      groupCount: groups.length,
      videoSequenceHeader: videoSequenceHeader?.toString('base64') ?? null,
      audioSequenceHeader: audioSequenceHeader.toString('base64'),
    }),
  );
  const blockCount = Math.ceil(media.length / blockBytes);
  const header = Buffer.alloc(fixedBytes + json.length + groups.length * groupBytes + blockCount * crcBytes + crcBytes);
  if (header.length > maxHeaderBytes) throw new RangeError(`a segment of ${groups.length} groups is too long`);
  header.write(magic, 'latin1');
  header.writeUInt32BE(segmentFormatVersion, 4);
  header.writeUInt32BE(header.length, 8);
  header.writeUInt32BE(json.length, 12);
  let offset = fixedBytes + json.copy(header, fixedBytes);
  for (const { video, sound } of groups) {
    const soundBytes = sound.reduce((sum, { length }) => sum + length, 0);
    offset = header.writeUInt32BE(video?.length ?? 0, offset);
    offset = header.writeUInt32BE(soundBytes, offset);
  }
  for (let block = 0; block < blockCount; block++) offset = header.writeUInt32BE(crc32(blockOf(media, block)), offset);
  header.writeUInt32BE(crc32(header.subarray(0, offset)), offset);
  return Buffer.concat([header, media]);
}

/**
 * @param start the first `maxHeaderBytes` of the object, or all of a smaller one
 * @throws {SegmentDamaged}
 */
export function readSegmentHeader(start: Buffer): SegmentHeader {
  if (start.length < fixedBytes || start.toString('latin1', 0, 4) !== magic) throw new SegmentDamaged('not a segment');
  if (start.readUInt32BE(4) !== segmentFormatVersion) throw new SegmentDamaged('a segment of another version');
  const mediaStart = start.readUInt32BE(8);
  if (mediaStart > start.length || mediaStart < fixedBytes + crcBytes)
    throw new SegmentDamaged('the header is cut off');
  const end = mediaStart - crcBytes;
  if (crc32(start.subarray(0, end)) !== start.readUInt32BE(end)) throw new SegmentDamaged('the header has changed');
  const jsonEnd = fixedBytes + start.readUInt32BE(12);
  const json = start.toString('utf8', fixedBytes, jsonEnd);
  const { videoSequenceHeader, audioSequenceHeader, ...facts } = JSON.parse(json) as WrittenFacts;
  const { groupCount } = facts;
  const groupOffsets = new Uint32Array(groupCount + 1);
  const videoBytes = new Uint32Array(groupCount);
  for (let group = 0; group < groupCount; group++) {
    const at = jsonEnd + group * groupBytes;
    videoBytes[group] = start.readUInt32BE(at);
    groupOffsets[group + 1] = groupOffsets[group]! + videoBytes[group]! + start.readUInt32BE(at + 4);
  }
  const checksumsStart = jsonEnd + groupCount * groupBytes;
  const blockCount = (end - checksumsStart) / crcBytes;
  const checksumOf = (block: number) => start.readUInt32BE(checksumsStart + block * crcBytes);
  const blockChecksums = Uint32Array.from({ length: blockCount }, (_, block) => checksumOf(block));
  return {
    ...facts,
    videoSequenceHeader: videoSequenceHeader === null ? null : Buffer.from(videoSequenceHeader, 'base64'),
    audioSequenceHeader: Buffer.from(audioSequenceHeader, 'base64'),
    mediaStart,
    groupOffsets,
    videoBytes,
    blockChecksums,
  };
}

/** @throws {SegmentDamaged} if a segment has other groups than it should have */
export function assertGroups(
  header: SegmentHeader,
  { firstGroup, groupCount }: Pick<SegmentHeader, 'firstGroup' | 'groupCount'>,
): void {
  if (header.firstGroup !== firstGroup || header.groupCount !== groupCount)
    throw new SegmentDamaged('a segment with other groups');
}

/** @throws {SegmentDamaged} when the bytes of a block have changed since they were written */
export function assertBlock(header: SegmentHeader, block: number, bytes: Buffer): void {
  if (crc32(bytes) !== header.blockChecksums[block]) throw new SegmentDamaged(`block ${block} has changed`);
}

/** @throws {SegmentDamaged} when any byte of an object has changed since it was written */
export function assertSegment(bytes: Buffer): void {
  const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
  const media = bytes.subarray(header.mediaStart);
  if (media.length !== header.mediaBytes) throw new SegmentDamaged('the media is cut off');
  header.blockChecksums.forEach((_, block) => assertBlock(header, block, blockOf(media, block)));
}

interface WrittenFacts extends Omit<SegmentFacts, 'videoSequenceHeader' | 'audioSequenceHeader'> {
  readonly mediaBytes: number;
  readonly groupCount: number;
  readonly videoSequenceHeader: string | null;
  readonly audioSequenceHeader: string;
}

function blockOf(media: Buffer, block: number): Buffer {
  return media.subarray(block * blockBytes, (block + 1) * blockBytes);
}
