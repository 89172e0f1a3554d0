// SRT as a way out: reads its URLs for the API, which accepts them, and for the publisher, which connects to them.
import { transportStreamCodecs } from '../../shared/video-format.ts';
import type { PublishPlace, PublishServer, WayOut } from './way-out.ts';

const form = /^srt:\/\/(?<host>\[[0-9a-f:.]+\]|[^\s/:?#@[\]\\]+):(?<port>\d{1,5})\/?$/i;

/** @returns null for anything that is not srt://host:port */
export function parseSrtURL(text: string): PublishServer | null {
  const { host = '', port = '' } = form.exec(text)?.groups ?? {};
  // For http, URL knows that 127.1 and 0x7f000001 are 127.0.0.1, as name lookup does. For srt it does not.
  if (host === '' || !URL.canParse(`http://${host}:${port}`)) return null;
  const hostname = new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, '');
  return hostname === '' || Number(port) === 0 ? null : { secure: false, hostname, port: Number(port) };
}

function adviceOn(text: string): string {
  if (/\s/.test(text)) return 'It contains white space, probably from copying. Remove it.';
  if (text.includes('?'))
    return 'Remove the part after the question mark: passphrase, latency and stream ID go into srt.';
  return 'It must be srt://HOST:PORT, with an existing host and port.';
}

function placeOf({ url, srtStreamID }: PublishPlace): string | null {
  const server = parseSrtURL(url);
  return server && `srt ${server.hostname}:${server.port} ${srtStreamID ?? ''}`;
}

export const srtWay: WayOut = {
  title: 'SRT',
  schemes: ['srt'],
  parse: parseSrtURL,
  adviceOn,
  split: (url) => ({ url, streamKey: null }),
  endsInKey: () => false,
  adviceOnExtraKey: () => 'An SRT destination has no streamKey. Put the key of the platform into srt.streamID.',
  ownField: 'srt',
  adviceOnSharedAddress: null,
  placeOf,
  videoCodecs: transportStreamCodecs,
  // Sequence numbers repeat after a week at the highest bitrate, and may not repeat under one key.
  longestConnectionMs: 5 * 24 * 3600 * 1000,
  // Each packet is a system call, and packets are kept until they are acknowledged.
  cost: { threadPerMbps: 0.0085, memoryPerMbps: 0.3 },
};
