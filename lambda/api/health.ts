// Whether the parts that the service stands on answer, and how fast.
import type { Pool } from 'pg';
import type { PublicContext } from '../operations/context.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';

/** A part that takes longer than this counts as failed. */
const timeoutMs = 2000;
/** Commands that nobody has taken for this long mean that the queue or its consumers do not work. */
const oldestCommandSeconds = 120;

type Check = Awaited<ReturnType<PublicContext['health']>>['database'];

export function createHealth(pool: Pool, objects: ObjectStore): PublicContext['health'] {
  return async () => {
    const [database, storage, queue] = await Promise.all([
      timed(async () => void (await pool.query('select 1'))),
      // That the probe is not there is an answer as good as any.
      timed(async () => void (await objects.head('health/probe'))),
      timed(async () => {
        const { rows } = await pool.query<{ waiting: boolean }>(
          'select exists (select from outbox where dead_at is null and visible_at < now() - make_interval(secs => $1)) as waiting',
          [oldestCommandSeconds],
        );
        if (rows[0]!.waiting) throw new Error('commands wait');
      }),
    ]);
    return { database, storage, queue };
  };
}

async function timed(check: () => Promise<void>): Promise<Check> {
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
