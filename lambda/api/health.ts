// Checks whether the dependencies of the service answer, and how fast.
import type { Pool } from 'pg';
import type { PublicContext } from '../operations/context.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';

/** A dependency that takes longer than this counts as failed. */
const timeoutMs = 2000;
/** If a command has waited longer than this, the queue or its consumers have failed. */
const oldestCommandSeconds = 120;

type Check = Awaited<ReturnType<PublicContext['health']>>['database'];

export function createHealth(pool: Pool, objects: ObjectStore): PublicContext['health'] {
  return async () => {
    const [database, storage, queue] = await Promise.all([
      timed(() => pool.query('select 1')),
      // The object need not exist: any answer of the store is a success.
      timed(() => objects.head('health/probe')),
      timed(() => assertNoOldCommand(pool)),
    ]);
    return { database, storage, queue };
  };
}

async function assertNoOldCommand(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ waiting: boolean }>(
    `select exists (
       select from outbox where dead_at is null and visible_at < now() - make_interval(secs => $1)
     ) as waiting`,
    [oldestCommandSeconds],
  );
  if (rows[0]!.waiting) throw new Error('commands wait');
}

async function timed(check: () => Promise<unknown>): Promise<Check> {
  const beganMs = performance.now();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('timed out')), timeoutMs);
  const status = await Promise.race([check(), timeout.promise]).then(
    () => 'ok' as const,
    () => 'failed' as const,
  );
  clearTimeout(timer);
  return { status, latencyMs: Math.round((performance.now() - beganMs) * 10) / 10 };
}
