// Frames of AAC from a transport stream as FLV tags; frames may begin in one unit and end in the next.
import { configOfAdts, readAdtsHeader } from '../publisher/transport-stream/adts.ts';
import type { AdtsFrame } from '../publisher/transport-stream/adts.ts';
import type { ContributedTag } from './contribution.ts';
import type { PesUnit } from './pes-reader.ts';

const headerBytes = 7;
const ticksPerMs = 90;
const ticksPerSecond = 90_000;
const samplesPerFrame = 1024;
/** AAC with all other bits of the byte set, which players ignore. */
const aacByte = 0xaf;

export class AdtsTags {
  /** The beginning of a frame whose end has not come yet: 8191 bytes at most, as its length has 13 bits. */
  #rest: Buffer = Buffer.alloc(0);
  /** Time of the frame that the rest begins, in ticks. */
  #restTicks = 0;
  #config: Buffer | null = null;

  /** The tags of one unit: a sequence header first if the format is new. */
  read({ pts, data, followsGap }: PesUnit): ContributedTag[] {
    if (followsGap) this.#rest = Buffer.alloc(0);
    const tags: ContributedTag[] = [];
    const restBytes = this.#rest.length;
    const bytes = restBytes === 0 ? data : Buffer.concat([this.#rest, data]);
    // The time of a unit is that of the first frame which begins in it.
    let ticks = restBytes > 0 ? this.#restTicks : pts;
    let isTimed = restBytes === 0;
    let at = 0;
    while (at + headerBytes <= bytes.length) {
      if (!isTimed && at >= restBytes) [ticks, isTimed] = [pts, true];
      const frame = readAdtsHeader(bytes.subarray(at, at + headerBytes));
      if (!frame) {
        const next = bytes.indexOf(0xff, at + 1);
        at = next === -1 ? bytes.length : next;
        continue;
      }
      if (at + frame.bytes > bytes.length) break;
      tags.push(...this.#tagsOf(frame, ticks, bytes.subarray(at + frame.headerBytes, at + frame.bytes)));
      at += frame.bytes;
      ticks += (samplesPerFrame * ticksPerSecond) / frame.sampleRate;
    }
    this.#restTicks = !isTimed && at >= restBytes ? pts : ticks;
    this.#rest = Buffer.from(bytes.subarray(at));
    return tags;
  }

  #tagsOf({ format }: AdtsFrame, ticks: number, raw: Buffer): ContributedTag[] {
    const timestampMs = Math.round(ticks / ticksPerMs);
    const config = configOfAdts(format);
    const isNew = !this.#config?.equals(config);
    this.#config = config;
    const header = soundTag(timestampMs, 0, config);
    const frame = soundTag(timestampMs, 1, raw);
    return isNew ? [header, frame] : [frame];
  }
}

function soundTag(timestampMs: number, packetType: number, content: Buffer): ContributedTag {
  return { type: 'audio', timestampMs, body: Buffer.concat([Buffer.of(aacByte, packetType), content]) };
}
