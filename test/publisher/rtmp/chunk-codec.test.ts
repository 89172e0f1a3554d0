// Chunks: messages arrive whole, however they were cut and interleaved, and whatever their timestamps are.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChunkReader } from '../../../lambda/publisher/rtmp/chunk-reader.ts';
import { fromPublisher } from '../../../lambda/publisher/rtmp/inbound-limits.ts';
import { ChunkWriter } from '../../../lambda/publisher/rtmp/chunk-writer.ts';
import { controlMessage, messageType } from '../../../lambda/publisher/rtmp/message.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { RtmpProtocolError } from '../../../lambda/publisher/rtmp/protocol-error.ts';

const wrapMs = 2 ** 32;
const video = { chunkStreamID: 6, type: messageType.video, streamID: 1 };

function readInPieces(reader: ChunkReader, bytes: Buffer, pieceBytes: number): RtmpMessage[] {
  const messages: RtmpMessage[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes)
    messages.push(...reader.read(bytes.subarray(start, start + pieceBytes)));
  return messages;
}

function emptyMessageAt(timestampMs: number): Buffer {
  return new ChunkWriter().write([{ ...video, timestampMs, payload: Buffer.alloc(0) }]);
}

/** The beginning of a message of 9 MiB: its first chunk, of 8 MiB. */
function eightOfNineMiB(chunkStreamID: number): Buffer {
  return Buffer.concat([Buffer.of(chunkStreamID), hex('000000 900000 08 01000000'), Buffer.alloc(8 * 1024 * 1024)]);
}

/** Matches null and a refusal, but no other error. */
const nullOrRefusal = { asymmetricMatch: (error: unknown) => error === null || error instanceof RtmpProtocolError };

function errorOf(work: () => void): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}

/** Writes Set Chunk Size, and lets the writer use that size from then on. */
function announce(writer: ChunkWriter, chunkSize: number): Buffer {
  const bytes = writer.write([controlMessage(messageType.setChunkSize, chunkSize)]);
  writer.chunkSize = chunkSize;
  return bytes;
}

function hex(...parts: string[]): Buffer {
  return Buffer.from(parts.join('').replaceAll(' ', ''), 'hex');
}

describe('what the writer writes, the reader reads', () => {
  const anyMessage = fc.record({
    chunkStreamID: fc.integer({ min: 2, max: 63 }),
    type: fc.constantFrom(messageType.audio, messageType.video, messageType.dataAmf0),
    streamID: fc.constantFrom(0, 1, 7, wrapMs - 1),
    // Timestamps move back and forth by steps of every size, around the borders of 24 and 32 bits.
    timestampMs: fc
      .tuple(fc.constantFrom(0, 0xff_ff_ff, 2 ** 31, wrapMs, 3 * wrapMs), fc.integer({ min: -100, max: 100 }))
      .map(([border, offset]) => Math.max(0, border + offset)),
    payload: fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
  });

  test('any messages, with any chunk size, cut anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(anyMessage, { maxLength: 12 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 50 }),
        (messages, chunkSize, pieceBytes) => {
          const writer = new ChunkWriter();
          const bytes = Buffer.concat([announce(writer, chunkSize), writer.write(messages)]);
          const [, ...read] = readInPieces(new ChunkReader(fromPublisher), bytes, pieceBytes);
          expect(read).toEqual(messages.map((message) => ({ ...message, timestampMs: message.timestampMs % wrapMs })));
        },
      ),
      { numRuns: 300 },
    );
  });

  test.for([
    ['24 bits', 0xff_ff_ff],
    ['31 bits', 2 ** 31],
    ['32 bits', wrapMs],
  ] as const)('a stream that runs over %s keeps its time', ([, border]) => {
    const messages = Array.from({ length: 400 }, (_, frame) => ({
      ...video,
      timestampMs: border - 5000 + Math.round((frame * 100) / 3),
      payload: Buffer.alloc(frame % 60 === 0 ? 20_000 : 300, frame),
    }));
    const writer = new ChunkWriter();
    const read = new ChunkReader(fromPublisher)
      .read(Buffer.concat([announce(writer, 4096), writer.write(messages)]))
      .slice(1);
    expect(read.map(({ timestampMs }) => timestampMs)).toEqual(messages.map(({ timestampMs }) => timestampMs % wrapMs));
    expect(read.every(({ payload }, index) => payload.equals(messages[index]!.payload))).toBe(true);
  });
});

describe('in the bytes of a chunk', () => {
  test('an extended timestamp is in every chunk of the message', () => {
    const bytes = new ChunkWriter().write([{ ...video, timestampMs: 0x01_02_03_04, payload: Buffer.alloc(200, 0xaa) }]);
    const first = hex('06 ffffff 0000c8 09 01000000 01020304', 'aa'.repeat(128));
    const second = hex('c6 01020304', 'aa'.repeat(72));
    expect(bytes).toEqual(Buffer.concat([first, second]));
  });

  test('a timestamp is extended from the value 0xFFFFFF on, and not below it', () => {
    expect(emptyMessageAt(0xff_ff_fe)).toEqual(hex('06 fffffe 000000 09 01000000'));
    expect(emptyMessageAt(0xff_ff_ff)).toEqual(hex('06 ffffff 000000 09 01000000 00ffffff'));
  });

  test('a running stream never needs an extended timestamp', () => {
    const writer = new ChunkWriter();
    writer.write([{ ...video, timestampMs: 0xff_ff_f0, payload: Buffer.alloc(0) }]);
    const bytes = writer.write([{ ...video, timestampMs: 0x01_00_00_11, payload: Buffer.of(1) }]);
    expect(bytes).toEqual(hex('46 000021 000001 09 01'));
  });
});

describe('the reader takes', () => {
  test('the formats 0 to 3, of which format 3 repeats the delta before it', () => {
    const bytes = hex('04 000064 000001 08 01000000 aa', '44 00000a 000001 08 bb', '84 000005 cc', 'c4 dd');
    const messages = new ChunkReader(fromPublisher).read(bytes);
    expect(messages.map(({ timestampMs, payload }) => [timestampMs, payload.toString('hex')])).toEqual([
      [100, 'aa'],
      [110, 'bb'],
      [115, 'cc'],
      [120, 'dd'],
    ]);
  });

  test('chunk stream ids of one, two and three bytes', () => {
    const header = '000000 000000 08 01000000';
    const bytes = hex(`3f ${header}`, `00 ff ${header}`, `01 0001 ${header}`);
    expect(new ChunkReader(fromPublisher).read(bytes).map(({ chunkStreamID }) => chunkStreamID)).toEqual([
      63,
      64 + 255,
      64 + 256,
    ]);
  });

  test('messages of several chunk streams in turn', () => {
    const bytes = hex(
      '04 000000 000082 08 01000000',
      'aa'.repeat(128),
      '06 000000 000081 09 01000000',
      'bb'.repeat(128),
      'c4 aaaa',
      'c6 bb',
    );
    expect(new ChunkReader(fromPublisher).read(bytes).map(({ type, payload }) => [type, payload.length])).toEqual([
      [8, 130],
      [9, 129],
    ]);
  });

  test('an abort, which drops only the unfinished message', () => {
    const unfinished = hex('04 000000 000082 08 01000000', 'aa'.repeat(128));
    const abort = new ChunkWriter().write([controlMessage(messageType.abort, 4)]);
    const whole = hex('04 000000 000001 08 01000000 cc');
    const messages = new ChunkReader(fromPublisher).read(Buffer.concat([unfinished, abort, whole]));
    expect(messages.map(({ type }) => type)).toEqual([messageType.abort, 8]);
  });

  test('a message of 10 MiB', () => {
    const payload = Buffer.alloc(10 * 1024 * 1024, 7);
    const bytes = new ChunkWriter().write([{ ...video, timestampMs: 0, payload }]);
    const [message] = readInPieces(new ChunkReader(fromPublisher), bytes, 65_536);
    expect(message!.payload.equals(payload)).toBe(true);
  });
});

describe('the reader refuses', () => {
  /** An empty message on a chunk stream, by its number among those with two bytes. */
  const chunkOf = (number: number) => hex('00', number.toString(16).padStart(2, '0'), '000000 000000 08 01000000');

  test.for([
    ['a message over 10 MiB', hex('04 000000 a00001 08 01000000')],
    ['a chunk size of zero', hex('02 000000 000004 01 00000000 00000000')],
    ['a chunk size over 31 bits', hex('02 000000 000004 01 00000000 80000000')],
    ['a control message without its number', hex('02 000000 000001 01 00000000 00')],
    ['a chunk stream that starts in the middle', hex('c4')],
    [
      'a new message inside a message',
      hex('04 000000 000082 08 01000000', 'aa'.repeat(128), '04 000000 000001 08 01000000 aa'),
    ],
    ['more chunk streams than anyone uses', Buffer.concat(Array.from({ length: 65 }, (_, id) => chunkOf(id)))],
  ] as const)('%s', ([, bytes]) => {
    expect(() => new ChunkReader(fromPublisher).read(bytes)).toThrow(RtmpProtocolError);
  });

  test('memory for messages that are announced and never finished', () => {
    const reader = new ChunkReader(fromPublisher);
    reader.read(announce(new ChunkWriter(), 8 * 1024 * 1024));
    expect(() => {
      for (let id = 4; id < 10; id++) reader.read(eightOfNineMiB(id));
    }).toThrow(RtmpProtocolError);
  });

  test('any other bytes that it cannot read, with no other error', () => {
    // Nearly correct headers get further than noise.
    const anyFields = fc.record({
      basic: fc.nat(255),
      timestamp: fc.nat(0xff_ff_ff),
      length: fc.nat(400),
      type: fc.constantFrom(1, 2, 3, 5, 8, 9, 18, 20),
      rest: fc.uint8Array({ maxLength: 200 }),
    });
    const nearlyRight = anyFields.map(({ basic, timestamp, length, type, rest }) => {
      const fields = Buffer.alloc(12);
      fields.writeUInt8(basic);
      fields.writeUIntBE(timestamp, 1, 3);
      fields.writeUIntBE(length, 4, 3);
      fields.writeUInt8(type, 7);
      return Buffer.concat([fields, rest]);
    });
    const anyBlocks = fc.array(nearlyRight, { maxLength: 10 });
    const readOrRefused = fc.property(anyBlocks, fc.integer({ min: 1, max: 64 }), (blocks, pieceBytes) => {
      const error = errorOf(() => readInPieces(new ChunkReader(fromPublisher), Buffer.concat(blocks), pieceBytes));
      expect(error).toEqual(nullOrRefusal);
    });
    fc.assert(readOrRefused, { numRuns: 1000 });
  });
});
