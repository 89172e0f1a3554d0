// Converts FLV tag bodies, as in RTMP messages, to an MPEG transport stream, without encoding.
// Only a few frames of sound are held back.
// `ffmpeg -c copy` is not used: it takes 40 MB for each output, and reports nothing about arrival.
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
 * The delay from the program clock to the decoding of the pictures that carry it: receivers buffer this much. It
 * exceeds the time that senders send ahead, plus the wait of sound for a full packet.
 */
const clockDelayMs = 700;
/** Frames of AAC in one packet: six last 128 ms, and leave little padding. */
const maxSoundFrames = 6;
/** Tables are repeated at least this often, for receivers that begin to read. */
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
  /** Frames of sound that wait for a full packet, and the time of the first of them. */
  #sound: { readonly atMs: number; readonly frames: Buffer[]; count: number } | null = null;

  /** @param originMs the time of the messages' timestamp 0, in milliseconds since the run's anchor */
  constructor(codec: TransportCodec, originMs: number) {
    this.#codec = codec;
    this.#originMs = originMs;
    this.#tables = new ProgramTables(codec);
  }

  /** @returns the packets of a message; none for messages that a transport stream cannot carry */
  write({ type, timestampMs, payload }: MediaMessage): Buffer[] {
    if (type === 'video') return this.#writeVideo(timestampMs, payload);
    if (type === 'audio') return this.#writeSound(timestampMs, payload);
    return [];
  }

  /** @returns the packets held back. The media after them can be decoded by itself if it begins with a keyframe */
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

  /** A time in ticks. An offset keeps the clock above 0 at the beginning of a run. */
  #ticks(timestampMs: number): number {
    return Math.round((this.#originMs + timestampMs + 2 * clockDelayMs) * ticksPerMs) % timestampModulus;
  }
}
