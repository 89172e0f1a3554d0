// Carries out the commands of the queue 'platforms': something is to be told to a managed platform.
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import { mirrorConnection } from './mirror-connection.ts';
import type { MirrorOptions } from './mirror-options.ts';

/**
 * The handler of the queue. What is to be told stands in rows of the database. A connection that several commands name
 * is worked once. Commands that fail by our fault are delivered again.
 */
export function createPlatformsHandler(options: MirrorOptions): QueueHandler {
  return async ({ Records }) => {
    const sameCommand = [...Map.groupBy(Records, ({ body }) => body)];
    const results = await Promise.allSettled(
      sameCommand.map(([body]) => {
        const { connectionID } = JSON.parse(body) as { connectionID: string };
        return mirrorConnection(options, connectionID);
      }),
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
