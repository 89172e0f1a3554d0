// A segment is read as it was written, and refused if one of its bytes has changed.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deltaChunks } from '../../../lambda/publisher/prepared/delta-chunks.ts';
import {
  assertBlock,
  assertSegment,
  blockBytes,
  maxHeaderBytes,
  maxMessageBytes,
  readSegmentHeader,
  SegmentDamaged,
  writeSegment,
} from '../../../lambda/publisher/prepared/segment-format.ts';
import type { Group } from '../../../lambda/publisher/prepared/segment-format.ts';
import { ChunkReader } from '../../../lambda/publisher/rtmp/chunk-reader.ts';
import { fromPublisher } from '../../../lambda/publisher/rtmp/inbound-limits.ts';
import { controlMessage, mediaChunkSize, messageType } from '../../../lambda/publisher/rtmp/message.ts';
import { ChunkWriter } from '../../../lambda/publisher/rtmp/chunk-writer.ts';

const facts = {
  chunkSize: mediaChunkSize,
  framesPerSecond: 30,
  gopFrames: 60,
  firstGroup: 600,
  videoSequenceHeader: Buffer.from('video header'),
  audioSequenceHeader: Buffer.from('audio header'),
};
const anyBytes = (maxLength: number) => fc.uint8Array({ minLength: 1, maxLength }).map((bytes) => Buffer.from(bytes));
const anyGroups = fc.array(
  fc.record({ video: fc.option(anyBytes(300)), sound: fc.array(anyBytes(50), { maxLength: 2 }) }),
  { minLength: 1, maxLength: 50 },
);

/** Groups that fill three blocks and a part of a fourth. */
const large: Group[] = [1, 2, 3].map((value) => ({
  video: Buffer.alloc(blockBytes - 7, value),
  sound: [Buffer.alloc(20, value)],
}));

describe('a segment', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(anyGroups, (groups) => {
        const bytes = writeSegment(facts, groups);
        const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
        expect(header).toMatchObject({
          ...facts,
          groupCount: groups.length,
          mediaBytes: bytes.length - header.mediaStart,
        });
        groups.forEach(({ video, sound }, index) => {
          const start = header.mediaStart + header.groupOffsets[index]!;
          const group = bytes.subarray(start, header.mediaStart + header.groupOffsets[index + 1]!);
          expect(group).toEqual(Buffer.concat([...(video ? [video] : []), ...sound]));
          expect(header.videoBytes[index]).toBe(video?.length ?? 0);
        });
      }),
    );
  });

  it('has each of its blocks checked', () => {
    const bytes = writeSegment(facts, large);
    const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
    const blockOf = (block: number) => {
      const start = header.mediaStart + block * blockBytes;
      return Buffer.from(bytes.subarray(start, start + blockBytes));
    };
    expect(header.blockChecksums).toHaveLength(4);
    for (const block of [0, 1, 2, 3]) {
      const good = blockOf(block);
      assertBlock(header, block, good);
      good[good.length - 1]! ^= 1;
      expect(() => assertBlock(header, block, good)).toThrow(SegmentDamaged);
      expect(() => assertBlock(header, block, good.subarray(1))).toThrow(SegmentDamaged);
    }
  });

  it('is refused as a whole when a byte of it has changed or is missing', () => {
    const bytes = writeSegment(facts, large);
    assertSegment(bytes);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (position, change) => {
        const changed = Buffer.from(bytes);
        changed[position]! ^= change;
        expect(() => assertSegment(changed)).toThrow(SegmentDamaged);
        expect(() => assertSegment(bytes.subarray(0, position))).toThrow(SegmentDamaged);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused when its header has changed, is cut off, or is that of something else', () => {
    const bytes = writeSegment(facts, [{ video: Buffer.from('picture'), sound: [] }]);
    const { mediaStart } = readSegmentHeader(bytes);
    fc.assert(
      fc.property(fc.nat(mediaStart - 1), fc.integer({ min: 1, max: 255 }), (position, change) => {
        const changed = Buffer.from(bytes);
        changed[position]! ^= change;
        expect(() => readSegmentHeader(changed)).toThrow(SegmentDamaged);
        expect(() => readSegmentHeader(bytes.subarray(0, position))).toThrow(SegmentDamaged);
      }),
    );
    expect(() => readSegmentHeader(Buffer.alloc(0))).toThrow(SegmentDamaged);
  });

  it('is not written with a message that RTMP servers refuse, or with too many messages', () => {
    expect(() => writeSegment(facts, [{ video: Buffer.alloc(maxMessageBytes + 1), sound: [] }])).toThrow(RangeError);
    const tooMany = Array.from({ length: 10_000 }, () => ({ video: Buffer.alloc(1), sound: [] }));
    expect(() => writeSegment(facts, tooMany)).toThrow(RangeError);
  });
});

it('chunks of a segment say how long after the last message they are, and what they hold', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('video' as const, 'audio' as const),
      fc.nat(0xff_ff_fe),
      fc.nat(20_000),
      (type, deltaMs, length) => {
        const payload = Buffer.alloc(length, 7);
        const reader = new ChunkReader(fromPublisher);
        const writer = new ChunkWriter();
        reader.read(writer.write([controlMessage(messageType.setChunkSize, mediaChunkSize)]));
        const chunkStreamID = type === 'video' ? 6 : 4;
        const message = { chunkStreamID, type: messageType[type], streamID: 5 };
        reader.read(writer.write([{ ...message, timestampMs: 1000, payload: Buffer.alloc(0) }]));
        const read = reader.read(deltaChunks(type, deltaMs, payload));
        expect(read).toEqual([{ ...message, timestampMs: 1000 + deltaMs, payload }]);
      },
    ),
    { numRuns: 200 },
  );
});
