// RTMP messages of a contributor as tags of media: aggregate messages are taken apart, and times unwrapped.
import { messageType } from '../publisher/rtmp/message.ts';
import type { RtmpMessage } from '../publisher/rtmp/message.ts';
import { RtmpProtocolError } from '../publisher/rtmp/protocol-error.ts';
import type { ContributedTag } from './contribution.ts';

const timestampRange = 2 ** 32;
const tagHeaderBytes = 11;
/** Each tag is followed by its size. */
const tagTrailerBytes = 4;

type MediaPart = Pick<RtmpMessage, 'type' | 'timestampMs' | 'payload'>;

/**
 * The messages within an aggregate message, which is a row of FLV tags. Their times begin with that of the aggregate.
 * @param payload of the aggregate
 * @throws {RtmpProtocolError} when a tag is cut short, or there are more than `mostMessages`
 */
export function splitAggregate(payload: Buffer, timestampMs: number, mostMessages: number): MediaPart[] {
  const parts: MediaPart[] = [];
  let firstTimeMs: number | null = null;
  for (let offset = 0; offset < payload.length;) {
    if (parts.length === mostMessages) throw new RtmpProtocolError('too many messages in an aggregate');
    const body = offset + tagHeaderBytes;
    if (body > payload.length) throw new RtmpProtocolError('aggregate cut short');
    const bodyBytes = payload.readUIntBE(offset + 1, 3);
    if (body + bodyBytes > payload.length) throw new RtmpProtocolError('aggregate cut short');
    const timeMs = payload.readUIntBE(offset + 4, 3) + payload.readUInt8(offset + 7) * 2 ** 24;
    firstTimeMs ??= timeMs;
    parts.push({
      type: payload.readUInt8(offset),
      timestampMs: (timestampMs + timeMs - firstTimeMs) >>> 0,
      // A copy, so that a small tag does not keep the whole aggregate alive.
      payload: Buffer.from(payload.subarray(body, body + bodyBytes)),
    });
    offset = body + bodyBytes + tagTrailerBytes;
  }
  return parts;
}

/** Turns the messages of one connection into tags. */
export class TagReader {
  #lastTimestampMs: number | null = null;

  /** @returns the tag; null for a message that is no media, and for one without a body */
  tagOf({ type, timestampMs, payload }: MediaPart): ContributedTag | null {
    if (type !== messageType.video && type !== messageType.audio) return null;
    if (payload.length === 0) return null;
    const kind = type === messageType.video ? 'video' : 'audio';
    return { type: kind, timestampMs: this.#unwrap(timestampMs), body: payload };
  }

  /** The time nearest to the last one, of all that have these 32 bits; never negative. */
  #unwrap(timestampMs: number): number {
    const last = this.#lastTimestampMs ?? timestampMs;
    const nearest = last + ((timestampMs - last) | 0);
    this.#lastTimestampMs = nearest < 0 ? nearest + timestampRange : nearest;
    return this.#lastTimestampMs;
  }
}
