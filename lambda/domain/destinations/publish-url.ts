// The addresses that streams are published to, whichever the way out that they name.
import { adviceOnHlsURL, parseHlsURL } from './hls-url.ts';
import { adviceOnRtmpURL, parseRtmpURL } from './rtmp-url.ts';
import { adviceOnSrtURL, parseSrtURL } from './srt-url.ts';

/** The protocols over which streams leave. HLS is pushed, by PUT. */
export type WayOut = 'rtmp' | 'srt' | 'hls';

export interface PublishURL {
  readonly way: WayOut;
  /** Whether what is sent is hidden in TLS. */
  readonly secure: boolean;
  /** A name in ASCII form or an address in its usual spelling, without brackets. */
  readonly hostname: string;
  readonly port: number;
}

const ways: readonly (readonly [RegExp, WayOut])[] = [
  [/^rtmps?:/i, 'rtmp'],
  [/^srt:/i, 'srt'],
  [/^https:/i, 'hls'],
];

/** @returns null for an address of no scheme that we know */
export function wayOf(text: string): WayOut | null {
  return ways.find(([scheme]) => scheme.test(text))?.[1] ?? null;
}

/** @returns null for anything that streams cannot be published to */
export function parsePublishURL(text: string): PublishURL | null {
  const way = wayOf(text);
  if (way === 'rtmp') {
    const url = parseRtmpURL(text);
    return url && { way, secure: url.secure, hostname: url.hostname, port: url.port };
  }
  const url = way === 'srt' ? parseSrtURL(text) : parseHlsURL(text);
  return way && url && { way, secure: way === 'hls', ...url };
}

/** Whether two addresses lead to the same port of the same host, over the same way. */
export function isSameServer(one: string, other: string): boolean {
  const [a, b] = [parsePublishURL(one), parsePublishURL(other)];
  if (a === null || b === null) return false;
  return a.way === b.way && a.secure === b.secure && a.hostname === b.hostname && a.port === b.port;
}

/** What a person has to do who gave a text that is no such address. Never repeats the text, as it may hold a secret. */
export function adviceOnPublishURL(text: string): string {
  const way = wayOf(text);
  if (way === 'rtmp') return adviceOnRtmpURL(text);
  if (way === 'srt') return adviceOnSrtURL(text);
  if (way === 'hls') return adviceOnHlsURL(text);
  return 'It has to begin with rtmp://, rtmps://, srt:// or https://.';
}
