// The sweep: does every minute what some process should have done before it died, so that nothing stays undone.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import { platformEvents } from '../data/channels/platform-events.ts';
import { readBacks } from '../data/channels/read-backs.ts';
import { backlogRestMs } from '../domain/fleet/backlog-rest.ts';
import type { RestPolicy } from '../domain/fleet/backlog-rest.ts';
import { changesKeptMinutes } from '../domain/notices/changes.ts';
import { bounds } from '../domain/shared/limits.ts';
import { broadcastsPerCount, viewersEverySeconds } from '../domain/channels/read-back.ts';
import { eventsKeptDays } from '../domain/notices/webhook-retries.ts';
import { applyPayments } from '../orchestration/billing/apply-payments.ts';
import { chargeStorage } from '../orchestration/billing/charge-storage.ts';
import type { StorageSettings } from '../orchestration/billing/charge-storage.ts';
import { discardAbandonedUploads } from '../orchestration/media/discard-uploads.ts';
import { fireDue } from '../orchestration/runs/fire-due.ts';
import { forgetOldJoins } from '../orchestration/playout/forget-joins.ts';
import { recoverReplicas } from '../orchestration/fleet/recover-replicas.ts';
import { reconcileForgottenOutputs } from '../orchestration/destinations/reconcile-outputs.ts';
import { rollUpSeries } from '../orchestration/fleet/roll-up-series.ts';
import { refreshPendingSound } from '../orchestration/playout/apply-sound.ts';
import type { StartOptions } from '../orchestration/runs/start-stream.ts';
import type { CommandQueue } from '../ports/command-queue/command-queue.ts';
import type { Timers } from '../ports/timers/timers.ts';

export interface SweepOptions {
  readonly pool: Pool;
  readonly queue: CommandQueue;
  readonly timers: Timers;
  readonly startOptions: Omit<StartOptions, 'now'>;
  readonly storage: StorageSettings;
  readonly clock: () => Date;
}

/**
 * A timer is armed when its time is so near. Sweeps run every 60 seconds, so one that is late still arms it in time.
 */
const timerAheadSeconds = 150;
/** A webhook, mail or mirror that has waited for so long has lost its command: a worker would have begun by then. */
const forgottenAfterSeconds = 60;
/** A worker for watched sources has to run by the time that they are due, and takes so long to start. */
const sourcesAheadSeconds = 60;
/** How many commands wake workers for sources up at most: each looks at many of them. */
const sourcesWokenAtOnce = 10;
/** How many connections one sweep has asked about at most, for each reason; the next one continues. */
const readBacksAtOnce = 500;
/** After a webhook of which deliveries are given up. Where there are many the sweep goes on without: it has to end. */
const excessRests: RestPolicy & { readonly most: number } = { timesAsLong: 3, mostMs: 200, most: 20 };
/** A sweep has other things to do. What is still due then, agents fire, or the next sweep. */
const dueMs = 10_000;
/** How many old events one sweep deletes at most; the next one continues. */
const oldEventsAtOnce = 5000;
/** The same of the history of streams: more than all users together have reason to make in a minute. */
const oldTransitionsAtOnce = 50_000;
/** What of an hour is not rolled up by then, the next sweep does. */
const rollUpMs = 5000;
/** So long after somebody asked for it last, a picture of a stream is deleted. */
const frameKeptHours = 24;
/** How many rows of series one sweep deletes at most: of 10,000 streams some 10,000 an hour go. */
const oldSeriesAtOnce = 5000;
/** The same of incidents. */
const oldIncidentsAtOnce = 5000;
/** The same of changes, which are small: a takeover of all streams makes as many. */
const oldChangesAtOnce = 50_000;
/** The same of runs, and of pictures. */
const oldRunsAtOnce = 5000;
/** The same of joins of sound. */
const oldJoinsAtOnce = 5000;
const { keptTransitionsPerStream: keptMoves, keptTransitionDays: keptDays } = bounds;

/**
 * Frees what dead agents and import workers held, applies payments that are not applied yet, charges storage, fires
 * what is due, has joins of sound looked at, begins outputs that were forgotten, arms timers and the items that
 * webhooks wait for, wakes workers for
 * watched sources, discards abandoned uploads, looks at the sound of streams that is not as it should be, has forgotten
 * webhooks, mails and mirrors worked, has platforms asked what is due, relays what is left in the outbox, and deletes
 * what has expired.
 * @throws {AggregateError} the failures of all steps, after every step had its turn
 */
export async function sweep({ pool, queue, timers, startOptions, storage, clock }: SweepOptions): Promise<void> {
  const steps = [
    () => recoverReplicas(pool),
    // Payments come before fireDue, which stops streams without credits.
    () => applyPayments(pool),
    () => databaseOn(pool).creditAccounts.makeRestDue(),
    () => chargeStorage(pool, storage, clock()),
    // An agent of the release before deletes such a due time without a word.
    () => databaseOn(pool).dueTimes.armItemStarts(),
    () => databaseOn(pool).dueTimes.armJoins(),
    () => fireDue(pool, startOptions, clock, AbortSignal.timeout(dueMs)),
    () => reconcileForgottenOutputs(pool),
    () => armTimers(pool, timers),
    () => databaseOn(pool).imports.freeExpired(),
    () => databaseOn(pool).sources.wakeDue(sourcesAheadSeconds, sourcesWokenAtOnce),
    () => discardAbandonedUploads(pool),
    () => refreshPendingSound(pool, { retries: 'hourly', limitFactor: startOptions.settings.limitFactor }),
    () => databaseOn(pool).webhooks.wakeForgotten(forgottenAfterSeconds),
    () => databaseOn(pool).incidents.wakeForgotten(forgottenAfterSeconds),
    () => databaseOn(pool).mirrorIntents.wakeForgotten(forgottenAfterSeconds),
    () => readBacks(pool).wakeDue(viewersEverySeconds, broadcastsPerCount, readBacksAtOnce),
    () => platformEvents(pool).deleteOld(),
    () => databaseOn(pool).webhookDeliveries.failOfDisabled(),
    () => dropExcessDeliveries(pool, clock()),
    () => queue.relay(),
    () => databaseOn(pool).idempotency.deleteExpired(),
    () => databaseOn(pool).expiredCredentials.delete(),
    () => databaseOn(pool).requestWindows.deleteEnded(),
    () => databaseOn(pool).previews.forget(),
    () => databaseOn(pool).webhookDeliveries.deleteOld(eventsKeptDays, oldEventsAtOnce),
    () => databaseOn(pool).streamMoves.forgetTransitions(keptMoves, keptDays, oldTransitionsAtOnce),
    () => rollUpSeries(pool, clock(), AbortSignal.timeout(rollUpMs)),
    () => databaseOn(pool).series.forget(clock(), oldSeriesAtOnce),
    () => forgetFrames(pool),
    () => databaseOn(pool).looks.forgetUnused(oldRunsAtOnce),
    () => databaseOn(pool).captions.forgetUnused(oldRunsAtOnce),
    () => forgetOldJoins(pool, oldJoinsAtOnce),
    () => databaseOn(pool).incidents.forget(bounds.keptIncidentDays, bounds.keptIncidentsPerUser, oldIncidentsAtOnce),
    () => databaseOn(pool).changes.forget(changesKeptMinutes, oldChangesAtOnce),
    () => databaseOn(pool).runs.forget(bounds.keptAirDays, bounds.keptRunBytesPerStream, oldRunsAtOnce),
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

/**
 * Keeps what waits for webhooks, and what is kept of them, within bounds: of one webhook after the other, with rests,
 * so that nobody waits for a database that is busy with thousands of one user. Users are told once a day.
 */
async function dropExcessDeliveries(pool: Pool, now: Date): Promise<void> {
  const { pendingDeliveriesPerWebhook: perWebhook, pendingDeliveriesPerUser: perUser } = bounds;
  const today = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
  const found = await databaseOn(pool).webhookDeliveries.excess(perWebhook, perUser);
  for (const [index, excess] of found.entries()) {
    const beganMs = performance.now();
    await inTransaction(pool, async (data) => {
      if (!(await data.webhookDeliveries.failExcess(excess))) return;
      const { webhookID, userID } = excess;
      const reference = `${webhookID} ${today}`;
      const detail = { webhookID, waiting: perWebhook };
      await data.notifications.add({ kind: 'webhook_overflowed', reference, detail, userID, dueAt: now });
    });
    if (index < excessRests.most) await delay(backlogRestMs(performance.now() - beganMs, excessRests));
  }
  await inTransaction(pool, (data) => data.webhookDeliveries.deleteExcess(bounds.keptDeliveriesPerWebhook));
}

async function forgetFrames(pool: Pool): Promise<void> {
  await inTransaction(pool, async ({ frames, outbox }) => {
    const objectKeys = await frames.forget(frameKeptHours, oldRunsAtOnce);
    await outbox.sendAll(
      'media',
      objectKeys.map((objectKey) => ({ task: 'delete_object', objectKey }) as const),
    );
  });
}

async function armTimers(pool: Pool, timers: Timers): Promise<void> {
  const { dueTimes } = databaseOn(pool);
  for (const due of await dueTimes.withoutTimer(timerAheadSeconds)) {
    await timers.arm(`${due.stream_id}-${due.kind}`, due.due_at, { streamID: due.stream_id });
    await dueTimes.markTimerArmed(due);
  }
}
