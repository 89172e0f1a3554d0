// Messages become tags: aggregate messages are taken apart, and times of 32 bits are unwrapped.
import { describe, expect, it } from 'vitest';
import { splitAggregate, TagReader } from '../../lambda/live/contributed-messages.ts';
import { messageType } from '../../lambda/publisher/rtmp/message.ts';
import { RtmpProtocolError } from '../../lambda/publisher/rtmp/protocol-error.ts';

const { audio, video, dataAmf0 } = messageType;

function flvTag(type: number, timeMs: number, body: Buffer): Buffer {
  const header = Buffer.alloc(11);
  header.writeUInt8(type);
  header.writeUIntBE(body.length, 1, 3);
  header.writeUIntBE(timeMs % 2 ** 24, 4, 3);
  header.writeUInt8(Math.floor(timeMs / 2 ** 24), 7);
  return Buffer.concat([header, body, Buffer.alloc(4)]);
}

const aggregate = Buffer.concat([
  flvTag(video, 2 ** 24 + 10, Buffer.of(1, 2)),
  flvTag(audio, 2 ** 24 + 15, Buffer.of(3)),
]);

describe('an aggregate message', () => {
  it('is taken apart, at the time that it has itself', () => {
    expect(splitAggregate(aggregate, 5000, 10)).toEqual([
      { type: video, timestampMs: 5000, payload: Buffer.of(1, 2) },
      { type: audio, timestampMs: 5005, payload: Buffer.of(3) },
    ]);
  });

  it('may lack the size of its last tag', () => {
    expect(splitAggregate(aggregate.subarray(0, -4), 0, 10)).toHaveLength(2);
  });

  it.each([
    ['is cut short in a header', aggregate.subarray(0, 5), 10],
    ['is cut short in a body', aggregate.subarray(0, -5), 10],
    ['has too many messages', aggregate, 1],
  ])('is refused if it %s', (_, payload, mostMessages) => {
    expect(() => splitAggregate(payload, 0, mostMessages)).toThrow(RtmpProtocolError);
  });
});

describe('times', () => {
  it.each([
    [
      'wrap after 49 days',
      [4_294_967_290, 4_294_967_295, 4, 10],
      [4_294_967_290, 4_294_967_295, 4_294_967_300, 4_294_967_306],
    ],
    ['go back over the wrap', [4_294_967_295, 3, 4_294_967_290], [4_294_967_295, 4_294_967_299, 4_294_967_290]],
    ['jump and go back', [0, 100_000, 40, 60], [0, 100_000, 40, 60]],
    ['are never negative', [5, 4_294_967_290], [5, 4_294_967_290]],
  ])('%s', (_, raw, unwrapped) => {
    const tags = new TagReader();
    const read = raw.map((timestampMs) => tags.tagOf({ type: audio, timestampMs, payload: Buffer.of(1) }));
    expect(read.map((tag) => tag?.timestampMs)).toEqual(unwrapped);
  });
});

it('drops data, and messages without a body', () => {
  const tags = new TagReader();
  expect(tags.tagOf({ type: dataAmf0, timestampMs: 0, payload: Buffer.of(1) })).toBeNull();
  expect(tags.tagOf({ type: video, timestampMs: 0, payload: Buffer.alloc(0) })).toBeNull();
});
