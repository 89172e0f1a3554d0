// Takes the H.264 and AAC of one program out of a contributed transport stream, as FLV tags (ISO/IEC 13818-1, 2.4).
import { packetBytes, syncByte } from '../publisher/transport-stream/packets.ts';
import type { ContributedTag } from './contribution.ts';
import { AdtsTags } from './adts-tags.ts';
import { AnnexBTags } from './annex-b-tags.ts';
import { PesReader } from './pes-reader.ts';
import type { PesUnit } from './pes-reader.ts';
import { ProgramReader } from './program-reader.ts';
import type { ProgramTracks } from './program-reader.ts';
import { payloadOf } from './transport-packet.ts';
import type { PacketPayload } from './transport-packet.ts';

const tablePid = 0;
const kib = 1024;
/** A picture with longer prefixes of its units stays within the size of a tag that sessions take. */
const mostPictureBytes = 8192 * kib - 32 * kib;
/** The length of a packet of sound has 16 bits. */
const mostSoundBytes = 64 * kib + 16;

/** Makes tags of the units of one track. */
interface TagMaker {
  read(unit: PesUnit): ContributedTag[];
}

/**
 * Damage is tolerated: a unit with a gap is dropped, and its track continues with the next one. Memory is bounded by
 * the largest picture, the largest packet of sound and two tables.
 */
export class TsDemuxer {
  readonly #program = new ProgramReader();
  readonly #times = new TimeUnwrapper();
  readonly #receive: (tag: ContributedTag) => void;
  #tracks: ProgramTracks = { video: null, audio: null };
  readonly #byPid = new Map<number, PesReader>();
  /** Bytes of a packet whose end has not come yet. */
  #rest: Buffer = Buffer.alloc(0);

  /** @param receive called for each tag */
  constructor(receive: (tag: ContributedTag) => void) {
    this.#receive = receive;
  }

  /** Memory of units whose end has not come yet. */
  get incompleteBytes(): number {
    return this.#byPid.values().reduce((sum, { heldBytes }) => sum + heldBytes, this.#rest.length);
  }

  /** Reads the next bytes of the stream, which may begin and end within packets. */
  write(bytes: Buffer): void {
    const stream = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (at + packetBytes <= stream.length) {
      if (stream[at] === syncByte) {
        this.#packet(stream.subarray(at, at + packetBytes));
        at += packetBytes;
      } else {
        const next = stream.indexOf(syncByte, at + 1);
        at = next === -1 ? stream.length : next;
      }
    }
    this.#rest = at < stream.length ? Buffer.from(stream.subarray(at)) : Buffer.alloc(0);
  }

  /** Notes that bytes are missing here. */
  lost(): void {
    this.#rest = Buffer.alloc(0);
    this.#program.lost();
    for (const reader of this.#byPid.values()) reader.lost();
  }

  /** Gives the last picture, whose end is the end of the stream. */
  end(): void {
    for (const reader of this.#byPid.values()) reader.end();
  }

  #packet(packet: Buffer): void {
    const pid = packet.readUInt16BE(1) & 0x1fff;
    const reader = this.#byPid.get(pid);
    const isTable = pid === tablePid || pid === this.#program.mapPid;
    if (!reader && !isTable) return;
    const payload = payloadOf(packet);
    if (!payload) reader?.lost();
    else if (isTable) this.#readTable(pid, payload);
    else reader?.read(payload);
  }

  #readTable(pid: number, packet: PacketPayload): void {
    const tracks = this.#program.read(pid, packet);
    if (!tracks || (tracks.video === this.#tracks.video && tracks.audio === this.#tracks.audio)) return;
    this.end();
    this.#byPid.clear();
    this.#tracks = tracks;
    this.#follow(tracks.video, mostPictureBytes, new AnnexBTags());
    this.#follow(tracks.audio, mostSoundBytes, new AdtsTags());
  }

  #follow(pid: number | null, mostBytes: number, tags: TagMaker): void {
    if (pid === null) return;
    const receive = (unit: PesUnit) => {
      const dts = this.#times.unwrap(unit.dts);
      const pts = dts + stepOfTicks(unit.dts, unit.pts);
      for (const tag of tags.read({ ...unit, dts, pts })) this.#receive(tag);
    };
    this.#byPid.set(pid, new PesReader(mostBytes, receive));
  }
}

const timestampModulus = 2 ** 33;

/** Ticks from one timestamp of 33 bits to another; negative if the other one came before. */
function stepOfTicks(from: number, to: number): number {
  const steps = (((to - from) % timestampModulus) + timestampModulus) % timestampModulus;
  return steps > timestampModulus / 2 ? steps - timestampModulus : steps;
}

/** Timestamps of 33 bits as ticks that do not wrap; pictures and sound share them. */
class TimeUnwrapper {
  #last: number | null = null;

  /** The time nearest to the last one, of all that have these 33 bits; never negative. */
  unwrap(ticks: number): number {
    // The first time has room before it, for a track that begins earlier.
    const last = this.#last ?? ticks + timestampModulus;
    const nearest = last + stepOfTicks(last % timestampModulus, ticks);
    this.#last = nearest < 0 ? nearest + timestampModulus : nearest;
    return this.#last;
  }
}
