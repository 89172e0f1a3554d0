// Handles the commands of the queue 'platforms': mirror the streams of a connection, and read its platform.
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import { mirrorConnection } from './mirror-connection.ts';
import type { MirrorOptions } from './mirror-options.ts';
import { readBack } from './read-back.ts';

/**
 * The handler of the queue. A command names only a connection; the work is in rows of the database. A connection named
 * by several commands is worked once. Commands that fail by our fault are delivered again.
 */
export function createPlatformsHandler(options: MirrorOptions): QueueHandler {
  return async ({ Records }) => {
    const sameCommand = [...Map.groupBy(Records, ({ body }) => body)];
    const results = await Promise.allSettled(
      sameCommand.map(([body]) => work(options, (JSON.parse(body) as { connectionID: string }).connectionID)),
    );
    const batchItemFailures = sameCommand.flatMap(([body, records], index) => {
      const result = results[index]!;
      if (result.status === 'fulfilled') return [];
      if (!options.signal.aborted) options.log('platform_command_failed', { command: body, error: result.reason });
      return records.map(({ messageId }) => ({ itemIdentifier: messageId }));
    });
    return { batchItemFailures };
  };
}

/** Mirrors first and last: no other worker could mirror the connection while this one reads its platform. */
async function work(options: MirrorOptions, connectionID: string): Promise<void> {
  await mirrorConnection(options, connectionID);
  if (options.signal.aborted) return;
  await readBack(options, connectionID);
  await mirrorConnection(options, connectionID);
}
