// The handshake of a caller of SRT: an exchange that proves our address, and one that agrees on the connection.
// A listener's half is in `lambda/live/srt-handshake.ts`.
import { isKeyBytes } from './key-material.ts';
import type { KeyBytes } from './key-material.ts';

export const fixedBytes = 48;
export const handshakeType = { induction: 1, conclusion: 0xffff_ffff } as const;
/** The field of extensions in a listener's answer to an induction: it speaks SRT, not UDT. */
export const srtMagic = 0x4a17;
const mtuBytes = 1500;
/** Packets that we could have on their way. Other callers send the same number. */
const flowWindowPackets = 25_600;

export const extensionType = { request: 1, response: 2, keyRequest: 3, keyResponse: 4, streamID: 5 } as const;
/** Flags of the extensions that a handshake has: request, key material, and others. */
export const extensionFlag = { request: 1, key: 2, more: 4 } as const;
export const srtVersion = 0x0001_0501;
/**
 * Both sides deliver by timestamps, packets may be encrypted, late packets are dropped, losses are reported repeatedly,
 * and a packet has a flag if it was sent before.
 */
export const capabilities = 0x3f;

export interface Caller {
  readonly socketID: number;
  readonly firstSequence: number;
  readonly latencyMs: number;
  readonly streamID: string | null;
}

/** A listener's answer to one of our handshakes. */
export interface HandshakeAnswer {
  readonly cookie: number;
  readonly socketID: number;
  /** The number of packets that may be on their way. */
  readonly flowWindow: number;
  /** The key length that the listener prefers, in an answer to an induction; null without a preference. */
  readonly keyBytes: KeyBytes | null;
  /** The answer to our key material; null without one. */
  readonly keyAnswer: Buffer | null;
  /** The number of the reason for a refusal; null if the listener does not refuse. */
  readonly refusal: number | null;
  readonly isInduction: boolean;
}

export function induction({ socketID, firstSequence }: Caller): Buffer {
  const { induction: type } = handshakeType;
  return fixedPart({ version: 4, encryption: 0, extensions: 2, type, cookie: 0, socketID, firstSequence });
}

/** @param keyMaterial null without encryption */
export function conclusion(caller: Caller, cookie: number, keyMaterial: Buffer | null, keyBytes: KeyBytes): Buffer {
  const { latencyMs, streamID } = caller;
  const request = Buffer.alloc(12);
  request.writeUInt32BE(srtVersion, 0);
  request.writeUInt32BE(capabilities, 4);
  request.writeUInt16BE(latencyMs, 8);
  request.writeUInt16BE(latencyMs, 10);
  const hasMore = streamID !== null && streamID !== '';
  const flags = extensionFlag.request | (keyMaterial ? extensionFlag.key : 0) | (hasMore ? extensionFlag.more : 0);
  return Buffer.concat([
    fixedPart({
      ...caller,
      version: 5,
      encryption: keyMaterial ? keyBytes / 8 : 0,
      extensions: flags,
      type: handshakeType.conclusion,
      cookie,
    }),
    extension(extensionType.request, request),
    ...(keyMaterial ? [extension(extensionType.keyRequest, keyMaterial)] : []),
    ...(hasMore ? [extension(extensionType.streamID, inWords(streamID))] : []),
  ]);
}

/** @returns null for a payload that is no handshake of an SRT listener */
export function readHandshake(payload: Buffer): HandshakeAnswer | null {
  if (payload.length < fixedBytes || payload.readUInt32BE(0) !== 5) return null;
  const type = payload.readUInt32BE(20);
  const isInduction = type === handshakeType.induction;
  const refusal = isInduction || type === handshakeType.conclusion ? null : type;
  if (isInduction && payload.readUInt16BE(6) !== srtMagic) return null;
  const keyBytes = payload.readUInt16BE(4) * 8;
  return {
    isInduction,
    refusal,
    keyBytes: isKeyBytes(keyBytes) ? keyBytes : null,
    flowWindow: payload.readUInt32BE(16),
    socketID: payload.readUInt32BE(24),
    cookie: payload.readUInt32BE(28),
    keyAnswer: isInduction ? null : extensionIn(payload, extensionType.keyResponse),
  };
}

export interface FixedPart {
  readonly version: number;
  readonly encryption: number;
  readonly extensions: number;
  readonly type: number;
  readonly cookie: number;
  readonly socketID: number;
  readonly firstSequence: number;
  readonly flowWindow?: number;
}

/** The part of a handshake that each one has. Its address of 16 bytes stays 0. */
export function fixedPart(part: FixedPart): Buffer {
  const bytes = Buffer.alloc(fixedBytes);
  bytes.writeUInt32BE(part.version, 0);
  bytes.writeUInt16BE(part.encryption, 4);
  bytes.writeUInt16BE(part.extensions, 6);
  bytes.writeUInt32BE(part.firstSequence, 8);
  bytes.writeUInt32BE(mtuBytes, 12);
  bytes.writeUInt32BE(part.flowWindow ?? flowWindowPackets, 16);
  bytes.writeUInt32BE(part.type, 20);
  bytes.writeUInt32BE(part.socketID, 24);
  bytes.writeUInt32BE(part.cookie, 28);
  return bytes;
}

export function extension(type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(content.length / 4, 2);
  return Buffer.concat([header, content]);
}

/** Text in words of four bytes, each in reverse order, padded with zeros. */
function inWords(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]).swap32();
}

/** The content of an extension; null if it is not there. It may be cut short. */
export function extensionIn(payload: Buffer, wanted: number): Buffer | null {
  for (let at = fixedBytes; at + 4 <= payload.length;) {
    const end = at + 4 + payload.readUInt16BE(at + 2) * 4;
    if (payload.readUInt16BE(at) === wanted) return payload.subarray(at + 4, end);
    at = end;
  }
  return null;
}
