// Turns FLV tag bodies, as RTMP sends them, into an MPEG transport stream, without encoding anything.
// Nothing is held back but a few frames of sound.
import { codedDataOf, readVideoTag } from '../ffmpeg/video-tag.ts';
import type { MediaMessage } from '../rtmp/message.ts';
import { accessUnit, parameterSetsOf } from './access-unit.ts';
import { adtsFormatOf, adtsHeader } from './adts.ts';
import type { AdtsFormat } from './adts.ts';
import { packetize, pesPacket, timestampModulus } from './packets.ts';
import type { PacketStream } from './packets.ts';
import { audioPid, ProgramTables, videoPid } from './program-tables.ts';
import type { TransportCodec } from './program-tables.ts';

const ticksPerMs = 90;
/**
 * How far the program clock is behind the decoding of the pictures that carry it: receivers hold so much. It is more
 * than senders send ahead of time, and what the sound waits for its packet to be full.
 */
const clockDelayMs = 700;
/** Six frames of AAC last 128 ms, and take one packet with little left over. */
const maxSoundFrames = 6;
/** Tables come at least this often, so that who begins to read finds them. */
const tablesEveryMs = 250;
const soundHeaderBytes = 2;

export class TransportMuxer {
  readonly #codec: TransportCodec;
  readonly #originMs: number;
  readonly #tables: ProgramTables;
  readonly #video: PacketStream = { pid: videoPid, next: 0 };
  readonly #audio: PacketStream = { pid: audioPid, next: 0 };
  #parameterSets: Buffer = Buffer.alloc(0);
  #soundFormat: AdtsFormat | null = null;
  #tablesAtMs = -Infinity;
  /** Frames of sound that wait for their packet to be full, and when the first of them is heard. */
  #sound: { readonly atMs: number; readonly frames: Buffer[]; count: number } | null = null;

  /** @param originMs the time that is timestamp 0 of the messages, in milliseconds since the run's anchor */
  constructor(codec: TransportCodec, originMs: number) {
    this.#codec = codec;
    this.#originMs = originMs;
    this.#tables = new ProgramTables(codec);
  }

  /** @returns the packets that the message adds; none for what a transport stream has no place for */
  write({ type, timestampMs, payload }: MediaMessage): Buffer[] {
    if (type === 'video') return this.#writeVideo(timestampMs, payload);
    if (type === 'audio') return this.#writeSound(timestampMs, payload);
    return [];
  }

  /** @returns the packets of what was held back; what follows can be decoded by itself if it begins with a keyframe */
  flush(): Buffer[] {
    this.#tablesAtMs = -Infinity;
    return this.#flushSound();
  }

  #writeVideo(timestampMs: number, body: Buffer): Buffer[] {
    const { content, isKeyframe, compositionMs } = readVideoTag(body);
    const data = codedDataOf(body);
    if (content === 'sequence header') this.#parameterSets = parameterSetsOf(this.#codec, data);
    if (content !== 'picture') return [];
    const dts = this.#ticks(timestampMs);
    const units = accessUnit(this.#codec, data, isKeyframe ? this.#parameterSets : null);
    const unit = pesPacket('video', { dts, pts: this.#ticks(timestampMs + compositionMs) }, units);
    const clock = this.#ticks(timestampMs - clockDelayMs);
    const picture = packetize(this.#video, unit, { clock, isRandomAccess: isKeyframe });
    if (!isKeyframe && timestampMs - this.#tablesAtMs < tablesEveryMs) return [picture];
    this.#tablesAtMs = timestampMs;
    return [this.#tables.packets(), picture];
  }

  #writeSound(timestampMs: number, body: Buffer): Buffer[] {
    const data = body.subarray(soundHeaderBytes);
    if (body[1] === 0) {
      this.#soundFormat = adtsFormatOf(data);
      return [];
    }
    if (!this.#soundFormat) return [];
    this.#sound ??= { atMs: timestampMs, frames: [], count: 0 };
    this.#sound.frames.push(adtsHeader(this.#soundFormat, data.length), data);
    this.#sound.count++;
    return this.#sound.count < maxSoundFrames ? [] : this.#flushSound();
  }

  #flushSound(): Buffer[] {
    const sound = this.#sound;
    this.#sound = null;
    if (!sound) return [];
    const pts = this.#ticks(sound.atMs);
    const unit = pesPacket('audio', { pts, dts: pts }, sound.frames);
    return [packetize(this.#audio, unit, { clock: null, isRandomAccess: false })];
  }

  /** The clock is never below 0 at the beginning of a run. */
  #ticks(timestampMs: number): number {
    return Math.round((this.#originMs + timestampMs + 2 * clockDelayMs) * ticksPerMs) % timestampModulus;
  }
}
