// HLS by PUT as a way out: reads its URLs for the API, which accepts them, and for the publisher, which uploads.
import { transportStreamCodecs } from '../../shared/video-format.ts';
import { withoutEmptySegments } from './way-out.ts';
import type { PublishPlace, PublishServer, WayOut } from './way-out.ts';

/** The place of the stream key in a URL. The key is stored apart from the URL. */
export const streamKeyMark = '{streamKey}';

/** @returns null for anything that is not https://host[:port]/…, with a place for the names of files at its end */
export function parseHlsURL(text: string): PublishServer | null {
  if (/[\s#\\]/.test(text) || !/^https:\/\/[^/@]+\/.*[/=]$/i.test(text) || !URL.canParse(text)) return null;
  const { hostname, port } = new URL(text);
  return {
    secure: true,
    hostname: hostname.replace(/^\[|\]$|\.$/g, ''),
    port: port === '' ? 443 : Number(port),
  };
}

/** The URL of one file. @param streamKey replaces `streamKeyMark`, if the URL has it */
export function hlsFileURL(url: string, streamKey: string, file: string): string {
  return url.replace(streamKeyMark, () => encodeURIComponent(streamKey)) + file;
}

/** YouTube's parameter for the key of a stream, in the URL that it shows its users. */
const keyParameter = /(?<=[?&]cid=)[^&]*/;

/** Takes the stream key out of a URL as YouTube shows it: its parameter `cid` is the key. */
export function splitHlsURL(text: string): { readonly url: string; readonly streamKey: string | null } {
  const key = keyParameter.exec(text)?.[0] ?? null;
  if (key === null || key === streamKeyMark) return { url: text, streamKey: null };
  return { url: text.replace(keyParameter, streamKeyMark), streamKey: key === '' ? null : decodeURIComponent(key) };
}

function adviceOn(text: string): string {
  if (/\s/.test(text)) return 'It contains white space, probably from copying. Remove it.';
  if (/^https:\/\/[^/]*@/i.test(text)) return 'It must not contain a user name or password.';
  if (text.includes('#')) return 'It must not have a fragment (#…).';
  return 'It must be an https address that ends where a file name is appended: with file=, or with a slash.';
}

function placeOf({ url, streamKey }: PublishPlace): string | null {
  const server = parseHlsURL(url);
  if (!server) return null;
  const { pathname, search } = new URL(hlsFileURL(url, streamKey, ''));
  return `hls ${server.hostname}:${server.port}/${withoutEmptySegments(pathname)}${search}`;
}

export const hlsWay: WayOut = {
  title: 'HLS',
  schemes: ['https'],
  parse: parseHlsURL,
  adviceOn,
  split: splitHlsURL,
  endsInKey: () => false,
  adviceOnExtraKey: (url) =>
    url.includes(streamKeyMark) ? null : `The address has no place for the key. Put ${streamKeyMark} into the address.`,
  ownField: null,
  adviceOnSharedAddress:
    'The backup needs a different address: two feeds to one address corrupt each other. YouTube needs copy=1 in ' +
    'it.',
  placeOf,
  videoCodecs: transportStreamCodecs,
  longestConnectionMs: Infinity,
  // Two segments are kept until they are uploaded.
  cost: { threadPerMbps: 0.0024, memoryPerMbps: 0.8 },
};
