// The RTMP client: one connection that publishes one stream to one destination.
import { addAbortListener } from 'node:events';
import { parseRtmpURL } from '../../domain/rtmp-url.ts';
import { DestinationError } from './destination-error.ts';
import { openDestinationSocket } from './destination-socket.ts';
import type { DestinationSocketOptions } from './destination-socket.ts';
import { startPublishing } from './rtmp-publisher.ts';
import type { PublisherOptions, RtmpPublisher } from './rtmp-publisher.ts';

export interface PublishTarget {
  /** rtmp or rtmps://host[:port]/app[/more][?query]. */
  readonly rtmpURL: string;
  readonly streamKey: string;
}

export interface RtmpClientOptions extends DestinationSocketOptions, PublisherOptions {
  /** For everything until the server says that publishing has started. */
  readonly connectTimeoutMs: number;
}

/**
 * Connects and publishes. Makes exactly one TCP connection; resolves when the server has answered NetStream.Publish.Start.
 * @param signal gives up before that; without effect afterwards
 * @throws {DestinationError} when the destination is to blame; the signal's reason when aborted; TypeError when the URL is not RTMP
 */
export async function connectPublisher(target: PublishTarget, options: RtmpClientOptions, signal: AbortSignal): Promise<RtmpPublisher> {
  const url = parseRtmpURL(target.rtmpURL);
  if (!url) throw new TypeError('not an RTMP URL of the form rtmp(s)://host[:port]/app');
  const deadline = AbortSignal.timeout(options.connectTimeoutMs);
  const givenUp = AbortSignal.any([signal, deadline]);
  try {
    const socket = await openDestinationSocket(url, options, givenUp);
    const abortListener = addAbortListener(givenUp, () => socket.destroy());
    try {
      return await startPublishing(socket, url, target.streamKey, options);
    } finally {
      abortListener[Symbol.dispose]();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw new DestinationError('timed_out', error);
    throw error;
  }
}
