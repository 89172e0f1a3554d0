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
const form = /^(?<scheme>rtmps?):\/\/(?<authority>(?<host>\[[0-9a-f:.]+\]|[^\s/:?#@[\]\\]+)(?::(?<port>\d{1,5}))?)\/+(?<app>[^\s/?#][^\s#]*)$/i;

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
