// Parses SRT URLs, in one way for those who accept one from a user and those who connect to it.

export interface SrtURL {
  /** A name in ASCII form or an address in its usual spelling, without brackets. */
  readonly hostname: string;
  readonly port: number;
}

const form = /^srt:\/\/(?<host>\[[0-9a-f:.]+\]|[^\s/:?#@[\]\\]+):(?<port>\d{1,5})\/?$/i;

/** @returns null for anything that is not srt://host:port */
export function parseSrtURL(text: string): SrtURL | null {
  const { host = '', port = '' } = form.exec(text)?.groups ?? {};
  // For http, URL knows that 127.1 and 0x7f000001 are 127.0.0.1, as name lookup does. For srt it does not.
  if (host === '' || !URL.canParse(`http://${host}:${port}`)) return null;
  const hostname = new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, '');
  return hostname === '' || Number(port) === 0 ? null : { hostname, port: Number(port) };
}

/** What a person has to do who gave a text that is no SRT URL. Never repeats the text, as it may hold a passphrase. */
export function adviceOnSrtURL(text: string): string {
  if (/\s/.test(text)) return 'It has white space in it, probably from copying. Remove it.';
  if (text.includes('?'))
    return 'Leave out what follows the question mark: passphrase, latency and stream id go into srt.';
  return 'It has to be srt://HOST:PORT, with a host and a port that exist.';
}
