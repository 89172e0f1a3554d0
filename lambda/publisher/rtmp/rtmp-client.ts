// The RTMP client: one connection that publishes one stream to one destination.
import { addAbortListener } from 'node:events';
import { parseRtmpURL, rtmpURLFrom } from '../../domain/rtmp-url.ts';
import { DestinationError, Redirected } from '../destination/destination-error.ts';
import { openDestinationSocket } from '../destination/destination-socket.ts';
import type { DestinationSocketOptions } from '../destination/destination-socket.ts';
import type { Publisher } from '../destination/publisher.ts';
import { startPublishing } from './start-publishing.ts';
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
export async function connectPublisher(
  target: RtmpTarget,
  options: RtmpClientOptions,
  signal: AbortSignal,
): Promise<Publisher> {
  if (!parseRtmpURL(target.rtmpURL)) throw new TypeError('not an RTMP URL of the form rtmp(s)://host[:port]/app');
  const deadline = AbortSignal.timeout(options.connectTimeoutMs);
  const givenUp = AbortSignal.any([signal, deadline]);
  try {
    return await publishTo(target, options, givenUp).catch((error: unknown) => {
      const rtmpURL = error instanceof Redirected ? rtmpURLFrom(target.rtmpURL, error.reference) : null;
      if (rtmpURL === null) throw error;
      return publishTo({ ...target, rtmpURL }, options, givenUp);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw new DestinationError('timed_out', error);
    // The address, which may hold the stream key, must not come into a log.
    throw error instanceof Redirected ? new DestinationError('redirected') : error;
  }
}

async function publishTo(
  { rtmpURL, streamKey }: RtmpTarget,
  options: RtmpClientOptions,
  signal: AbortSignal,
): Promise<Publisher> {
  const url = parseRtmpURL(rtmpURL)!;
  const socket = await openDestinationSocket(url, options, signal);
  const abortListener = addAbortListener(signal, () => socket.destroy());
  try {
    return await startPublishing(socket, url, streamKey, options);
  } finally {
    abortListener[Symbol.dispose]();
  }
}
