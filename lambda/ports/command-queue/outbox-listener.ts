// Listener for new rows of the outbox, on a connection of its own that reconnects after an outage.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { ClientConfig } from 'pg';
import type { QueueLog } from './command-queue.ts';
import type { QueueName } from './queues.ts';
import { retryDelayMs } from './delivery.ts';

/**
 * Calls `ring` for each notification about the queue and after each connect, since rows may have come before it.
 * Resolves once the signal aborts and the connection is closed. Never rejects: an outage is logged and waited out.
 */
export async function listenToOutbox(
  connection: ClientConfig,
  queue: QueueName,
  ring: () => void,
  { signal, log }: { readonly signal: AbortSignal; readonly log: QueueLog },
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const client = new Client(connection);
    // A lost connection ends the wait for 'end'. Without a listener for 'error' it could end the process.
    client.on('error', () => {});
    client.on('notification', ({ payload }) => {
      if (payload === queue) ring();
    });
    try {
      await client.connect();
      await client.query('listen outbox');
      failures = 0;
      ring();
      await once(client, 'end', { signal });
      throw new Error('the connection ended');
    } catch (error) {
      if (!signal.aborted) {
        failures += 1;
        log('outbox_listener_disconnected', { queue, failures, error: String(error) });
        await delay(retryDelayMs(failures), undefined, { signal }).catch(() => {});
      }
    } finally {
      await client.end().catch(() => {});
    }
  }
}
