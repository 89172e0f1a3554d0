// Connects to a destination over the way out that its address names.
import type { WayName } from '../../domain/destinations/ways/ways.ts';
import { withinTime } from './deadline.ts';
import type { Publisher, PublishOptions } from './publisher.ts';
import { publishingWays } from './publishing-ways.ts';
import type { PublishTarget } from './publishing-ways.ts';

/**
 * Resolves when the destination waits for media.
 * @param signal gives up when it aborts; it has no effect once this has resolved
 * @throws {DestinationError} when the destination is to blame; the signal's reason when aborted
 */
export function connectTo<Name extends WayName>(
  target: PublishTarget<Name>,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<Publisher> {
  const way = publishingWays[target.way];
  return withinTime(options.connectTimeoutMs, signal, (ending) => way.connect(target, options, ending));
}
