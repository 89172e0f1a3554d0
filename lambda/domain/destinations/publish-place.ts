// Where a publisher is at a server, whatever its address is spelt like: two of them there would end each other.
import { hlsFileURL, parseHlsURL } from './hls-url.ts';
import { wayOf } from './publish-url.ts';
import { defaultRtmpPorts, parseRtmpURL } from './rtmp-url.ts';
import { parseSrtURL } from './srt-url.ts';

/** An address, and what tells publishers at it apart. */
export interface PublishPlace {
  readonly url: string;
  /** Of RTMP, and of addresses of HLS that have a place for it. */
  readonly streamKey: string;
  /** One listener of SRT takes many streams, each by its id. */
  readonly srtStreamID: string | null;
}

/** @returns the same text for the same place; null for what streams cannot be published to. It may hold a stream key */
export function spellingOf({ url, streamKey, srtStreamID }: PublishPlace): string | null {
  switch (wayOf(url)) {
    case 'rtmp':
      return rtmpPlace(url, streamKey);
    case 'srt': {
      const server = parseSrtURL(url);
      return server && `srt ${server.hostname}:${server.port} ${srtStreamID ?? ''}`;
    }
    case 'hls': {
      const server = parseHlsURL(url);
      if (!server) return null;
      const { pathname, search } = new URL(hlsFileURL(url, streamKey, ''));
      return `hls ${server.hostname}:${server.port}/${withoutEmpty(pathname)}${search}`;
    }
    case null:
      return null;
  }
}

/**
 * A server puts application and key together, so it does not matter where the one ends and the other begins. RTMP and
 * RTMPS on their usual ports are two doors of one service.
 */
function rtmpPlace(url: string, streamKey: string): string | null {
  const parsed = parseRtmpURL(url);
  if (!parsed) return null;
  const { hostname, port, secure, app } = parsed;
  const isUsualPort = port === defaultRtmpPorts[secure ? 'rtmps' : 'rtmp'];
  const [appPath = '', ...appQuery] = app.split('?');
  const [keyPath = '', ...keyQuery] = streamKey.split('?');
  const query = [...appQuery, ...keyQuery].filter((part) => part !== '').join('&');
  return `rtmp ${hostname}:${isUsualPort ? '' : port}/${withoutEmpty(`${appPath}/${keyPath}`)}?${query}`;
}

function withoutEmpty(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .join('/');
}
