// What is done every minute, so that nothing is forgotten when the one who should have done it died.
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import { eventsKeptDays } from '../domain/webhook-retries.ts';
import { applyPayments } from '../orchestration/apply-payments.ts';
import { discardAbandonedUploads } from '../orchestration/discard-uploads.ts';
import { fireDue } from '../orchestration/fire-due.ts';
import { recoverReplicas } from '../orchestration/recover-replicas.ts';
import type { Starting } from '../orchestration/start-stream.ts';
import type { CommandQueue } from '../ports/command-queue/command-queue.ts';
import type { Timers } from '../ports/timers/timers.ts';

export interface SweepParts {
  readonly pool: Pool;
  readonly queue: CommandQueue;
  readonly timers: Timers;
  readonly starting: Omit<Starting, 'now'>;
  readonly clock: () => Date;
}

/** Sweeps come every 60 seconds; a timer is armed one sweep before its time, and a late sweep still finds it. */
const timerAheadSeconds = 150;
/** What is due to webhooks, or to be mailed, has a command of its own, and a sender that lives has begun by then. */
const forgottenAfterSeconds = 60;
/** A sweep takes no more than these; the next one goes on. */
const oldEventsAtOnce = 5000;

/**
 * Frees what dead agents and import workers held, applies payments that were left behind, fires what is due, arms timers, discards
 * abandoned uploads, has webhooks and mails sent that were left behind, relays what was left in the outbox, and throws away what has expired.
 * @throws {AggregateError} what failed, after everything else was done
 */
export async function sweep({ pool, queue, timers, starting, clock }: SweepParts): Promise<void> {
  const steps = [
    () => recoverReplicas(pool),
    // Before credits are found missing.
    () => applyPayments(pool),
    () => fireDue(pool, starting, clock),
    () => armTimers(pool, timers),
    () => databaseOn(pool).imports.freeExpired(),
    () => discardAbandonedUploads(pool),
    () => databaseOn(pool).webhooks.wakeForgotten(forgottenAfterSeconds),
    () => databaseOn(pool).webhookDeliveries.failOfDisabled(),
    () => queue.relay(),
    () => databaseOn(pool).idempotency.deleteExpired(),
    () => databaseOn(pool).expiredCredentials.delete(),
    () => databaseOn(pool).requestWindows.deleteEnded(),
    () => databaseOn(pool).webhookDeliveries.deleteOld(eventsKeptDays, oldEventsAtOnce),
  ];
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `parts of the sweep failed: ${failures.map(String).join('; ')}`);
}

async function armTimers(pool: Pool, timers: Timers): Promise<void> {
  const { dueTimes } = databaseOn(pool);
  for (const due of await dueTimes.withoutTimer(timerAheadSeconds)) {
    await timers.arm(`${due.stream_id}-${due.kind}`, due.due_at, { streamID: due.stream_id });
    await dueTimes.markTimerArmed(due);
  }
}
