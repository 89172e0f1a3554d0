// Packets of SRT: their headers, and arithmetic with their numbers (draft-sharabayko-srt-01).

export const headerBytes = 16;
/** Seven packets of a transport stream fit into one packet of an Ethernet, and every receiver takes them. */
export const maxPayloadBytes = 7 * 188;

export const controlType = {
  handshake: 0,
  keepAlive: 1,
  acknowledgement: 2,
  lossReport: 3,
  shutdown: 5,
  acknowledgementOfAcknowledgement: 6,
  dropRequest: 7,
  /** A message of an extension, whose type is the subtype. */
  extension: 0x7fff,
} as const;

/** Sequence numbers have 31 bits. */
const sequenceMask = 0x7fff_ffff;
/** Message numbers have 26 bits, and begin with 1. */
const messageMask = 0x03ff_ffff;
/** Flags of a packet that is a whole message and is delivered in order. */
const wholeInOrder = 0xe000_0000;
const evenKey = 0x0800_0000;
const retransmittedFlag = 0x0400_0000;

export function nextSequence(sequence: number, steps = 1): number {
  return (sequence + steps) & sequenceMask;
}

export function nextMessage(message: number): number {
  return (message & messageMask) === messageMask ? 1 : message + 1;
}

/** Steps from one sequence number to another; negative if the other one came before. */
export function stepsBetween(from: number, to: number): number {
  const steps = (to - from) & sequenceMask;
  return steps > sequenceMask / 2 ? steps - sequenceMask - 1 : steps;
}

export interface ControlPacket {
  readonly type: number;
  /** The type of the message of an extension; else 0. */
  readonly subtype: number;
  /** A field whose meaning depends on the type, such as the number of an acknowledgement. */
  readonly info: number;
  readonly destinationID: number;
  readonly payload: Buffer;
}

export interface ControlHeader {
  readonly subtype?: number;
  readonly info?: number;
  /** Microseconds since the connection began; sent modulo 2^32. */
  readonly timestampUs: number;
  readonly destinationID: number;
}

export function controlPacket(
  type: number,
  { subtype = 0, info = 0, timestampUs, destinationID }: ControlHeader,
  payload: Buffer = Buffer.alloc(4),
): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE((0x8000_0000 + (type << 16) + subtype) >>> 0, 0);
  header.writeUInt32BE(info, 4);
  header.writeUInt32BE(timestampUs % 2 ** 32, 8);
  header.writeUInt32BE(destinationID, 12);
  return Buffer.concat([header, payload]);
}

/** @returns null for a data packet, and for a datagram that is too short */
export function readControlPacket(datagram: Buffer): ControlPacket | null {
  if (datagram.length < headerBytes || (datagram[0]! & 0x80) === 0) return null;
  return {
    type: datagram.readUInt16BE(0) & 0x7fff,
    subtype: datagram.readUInt16BE(2),
    info: datagram.readUInt32BE(4),
    destinationID: datagram.readUInt32BE(12),
    payload: datagram.subarray(headerBytes),
  };
}

export interface DataHeader {
  readonly sequence: number;
  readonly message: number;
  readonly isEncrypted: boolean;
  readonly timestampUs: number;
  readonly destinationID: number;
}

/** A data packet: its header, then the payload at `headerBytes`. */
export function dataPacket(header: DataHeader, payload: Buffer): Buffer {
  const packet = Buffer.allocUnsafe(headerBytes + payload.length);
  packet.writeUInt32BE(header.sequence, 0);
  packet.writeUInt32BE(wholeInOrder + (header.isEncrypted ? evenKey : 0) + header.message, 4);
  packet.writeUInt32BE(header.timestampUs % 2 ** 32, 8);
  packet.writeUInt32BE(header.destinationID, 12);
  payload.copy(packet, headerBytes);
  return packet;
}

/** Marks a data packet as one that was sent before. */
export function markRetransmitted(packet: Buffer): void {
  packet.writeUInt32BE((packet.readUInt32BE(4) | retransmittedFlag) >>> 0, 4);
}

/** The ranges of sequence numbers in a report of losses (appendix A), first and last, `most` of them at most. */
export function readLosses(payload: Buffer, most: number): (readonly [number, number])[] {
  const losses: (readonly [number, number])[] = [];
  for (let at = 0; at + 4 <= payload.length && losses.length < most; at += 4) {
    const word = payload.readUInt32BE(at);
    if (word <= sequenceMask) losses.push([word, word]);
    else if (at + 8 <= payload.length)
      losses.push([word & sequenceMask, payload.readUInt32BE((at += 4)) & sequenceMask]);
  }
  return losses;
}
