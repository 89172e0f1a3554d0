// Parses RTMP URLs, in one way for those who accept one from a user and those who connect to it.

/** YouTube, Facebook, IVS and others take RTMPS on the HTTPS port. */
export const defaultRtmpPorts = { rtmp: 1935, rtmps: 443 } as const;

export interface RtmpURL {
  readonly secure: boolean;
  /** A name in ASCII form or an address in its usual spelling, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Everything after the host, with the query. Never encoded again, since some platforms put tokens there. */
  readonly app: string;
  /** The URL as the RTMP command `connect` has it. */
  readonly tcUrl: string;
}

/**
 * rtmp(s)://AUTHORITY/APPLICATION. Stricter than URL, which forgives white space: the
 * publisher sends the text on as the user wrote it.
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
  const portNumber = port === undefined ? defaultRtmpPorts[secure ? 'rtmps' : 'rtmp'] : Number(port);
  if (hostname === '' || portNumber === 0) return null;
  return { secure, hostname, port: portNumber, app: app.replace(/\/+$/, ''), tcUrl: text.replace(/\/+$/, '') };
}

/** As long as the URL of a destination may be. A server could send megabytes, which would keep a process busy. */
const maxReferenceLength = 2048;

/**
 * The URL that a server redirects a client to.
 * @param from the RTMP URL that the client has connected to
 * @param reference what the server sent. It may leave out what stays the same: //HOST/APPLICATION, /APPLICATION.
 * @returns null for what is no RTMP URL or too long, and for one without TLS where there was TLS
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

/** What a person has to do who gave a text that is no RTMP URL. Never repeats the text, as it may hold a stream key. */
export function adviceOnRtmpURL(text: string): string {
  if (/\s/.test(text)) return 'It has white space in it, probably from copying. Remove it.';
  if (!/^rtmps?:\/\//i.test(text))
    return 'It has to begin with rtmp:// or rtmps://, such as rtmps://live.example.com/app.';
  if (/^\w+:\/\/[^/]*@/.test(text))
    return 'It may not carry a user name or password. What the platform gave you as stream key goes into streamKey.';
  if (text.includes('#')) return 'It may not have a fragment (#…).';
  if (!/^\w+:\/\/[^/?]+\/+[^/?]/.test(text))
    return 'The application is missing: it is the path after the host, such as /app in rtmps://live.example.com/app.';
  return (
    'It has to be rtmp://HOST[:PORT]/APPLICATION or rtmps://HOST[:PORT]/APPLICATION, ' +
    'with a host and a port that exist.'
  );
}
