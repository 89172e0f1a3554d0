// The two tables that describe the contents of a transport stream (ISO/IEC 13818-1, 2.4.4).
import type { PacketStream } from './packets.ts';
import { packetize } from './packets.ts';

export type TransportCodec = 'h264' | 'hevc';

export const videoPid = 0x100;
export const audioPid = 0x101;
const mapPid = 0x1000;
const programNumber = 1;
export const streamTypes: Readonly<Record<TransportCodec, number>> = { h264: 0x1b, hevc: 0x24 };
export const aacStreamType = 0x0f;
/** The registration of HEVC, for demultiplexers that are older than its stream type. */
const hevcRegistration = Buffer.from('\x05\x04HEVC', 'latin1');

/** The program association table and the program map table. Repetitions only differ in their counters. */
export class ProgramTables {
  readonly #association: PacketStream = { pid: 0, next: 0 };
  readonly #map: PacketStream = { pid: mapPid, next: 0 };
  readonly #sections: { readonly association: Buffer; readonly map: Buffer };

  constructor(videoCodec: TransportCodec) {
    const association = Buffer.alloc(4);
    association.writeUInt16BE(programNumber, 0);
    association.writeUInt16BE(0xe000 | mapPid, 2);
    const descriptors = videoCodec === 'hevc' ? hevcRegistration : Buffer.alloc(0);
    const map = Buffer.concat([
      Buffer.of(0xe0 | (videoPid >> 8), videoPid & 0xff, 0xf0, 0),
      elementaryStream(streamTypes[videoCodec], videoPid, descriptors),
      elementaryStream(aacStreamType, audioPid, Buffer.alloc(0)),
    ]);
    this.#sections = { association: section(0, 1, association), map: section(2, programNumber, map) };
  }

  /** The two packets to send before a part of the stream that can be decoded by itself. */
  packets(): Buffer {
    const options = { clock: null, isRandomAccess: false };
    return Buffer.concat([
      packetize(this.#association, this.#sections.association, options),
      packetize(this.#map, this.#sections.map, options),
    ]);
  }
}

function elementaryStream(type: number, pid: number, descriptors: Buffer): Buffer {
  const header = Buffer.of(type, 0xe0 | (pid >> 8), pid & 0xff, 0xf0 | (descriptors.length >> 8), descriptors.length);
  return Buffer.concat([header, descriptors]);
}

/** A section with its pointer and checksum. */
function section(tableID: number, identifier: number, body: Buffer): Buffer {
  const length = 5 + body.length + 4;
  const head = Buffer.of(tableID, 0xb0 | (length >> 8), length & 0xff, identifier >> 8, identifier & 0xff, 0xc1, 0, 0);
  const checked = Buffer.concat([head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32OfSections(checked));
  return Buffer.concat([Buffer.of(0), checked, checksum]);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

/** CRC-32 with the highest bit first (annex A), unlike that of zlib. It is 0 over a section with its own checksum. */
export function crc32OfSections(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = ((crc << 8) ^ crcTable[((crc >>> 24) ^ byte) & 0xff]!) >>> 0;
  return crc;
}
