// Dead letters of one machine: rows of the outbox.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { DeadLetters } from './dead-letters.ts';

export function createPostgresDeadLetters(pool: Pool): DeadLetters {
  const { outbox } = databaseOn(pool);
  return {
    list: (queue, most) => outbox.dead(queue, most),
    requeue: (queue, ids, most) => outbox.revive(queue, ids, most),
  };
}
