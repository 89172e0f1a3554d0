// The header of one packet of a contributed transport stream (ISO/IEC 13818-1, 2.4.3.2).
import { packetBytes } from '../publisher/transport-stream/packets.ts';

const headerBytes = 4;

/** The payload of one packet, and the marks of its header. */
export interface PacketPayload {
  readonly data: Buffer;
  readonly beginsUnit: boolean;
  readonly counter: number;
  /** The counter may jump here. */
  readonly isDiscontinuous: boolean;
}

/** @returns null for a packet that is damaged, scrambled, or whose fields exceed it */
export function payloadOf(packet: Buffer): PacketPayload | null {
  const [, second = 0, , fourth = 0] = packet;
  const isDamaged = (second & 0x80) !== 0;
  const isScrambled = (fourth & 0xc0) !== 0;
  if (isDamaged || isScrambled) return null;
  const fieldBytes = (fourth & 0x20) === 0 ? 0 : 1 + packet[headerBytes]!;
  const start = headerBytes + fieldBytes;
  if (start > packetBytes) return null;
  const hasPayload = (fourth & 0x10) !== 0;
  return {
    data: packet.subarray(hasPayload ? start : packetBytes),
    beginsUnit: (second & 0x40) !== 0,
    counter: fourth & 0x0f,
    isDiscontinuous: fieldBytes > 1 && (packet[headerBytes + 1]! & 0x80) !== 0,
  };
}
