// Connects to a destination over the way out that its address names.
import { connectHls } from '../hls/hls-publisher.ts';
import { connectPublisher } from '../rtmp/rtmp-client.ts';
import type { RtmpClientOptions } from '../rtmp/rtmp-client.ts';
import { connectSrt } from '../srt/srt-publisher.ts';
import { DestinationError } from './destination-error.ts';
import type { PublishTarget } from './publish-target.ts';
import type { Publisher } from './publisher.ts';

/**
 * Resolves when the destination waits for media.
 * @param signal gives up when it aborts; it has no effect once this has resolved
 * @throws {DestinationError} when the destination is to blame; the signal's reason when aborted
 */
export async function connectTo(
  target: PublishTarget,
  options: RtmpClientOptions,
  signal: AbortSignal,
): Promise<Publisher> {
  if ('rtmpURL' in target) return connectPublisher(target, options, signal);
  const deadline = AbortSignal.timeout(options.connectTimeoutMs);
  const givenUp = AbortSignal.any([signal, deadline]);
  try {
    return await ('srtURL' in target ? connectSrt(target, options, givenUp) : connectHls(target, options, givenUp));
  } catch (error) {
    signal.throwIfAborted();
    throw deadline.aborted ? new DestinationError('timed_out', error) : error;
  }
}
