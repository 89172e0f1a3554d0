// The pure part of a way out: addresses, secrets, limits and cost of one protocol that streams leave over.
import type { VideoCodec } from '../../shared/video-format.ts';

/** The server that an address leads to. */
export interface PublishServer {
  /** True if the connection is encrypted with TLS. */
  readonly secure: boolean;
  /** A name in ASCII form or an address in its usual spelling, without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** An address, and what tells publishers at this address apart. */
export interface PublishPlace {
  readonly url: string;
  /** Empty for an address without one. */
  readonly streamKey: string;
  /** Stream id of SRT; null for other ways. One listener of SRT takes many streams, each by its id. */
  readonly srtStreamID: string | null;
}

/** Cost of sending, per Mbit/s, beyond the cost of RTMP. */
export interface WayCost {
  /** Share of the agent's one thread. */
  readonly threadPerMbps: number;
  /** Memory in MiB. */
  readonly memoryPerMbps: number;
}

/** The facts and rules of one way out. `ways.ts` lists all of them. */
export interface WayOut {
  /** Name of the protocol, for people. */
  readonly title: string;
  /** Schemes of its addresses, in lower case and without a colon. Each scheme belongs to one way. */
  readonly schemes: readonly [string, ...string[]];
  /** @returns null for an address that this way cannot publish to */
  readonly parse: (url: string) => PublishServer | null;
  /** @returns advice on an address that `parse` refuses. It never repeats the text, which may hold a secret. */
  readonly adviceOn: (url: string) => string;
  /** Splits an address from a user into the address to store and the stream key; null when it holds no key. */
  readonly split: (url: string) => { readonly url: string; readonly streamKey: string | null };
  /** True if the address ends in the key, so that the key would be sent twice. */
  readonly endsInKey: (url: string, streamKey: string) => boolean;
  /** @returns null when the address needs a stream key; otherwise advice to a user who gives one */
  readonly adviceOnExtraKey: (url: string) => string | null;
  /** The field of requests that has settings of this way alone; null for a way without settings. */
  readonly ownField: 'srt' | null;
  /** Advice when primary and backup have one address; null when the server tells the two feeds apart. */
  readonly adviceOnSharedAddress: string | null;
  /** @returns the same text for two spellings of one place; null for a malformed address. May hold a stream key. */
  readonly placeOf: (place: PublishPlace) => string | null;
  /** The codecs that it carries, the best choice first; null when it carries every codec. */
  readonly videoCodecs: readonly [VideoCodec, ...VideoCodec[]] | null;
  /** The longest time that one connection may last, in milliseconds; Infinity without a limit of the protocol. */
  readonly longestConnectionMs: number;
  readonly cost: WayCost;
}

/** The path without empty segments: servers read `//a//b/` as `a/b`. */
export function withoutEmptySegments(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');
}
