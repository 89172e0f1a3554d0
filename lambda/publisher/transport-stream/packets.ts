// Splits packets of elementary streams (PES) into packets of an MPEG transport stream (ISO/IEC 13818-1, 2.4.3).

export const packetBytes = 188;
const headerBytes = 4;
const roomBytes = packetBytes - headerBytes;
export const syncByte = 0x47;
/** Bytes of an adaptation field with a clock: its length, its flags and six bytes of the clock. */
const fieldWithClockBytes = 8;
const randomAccessFlag = 0x40;
const clockFlag = 0x10;

/** Timestamps and clocks have 33 bits. */
export const timestampModulus = 2 ** 33;

/** One elementary stream or table of the transport stream. */
export interface PacketStream {
  /** The packet identifier: 13 bits. */
  readonly pid: number;
  /** The continuity counter of its next packet. */
  next: number;
}

export interface PacketOptions {
  /** The program clock for the first packet, in ticks of 90 kHz; null for none. */
  readonly clock: number | null;
  /** Whether decoding can begin here. */
  readonly isRandomAccess: boolean;
}

/** Splits one unit (a packet of an elementary stream, or a section with its pointer) into packets. */
export function packetize(stream: PacketStream, unit: Buffer, { clock, isRandomAccess }: PacketOptions): Buffer {
  const firstField = clock === null ? 0 : fieldWithClockBytes;
  const count = 1 + Math.max(0, Math.ceil((unit.length - (roomBytes - firstField)) / roomBytes));
  const packets = Buffer.alloc(count * packetBytes, 0xff);
  let read = 0;
  for (let index = 0; index < count; index++) {
    const at = index * packetBytes;
    const wanted = index === 0 ? firstField : 0;
    const field = wanted + Math.max(0, roomBytes - wanted - (unit.length - read));
    packets[at] = syncByte;
    packets.writeUInt16BE((index === 0 ? 0x4000 : 0) | stream.pid, at + 1);
    packets[at + 3] = (field > 0 ? 0x30 : 0x10) | stream.next;
    stream.next = (stream.next + 1) & 0x0f;
    if (field > 0) packets[at + headerBytes] = field - 1;
    if (field > 1) packets[at + headerBytes + 1] = 0;
    if (wanted > 0) {
      packets[at + headerBytes + 1] = clockFlag | (isRandomAccess ? randomAccessFlag : 0);
      writeClock(packets, at + headerBytes + 2, clock!);
    }
    read += unit.copy(packets, at + headerBytes + field, read, read + roomBytes - field);
  }
  return packets;
}

/** The program clock reference: 33 bits in ticks of 90 kHz, and a finer part that is always 0. */
function writeClock(packets: Buffer, at: number, clock: number): void {
  packets.writeUInt32BE(Math.floor(clock / 2), at);
  packets[at + 4] = ((clock % 2) << 7) | 0x7e;
  packets[at + 5] = 0;
}

export interface PesTimes {
  /** Time of the display, in ticks of 90 kHz. */
  readonly pts: number;
  /** Time of the decoding, in ticks of 90 kHz. */
  readonly dts: number;
}

const pictureStreamID = 0xe0;
const soundStreamID = 0xc0;

/** The packet of an elementary stream (2.4.3.6) that holds one picture, or some frames of sound. */
export function pesPacket(kind: 'video' | 'audio', { pts, dts }: PesTimes, payload: readonly Buffer[]): Buffer {
  const hasDts = dts !== pts;
  const times = Buffer.alloc(hasDts ? 10 : 5);
  writeTimestamp(times, 0, hasDts ? 3 : 2, pts);
  if (hasDts) writeTimestamp(times, 5, 1, dts);
  const payloadBytes = payload.reduce((sum, { length }) => sum + length, 0);
  // Pictures may be longer than the field allows, so it is 0 (unspecified) for all of them.
  const length = kind === 'video' ? 0 : 3 + times.length + payloadBytes;
  const streamID = kind === 'video' ? pictureStreamID : soundStreamID;
  const header = Buffer.of(0, 0, 1, streamID, length >> 8, length & 0xff, 0x84, hasDts ? 0xc0 : 0x80, times.length);
  return Buffer.concat([header, times, ...payload]);
}

function writeTimestamp(bytes: Buffer, at: number, prefix: number, ticks: number): void {
  bytes[at] = (prefix << 4) | (Math.floor(ticks / 2 ** 30) << 1) | 1;
  bytes.writeUInt16BE(((Math.floor(ticks / 2 ** 15) & 0x7fff) << 1) | 1, at + 1);
  bytes.writeUInt16BE(((ticks % 2 ** 15) << 1) | 1, at + 3);
}
