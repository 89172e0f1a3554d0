// The listener's half of SRT's handshake: reads a caller's two requests, and writes the answers and refusals.
import {
  capabilities,
  extension,
  extensionFlag,
  extensionIn,
  extensionType,
  fixedBytes,
  fixedPart,
  handshakeType,
  srtMagic,
  srtVersion,
} from '../publisher/srt/handshake.ts';
import { parseKeyMaterial } from '../publisher/srt/key-material.ts';
import type { KeyMaterial } from '../publisher/srt/key-material.ts';

/** Packets that a caller may have on their way. */
export const flowWindowPackets = 8192;
/** The longest text that the protocol allows. */
const mostStreamIDBytes = 512;
const requestBytes = 12;
/** A capability: the caller sends a stream of bytes instead of messages, as for files. */
const sendsBytes = 0x40;
/** Version 1.3.0 is the first with this handshake. */
const oldestVersion = 0x0001_0300;
const otherExtension = { congestion: 6, filter: 7, group: 8 } as const;

/**
 * Reasons of a refusal by their numbers: those below 2000 are of the protocol (draft-sharabayko-srt-01, table 7), the
 * others have the meaning of the statuses of HTTP, from 2000 on.
 */
export const refusalNumber = {
  tooMany: 1003,
  malformed: 1004,
  oldVersion: 1008,
  badPassphrase: 1010,
  unencrypted: 1011,
  sendsBytes: 1012,
  congestion: 1013,
  filter: 1014,
  group: 1015,
  cipher: 1017,
  badStreamID: 2400,
  overload: 2402,
  forbidden: 2403,
  wrongMode: 2405,
} as const;
export type RefusalName = keyof typeof refusalNumber;

/** The fields that each handshake has. */
interface CallerFields {
  /** The number of the caller's socket, which packets to it carry. */
  readonly socketID: number;
  readonly firstSequence: number;
}

/** A request that asks for a cookie. */
export interface Induction extends CallerFields {
  readonly kind: 'induction';
}

/** A request that shows the cookie, and asks for a connection. */
export interface Conclusion extends CallerFields {
  readonly kind: 'conclusion';
  readonly cookie: number;
  /** The text of the stream id; empty without one. */
  readonly streamID: string;
  /** Milliseconds that the caller asks for. */
  readonly latencyMs: number;
  /** The keys of the media; null if it is not encrypted, or by `fault`. */
  readonly keyMaterial: KeyMaterial | null;
  /** A property that we refuse, whatever the stream id is; null without one. */
  readonly fault: RefusalName | null;
}

/** @returns null for a payload that is no request of a caller */
export function readCallerHandshake(payload: Buffer): Induction | Conclusion | null {
  if (payload.length < fixedBytes) return null;
  const type = payload.readUInt32BE(20);
  const fields = { socketID: payload.readUInt32BE(24), firstSequence: payload.readUInt32BE(8) & 0x7fff_ffff };
  if (type === handshakeType.induction) return { kind: 'induction', ...fields };
  if (type !== handshakeType.conclusion || fields.socketID === 0) return null;
  const request = extensionIn(payload, extensionType.request);
  const hasRequest = request !== null && request.length >= requestBytes;
  const keyRequest = extensionIn(payload, extensionType.keyRequest);
  const keyMaterial = keyRequest && parseKeyMaterial(keyRequest);
  return {
    kind: 'conclusion',
    ...fields,
    cookie: payload.readUInt32BE(28),
    streamID: textInWords(extensionIn(payload, extensionType.streamID)),
    latencyMs: hasRequest ? Math.max(request.readUInt16BE(8), request.readUInt16BE(10)) : 0,
    keyMaterial,
    fault: faultOf(payload, hasRequest ? request : null) ?? (keyRequest && !keyMaterial ? 'cipher' : null),
  };
}

function faultOf(payload: Buffer, request: Buffer | null): RefusalName | null {
  const isOld = payload.readUInt32BE(0) !== 5;
  if (isOld) return 'oldVersion';
  if (!request) return 'malformed';
  if (request.readUInt32BE(0) < oldestVersion) return 'oldVersion';
  if ((request.readUInt32BE(4) & sendsBytes) !== 0) return 'sendsBytes';
  const congestion = extensionIn(payload, otherExtension.congestion);
  if (congestion && textInWords(congestion) !== 'live') return 'congestion';
  if (extensionIn(payload, otherExtension.filter)) return 'filter';
  return extensionIn(payload, otherExtension.group) ? 'group' : null;
}

/** Text in words of four bytes, each in reverse order, padded with zeros; empty if it is too long. */
function textInWords(content: Buffer | null): string {
  if (!content || content.length > mostStreamIDBytes || content.length % 4 !== 0) return '';
  return Buffer.from(content).swap32().toString().replace(/\0+$/, '');
}

/** The answer to a request for a cookie: as long as the request. */
export function inductionAnswer({ socketID, firstSequence }: Induction, cookie: number): Buffer {
  const { induction: type } = handshakeType;
  return fixedPart({ version: 5, encryption: 0, extensions: srtMagic, type, cookie, socketID, firstSequence });
}

/** Repeats the key material, as its keys were unwrapped. @param socketID the number of our socket */
export function conclusionAnswer(
  { firstSequence, cookie, keyMaterial }: Conclusion,
  { socketID, latencyMs }: { readonly socketID: number; readonly latencyMs: number },
): Buffer {
  const response = Buffer.alloc(requestBytes);
  response.writeUInt32BE(srtVersion, 0);
  response.writeUInt32BE(capabilities, 4);
  response.writeUInt16BE(latencyMs, 8);
  response.writeUInt16BE(latencyMs, 10);
  const { conclusion: type } = handshakeType;
  const extensions = extensionFlag.request | (keyMaterial ? extensionFlag.key : 0);
  const encryption = (keyMaterial?.keyBytes ?? 0) / 8;
  const flowWindow = flowWindowPackets;
  return Buffer.concat([
    fixedPart({ version: 5, encryption, extensions, type, cookie, socketID, firstSequence, flowWindow }),
    extension(extensionType.response, response),
    ...(keyMaterial ? [extension(extensionType.keyResponse, keyMaterial.bytes)] : []),
  ]);
}

export function refusalAnswer({ socketID, firstSequence, cookie }: Conclusion, name: RefusalName): Buffer {
  const type = refusalNumber[name];
  return fixedPart({ version: 5, encryption: 0, extensions: 0, type, cookie, socketID, firstSequence });
}
