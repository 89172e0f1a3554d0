// Takes an RTMP URL apart the way encoders do.
import { domainToASCII } from 'node:url';

/** YouTube, Facebook, IVS and others take RTMPS on the HTTPS port. */
const defaultPorts = { rtmp: 1935, rtmps: 443 } as const;

export interface RtmpURL {
  readonly secure: boolean;
  /** A name in ASCII form or an address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Everything after the host, query included and never re-encoded: platforms carry tokens there. */
  readonly app: string;
  /** The URL as the connect command repeats it. */
  readonly tcUrl: string;
}

/**
 * @param rtmpURL rtmp or rtmps://host[:port]/app[/more][?query], without the stream key
 * @throws {TypeError} for anything else; the message does not repeat the URL
 */
export function parseRtmpURL(rtmpURL: string): RtmpURL {
  const match = /^(?<scheme>rtmps?):\/\/(?<host>\[[0-9a-f:.]+\]|[^\s/:?#@[\]]+)(?::(?<port>\d{1,5}))?\/(?<app>[^\s#]+)$/i.exec(rtmpURL);
  const { scheme = '', host = '', port, app = '' } = match?.groups ?? {};
  const secure = scheme.toLowerCase() === 'rtmps';
  const hostname = host.startsWith('[') ? host.slice(1, -1) : domainToASCII(host);
  const portNumber = port === undefined ? defaultPorts[secure ? 'rtmps' : 'rtmp'] : Number(port);
  const trimmedApp = app.replace(/\/+$/, '');
  if (hostname === '' || trimmedApp === '' || portNumber < 1 || portNumber > 65_535) {
    throw new TypeError('not an RTMP URL of the form rtmp(s)://host[:port]/app');
  }
  return { secure, hostname, port: portNumber, app: trimmedApp, tcUrl: rtmpURL.replace(/\/+$/, '') };
}
