// The RTMP client: one connection that publishes one stream to one destination.
import { addAbortListener } from 'node:events';
import type { Socket } from 'node:net';
import { parseRtmpURL, rtmpURLFrom } from '../../domain/destinations/ways/rtmp.ts';
import type { RtmpURL } from '../../domain/destinations/ways/rtmp.ts';
import { DestinationError, Redirected } from '../destination/destination-error.ts';
import { openDestinationSocket } from '../destination/destination-socket.ts';
import type { DestinationSocketOptions } from '../destination/destination-socket.ts';
import type { Publisher, PublishOptions } from '../destination/publisher.ts';
import { connectToApp, startPublishing } from './start-publishing.ts';

export interface RtmpTarget {
  /** rtmp or rtmps://host[:port]/app[/more][?query]. */
  readonly url: string;
  readonly streamKey: string;
}

/**
 * Connects and publishes; resolves when the server has answered NetStream.Publish.Start. Makes one TCP connection, and
 * a second one only if the server names another address instead.
 * @param signal gives up when it aborts; it has no effect once this has resolved
 * @throws {DestinationError} when the destination is to blame; TypeError when the URL is not RTMP
 */
export function connectPublisher(
  { url, streamKey }: RtmpTarget,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<Publisher> {
  return followRedirect(url, (socket, at) => startPublishing(socket, at, streamKey, options), options, signal);
}

/**
 * Connects to the application and closes the connection, without a stream key.
 * @throws {DestinationError} and TypeError, as `connectPublisher`
 */
export function tryApplication(url: string, options: DestinationSocketOptions, signal: AbortSignal): Promise<void> {
  return followRedirect(url, (socket, at) => connectToApp(socket, at, options), options, signal);
}

/** Work over a socket that is open. */
type Start<Result> = (socket: Socket, url: RtmpURL) => Promise<Result>;

async function followRedirect<Result>(
  url: string,
  start: Start<Result>,
  options: DestinationSocketOptions,
  signal: AbortSignal,
): Promise<Result> {
  const parsed = parseRtmpURL(url);
  if (!parsed) throw new TypeError('not an RTMP URL of the form rtmp(s)://host[:port]/app');
  try {
    return await startAt(parsed, start, options, signal).catch((error: unknown) => {
      const otherURL = error instanceof Redirected ? rtmpURLFrom(url, error.reference) : null;
      if (otherURL === null) throw error;
      return startAt(parseRtmpURL(otherURL)!, start, options, signal);
    });
  } catch (error) {
    // The address, which may hold the stream key, must not come into a log.
    throw error instanceof Redirected ? new DestinationError('redirected') : error;
  }
}

async function startAt<Result>(
  url: RtmpURL,
  start: Start<Result>,
  options: DestinationSocketOptions,
  signal: AbortSignal,
): Promise<Result> {
  const socket = await openDestinationSocket(url, { ...options, readsInPlace: true }, signal);
  const abortListener = addAbortListener(signal, () => socket.destroy());
  try {
    return await start(socket, url);
  } finally {
    abortListener[Symbol.dispose]();
  }
}
