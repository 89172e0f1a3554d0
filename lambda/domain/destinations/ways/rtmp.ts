// RTMP as a way out: reads its URLs for the API, which accepts them, and for the publisher, which connects to them.
import { withoutEmptySegments } from './way-out.ts';
import type { PublishPlace, PublishServer, WayOut } from './way-out.ts';

/** YouTube, Facebook, IVS and others take RTMPS on the HTTPS port. */
const defaultPorts = { rtmp: 1935, rtmps: 443 } as const;

export interface RtmpURL extends PublishServer {
  /** Everything after the host, with the query. Never encoded again, since some platforms put tokens there. */
  readonly app: string;
  /** The URL as the RTMP command `connect` has it. */
  readonly tcUrl: string;
}

/**
 * rtmp(s)://AUTHORITY/APPLICATION. Stricter than URL, which accepts white space: the publisher sends the text to the
 * server as the user wrote it.
 */
const form =
  /^(?<scheme>rtmps?):\/\/(?<authority>(?<host>\[[0-9a-f:.]+\]|[^\s/:?#@[\]\\]+)(?::(?<port>\d{1,5}))?)\/+(?<app>[^\s/?#][^\s#]*)$/i;

/** @returns null for anything that is not rtmp or rtmps://host[:port]/app[/more][?query] */
export function parseRtmpURL(text: string): RtmpURL | null {
  const { scheme = '', authority = '', host = '', port, app = '' } = form.exec(text)?.groups ?? {};
  // For http, URL knows that 127.1 and 0x7f000001 are 127.0.0.1, as name lookup does. For rtmp it does not.
  if (authority === '' || !URL.canParse(`http://${authority}`)) return null;
  const hostname = new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, '');
  const secure = scheme.toLowerCase() === 'rtmps';
  const portNumber = port === undefined ? defaultPorts[secure ? 'rtmps' : 'rtmp'] : Number(port);
  if (hostname === '' || portNumber === 0) return null;
  return { secure, hostname, port: portNumber, app: app.replace(/\/+$/, ''), tcUrl: text.replace(/\/+$/, '') };
}

/** The length that a destination's URL may have. A server could send megabytes, and so keep a process busy. */
const maxReferenceLength = 2048;

/**
 * The URL that a server redirects a client to.
 * @param from the RTMP URL that the client has connected to
 * @param reference the text that the server sent. It may omit the scheme (//HOST/APPLICATION) and the host too
 * (/APPLICATION); both then stay as they are
 * @returns null for a text that is no RTMP URL or too long, and for a URL without TLS if `from` has TLS
 */
export function rtmpURLFrom(from: string, reference: string): string | null {
  if (reference.length > maxReferenceLength) return null;
  const [origin = '', scheme = ''] = /^(rtmps?:)\/\/[^/]*/i.exec(from) ?? [];
  const text = completed(reference, scheme, origin);
  const url = parseRtmpURL(text);
  return url && (url.secure || scheme.toLowerCase() === 'rtmp:') ? text : null;
}

function completed(reference: string, scheme: string, origin: string): string {
  if (reference.startsWith('//')) return scheme + reference;
  return reference.startsWith('/') ? origin + reference : reference;
}

function adviceOn(text: string): string {
  if (/\s/.test(text)) return 'It contains white space, probably from copying. Remove it.';
  if (!/^rtmps?:\/\//i.test(text))
    return 'It must begin with rtmp:// or rtmps://, such as rtmps://live.example.com/app.';
  if (/^\w+:\/\/[^/]*@/.test(text))
    return 'It must not contain a user name or password. Put the stream key of the platform into streamKey.';
  if (text.includes('#')) return 'It must not have a fragment (#…).';
  if (!/^\w+:\/\/[^/?]+\/+[^/?]/.test(text))
    return 'The application is missing: it is the path after the host, such as /app in rtmps://live.example.com/app.';
  return (
    'It must be rtmp://HOST[:PORT]/APPLICATION or rtmps://HOST[:PORT]/APPLICATION, ' +
    'with a host and a port that exist.'
  );
}

/**
 * Servers join application and key, so the border between them does not matter. RTMP and RTMPS on their usual ports are
 * two doors of one service.
 */
function placeOf({ url, streamKey }: PublishPlace): string | null {
  const parsed = parseRtmpURL(url);
  if (!parsed) return null;
  const { hostname, port, secure, app } = parsed;
  const isUsualPort = port === defaultPorts[secure ? 'rtmps' : 'rtmp'];
  const [appPath = '', ...appQuery] = app.split('?');
  const [keyPath = '', ...keyQuery] = streamKey.split('?');
  const query = [...appQuery, ...keyQuery].filter((part) => part !== '').join('&');
  return `rtmp ${hostname}:${isUsualPort ? '' : port}/${withoutEmptySegments(`${appPath}/${keyPath}`)}?${query}`;
}

function endsInKey(url: string, streamKey: string): boolean {
  return /^rtmps?:\/\/[^/]+\/+[^/]+\//i.test(url) && url.replace(/\/+$/, '').endsWith(`/${streamKey}`);
}

export const rtmpWay: WayOut = {
  title: 'RTMP',
  schemes: ['rtmp', 'rtmps'],
  parse: parseRtmpURL,
  adviceOn,
  split: (url) => ({ url, streamKey: null }),
  endsInKey,
  adviceOnExtraKey: () => null,
  ownField: null,
  adviceOnSharedAddress: null,
  placeOf,
  videoCodecs: null,
  longestConnectionMs: Infinity,
  cost: { threadPerMbps: 0, memoryPerMbps: 0 },
};
