// The RTMP client: one connection that publishes one stream to one destination.
import { addAbortListener } from 'node:events';
import type { Socket } from 'node:net';
import { parseRtmpURL, rtmpURLFrom } from '../../domain/destinations/rtmp-url.ts';
import type { RtmpURL } from '../../domain/destinations/rtmp-url.ts';
import { DestinationError, Redirected } from '../destination/destination-error.ts';
import { openDestinationSocket } from '../destination/destination-socket.ts';
import type { DestinationSocketOptions } from '../destination/destination-socket.ts';
import type { Publisher } from '../destination/publisher.ts';
import { connectToApp, startPublishing } from './start-publishing.ts';
import type { PublisherOptions } from './start-publishing.ts';

export interface RtmpTarget {
  /** rtmp or rtmps://host[:port]/app[/more][?query]. */
  readonly rtmpURL: string;
  readonly streamKey: string;
}

export interface RtmpClientOptions extends DestinationSocketOptions, PublisherOptions {
  /** The time for everything until the server says that publishing has started. */
  readonly connectTimeoutMs: number;
}

/**
 * Connects and publishes; resolves when the server has answered NetStream.Publish.Start. Makes one TCP connection, and
 * a second one only where the server names another address instead.
 * @param signal gives up when it aborts; it has no effect once this has resolved
 * @throws {DestinationError} when the destination is to blame; the signal's reason when aborted; TypeError when the URL
 * is not RTMP
 */
export function connectPublisher(
  { rtmpURL, streamKey }: RtmpTarget,
  options: RtmpClientOptions,
  signal: AbortSignal,
): Promise<Publisher> {
  const start: Start<Publisher> = (socket, url) => startPublishing(socket, url, streamKey, options);
  return connectTo(rtmpURL, start, options, signal);
}

/**
 * Connects to the application and goes away, without a stream key; otherwise as `connectPublisher`.
 * @throws {DestinationError} TypeError and the signal's reason, as `connectPublisher`
 */
export function tryApplication(rtmpURL: string, options: RtmpClientOptions, signal: AbortSignal): Promise<void> {
  return connectTo(rtmpURL, (socket, url) => connectToApp(socket, url, options), options, signal);
}

/** What is done over a socket that is open. */
type Start<Result> = (socket: Socket, url: RtmpURL) => Promise<Result>;

async function connectTo<Result>(
  rtmpURL: string,
  start: Start<Result>,
  options: RtmpClientOptions,
  signal: AbortSignal,
): Promise<Result> {
  if (!parseRtmpURL(rtmpURL)) throw new TypeError('not an RTMP URL of the form rtmp(s)://host[:port]/app');
  const deadline = AbortSignal.timeout(options.connectTimeoutMs);
  const givenUp = AbortSignal.any([signal, deadline]);
  try {
    return await startAt(rtmpURL, start, options, givenUp).catch((error: unknown) => {
      const otherURL = error instanceof Redirected ? rtmpURLFrom(rtmpURL, error.reference) : null;
      if (otherURL === null) throw error;
      return startAt(otherURL, start, options, givenUp);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw new DestinationError('timed_out', error);
    // The address, which may hold the stream key, must not come into a log.
    throw error instanceof Redirected ? new DestinationError('redirected') : error;
  }
}

async function startAt<Result>(
  rtmpURL: string,
  start: Start<Result>,
  options: RtmpClientOptions,
  signal: AbortSignal,
): Promise<Result> {
  const url = parseRtmpURL(rtmpURL)!;
  const socket = await openDestinationSocket(url, { ...options, readsInPlace: true }, signal);
  const abortListener = addAbortListener(signal, () => socket.destroy());
  try {
    return await start(socket, url);
  } finally {
    abortListener[Symbol.dispose]();
  }
}
