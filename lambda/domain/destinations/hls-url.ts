// Parses the URLs that HLS is pushed to, in one way for those who accept one from a user and those who connect to it.

export interface HlsURL {
  /** A name in ASCII form or an address in its usual spelling, without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** Stands in a URL for the stream key, which is kept apart from it. */
export const streamKeyMark = '{streamKey}';

/** @returns null for anything that is not https://host[:port]/…, with a place for the names of files at its end */
export function parseHlsURL(text: string): HlsURL | null {
  if (/[\s#\\]/.test(text) || !/^https:\/\/[^/@]+\/.*[/=]$/i.test(text) || !URL.canParse(text)) return null;
  const { hostname, port } = new URL(text);
  return { hostname: hostname.replace(/^\[|\]$|\.$/g, ''), port: port === '' ? 443 : Number(port) };
}

/** The URL of one file. @param streamKey what stands in the place that the URL has for it, if it has one */
export function hlsFileURL(url: string, streamKey: string, file: string): string {
  return url.replace(streamKeyMark, () => encodeURIComponent(streamKey)) + file;
}

/** YouTube's parameter for the key of a stream, in the URL that it shows its users. */
const keyParameter = /(?<=[?&]cid=)[^&]*/;

/** Takes the stream key out of a URL of the form that YouTube gives, whose `cid` is the key. */
export function splitHlsURL(text: string): { readonly url: string; readonly streamKey: string | null } {
  const key = keyParameter.exec(text)?.[0] ?? null;
  if (key === null || key === streamKeyMark) return { url: text, streamKey: null };
  return { url: text.replace(keyParameter, streamKeyMark), streamKey: key === '' ? null : decodeURIComponent(key) };
}

/** What a person has to do who gave a text that is no such URL. Never repeats the text, as it may hold a stream key. */
export function adviceOnHlsURL(text: string): string {
  if (/\s/.test(text)) return 'It has white space in it, probably from copying. Remove it.';
  if (/^https:\/\/[^/]*@/i.test(text)) return 'It may not carry a user name or password.';
  if (text.includes('#')) return 'It may not have a fragment (#…).';
  return 'It has to be an https address that ends where the name of a file goes: in file=, or in a slash.';
}
