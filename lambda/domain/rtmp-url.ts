// Takes an RTMP URL apart: the one reading of it for whoever accepts one and whoever connects to it.

/** YouTube, Facebook, IVS and others take RTMPS on the HTTPS port. */
const defaultPorts = { rtmp: 1935, rtmps: 443 } as const;

export interface RtmpURL {
  readonly secure: boolean;
  /** A name in ASCII form or an address in its usual spelling, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Everything after the host, query included and never re-encoded: platforms carry tokens there. */
  readonly app: string;
  /** The URL as the connect command repeats it. */
  readonly tcUrl: string;
}

/** rtmp(s)://AUTHORITY/APPLICATION. Stricter than URL, which forgives white space: the publisher sends on what is written here. */
const form =
  /^(?<scheme>rtmps?):\/\/(?<authority>(?<host>\[[0-9a-f:.]+\]|[^\s/:?#@[\]\\]+)(?::(?<port>\d{1,5}))?)\/+(?<app>[^\s/?#][^\s#]*)$/i;

/** @returns null for anything that is not rtmp or rtmps://host[:port]/app[/more][?query] */
export function parseRtmpURL(text: string): RtmpURL | null {
  const { scheme = '', authority = '', host = '', port, app = '' } = form.exec(text)?.groups ?? {};
  // Only of http does URL know, as name lookup does, that 127.1 and 0x7f000001 are 127.0.0.1.
  if (authority === '' || !URL.canParse(`http://${authority}`)) return null;
  const hostname = new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, '');
  const secure = scheme.toLowerCase() === 'rtmps';
  const portNumber = port === undefined ? defaultPorts[secure ? 'rtmps' : 'rtmp'] : Number(port);
  if (hostname === '' || portNumber === 0) return null;
  return { secure, hostname, port: portNumber, app: app.replace(/\/+$/, ''), tcUrl: text.replace(/\/+$/, '') };
}

/** As long as a destination's may be. A server can say megabytes, which would keep a whole process busy. */
const maxReferenceLength = 2048;

/**
 * Where a server sends the client that it has at `from`. `reference` may lack what stays the same: //HOST/APPLICATION, /APPLICATION.
 * @param from an RTMP URL
 * @returns null for what is no RTMP URL or too long, and for one without TLS where there was TLS
 */
export function rtmpURLFrom(from: string, reference: string): string | null {
  if (reference.length > maxReferenceLength) return null;
  const [origin = '', scheme = ''] = /^(rtmps?:)\/\/[^/]*/i.exec(from) ?? [];
  const text = reference.startsWith('//')
    ? scheme + reference
    : reference.startsWith('/')
      ? origin + reference
      : reference;
  const url = parseRtmpURL(text);
  return url && (url.secure || scheme.toLowerCase() === 'rtmp:') ? text : null;
}

/** What a person who wrote something else than an RTMP URL has to do about it. Never repeats the text: it may hold a stream key. */
export function adviceOnRtmpURL(text: string): string {
  if (/\s/.test(text)) return 'It has white space in it, probably from copying. Remove it.';
  if (!/^rtmps?:\/\//i.test(text))
    return 'It has to begin with rtmp:// or rtmps://, such as rtmps://live.example.com/app.';
  if (/^\w+:\/\/[^/]*@/.test(text))
    return 'It may not carry a user name or password. What the platform gave you as stream key goes into streamKey.';
  if (text.includes('#')) return 'It may not have a fragment (#…).';
  if (!/^\w+:\/\/[^/?]+\/+[^/?]/.test(text))
    return 'The application is missing: it is the path after the host, such as /app in rtmps://live.example.com/app.';
  return 'It has to be rtmp://HOST[:PORT]/APPLICATION or rtmps://HOST[:PORT]/APPLICATION, with a host and a port that exist.';
}
