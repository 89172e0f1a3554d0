// Reads the two tables of a transport stream, to find the pictures and sound of its first program.
import { aacStreamType, crc32OfSections, streamTypes } from '../publisher/transport-stream/program-tables.ts';
import type { PacketPayload } from './transport-packet.ts';

/** The packet identifiers of the tracks; null for a track that is not there, or has another codec. */
export interface ProgramTracks {
  readonly video: number | null;
  readonly audio: number | null;
}

const associationID = 0;
const mapID = 2;
/** Both tables have this many bytes in a section at most. */
const mostSectionBytes = 1024;
const lengthEnd = 3;
const headerBytes = 8;
const checksumBytes = 4;

export class ProgramReader {
  /** The packet identifier of the table of the program; null before it is known. */
  mapPid: number | null = null;
  readonly #association = new SectionReader();
  #map = new SectionReader();

  /** @returns the tracks, if this packet completes the table of the program */
  read(pid: number, packet: PacketPayload): ProgramTracks | null {
    if (pid === this.mapPid) {
      const map = this.#map.read(packet);
      return map?.[0] === mapID ? tracksOf(map) : null;
    }
    const association = this.#association.read(packet);
    if (association?.[0] === associationID) this.#follow(association);
    return null;
  }

  /** Drops tables that are being put together. */
  lost(): void {
    this.#association.lost();
    this.#map.lost();
  }

  #follow(association: Buffer): void {
    const end = association.length - checksumBytes;
    for (let at = headerBytes; at + 4 <= end; at += 4) {
      const isNetwork = association.readUInt16BE(at) === 0;
      const pid = association.readUInt16BE(at + 2) & 0x1fff;
      if (isNetwork || pid === 0) continue;
      if (pid !== this.mapPid) this.#map = new SectionReader();
      this.mapPid = pid;
      return;
    }
  }
}

function tracksOf(map: Buffer): ProgramTracks {
  const end = map.length - checksumBytes;
  let video: number | null = null;
  let audio: number | null = null;
  let at = headerBytes + 4;
  if (at > end) return { video, audio };
  at += map.readUInt16BE(headerBytes + 2) & 0x0fff;
  while (at + 5 <= end) {
    const pid = map.readUInt16BE(at + 1) & 0x1fff;
    if (map[at] === streamTypes.h264) video ??= pid;
    if (map[at] === aacStreamType && pid !== video) audio ??= pid;
    at += 5 + (map.readUInt16BE(at + 3) & 0x0fff);
  }
  return { video, audio };
}

/** Puts sections of one packet identifier together. Damaged ones are dropped: tables are repeated. */
class SectionReader {
  #parts: Buffer = Buffer.alloc(0);
  #isInside = false;
  #counter = -1;

  lost(): void {
    this.#isInside = false;
  }

  /** @returns the first section that the packet completes, with a right checksum */
  read({ data, beginsUnit, counter }: PacketPayload): Buffer | null {
    if (data.length === 0 || (counter === this.#counter && !beginsUnit)) return null;
    if (counter !== ((this.#counter + 1) & 0x0f)) this.#isInside = false;
    this.#counter = counter;
    const pointer = beginsUnit ? data[0]! : 0;
    if (beginsUnit) {
      this.#isInside = true;
      this.#parts = Buffer.alloc(0);
    }
    if (!this.#isInside) return null;
    this.#parts = Buffer.concat([this.#parts, data.subarray(beginsUnit ? 1 + pointer : 0)]);
    return this.#whole();
  }

  #whole(): Buffer | null {
    const parts = this.#parts;
    if (parts.length < lengthEnd) return null;
    const bytes = lengthEnd + (parts.readUInt16BE(1) & 0x0fff);
    if (bytes <= mostSectionBytes && parts.length < bytes) return null;
    this.#isInside = false;
    this.#parts = Buffer.alloc(0);
    const isValid = bytes <= mostSectionBytes && bytes >= headerBytes + checksumBytes;
    const section = parts.subarray(0, bytes);
    return isValid && crc32OfSections(section) === 0 ? section : null;
  }
}
