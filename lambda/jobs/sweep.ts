// The sweep repairs every minute what processes left undone when they died.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import { platformEvents } from '../data/channels/platform-events.ts';
import { readBacks } from '../data/channels/read-backs.ts';
import { backlogRestMs } from '../domain/fleet/backlog-rest.ts';
import type { RestPolicy } from '../domain/fleet/backlog-rest.ts';
import { changesKeptMinutes } from '../domain/notices/changes.ts';
import { bounds } from '../domain/shared/bounds.ts';
import { broadcastsPerCount, viewersEverySeconds } from '../domain/channels/read-back.ts';
import { eventsKeptDays } from '../domain/notices/webhook-retries.ts';
import { applyPayments } from '../orchestration/billing/apply-payments.ts';
import { chargeStorage } from '../orchestration/billing/charge-storage.ts';
import type { StorageSettings } from '../orchestration/billing/charge-storage.ts';
import { discardAbandonedUploads } from '../orchestration/media/discard-uploads.ts';
import { fireDue } from '../orchestration/runs/fire-due.ts';
import { forgetOldJoins } from '../orchestration/playout/forget-joins.ts';
import { recoverReplicas } from '../orchestration/fleet/recover-replicas.ts';
import { rollUpSeries } from '../orchestration/fleet/roll-up-series.ts';
import { recordSessions } from '../orchestration/live/record-sessions.ts';
import { settleTakeovers } from '../orchestration/live/settle-takeovers.ts';
import { refreshPendingSound } from '../orchestration/playout/apply-sound.ts';
import type { StartOptions } from '../orchestration/runs/start-stream.ts';
import type { CommandQueue } from '../ports/command-queue/command-queue.ts';
import type { Timers } from '../ports/timers/timers.ts';
import { stepsInOrder } from './sweep-order.ts';
import type { SweepStep } from './sweep-order.ts';

export interface SweepOptions {
  readonly pool: Pool;
  readonly queue: CommandQueue;
  readonly timers: Timers;
  readonly startOptions: Omit<StartOptions, 'now'>;
  readonly storage: StorageSettings;
  readonly clock: () => Date;
  /** The number of the sweep, which decides the order of its steps: see sweep-order.ts. Absent: 0. */
  readonly turn?: number;
}

/** A timer is armed this long before its time. Sweeps run every 60 seconds, so a late one still arms it in time. */
const timerAheadSeconds = 150;
/** A webhook, mail or mirror that has waited this long has lost its command; otherwise a worker would have begun. */
const forgottenAfterSeconds = 60;
/** The lead of starting a worker for watched sources, so that it runs when they are due. */
const sourcesAheadSeconds = 60;
/** The maximum number of commands that start workers for sources. Each worker scans many sources. */
const sourcesWokenAtOnce = 10;
/** The maximum number of connections to read per sweep and reason. The next sweep continues. */
const readBacksAtOnce = 500;
/** The rests after each webhook with surplus deliveries. After `most` webhooks the sweep skips them, to end in time. */
const excessRests: RestPolicy & { readonly most: number } = { timesAsLong: 3, mostMs: 200, most: 20 };
/** The time limit for due changes of streams. Agents or the next sweep apply the rest. */
const dueMs = 10_000;
/** The maximum number of old events that one sweep deletes. The next one continues. */
const oldEventsAtOnce = 5000;
/** The maximum number of old stream transitions deleted per sweep: more than all users need in a minute. */
const oldTransitionsAtOnce = 50_000;
/** The time limit for rolling up series. The next sweep continues. */
const rollUpMs = 5000;
/** A picture of a stream is deleted this long after its last request. */
const frameKeptHours = 24;
/** The maximum number of series rows deleted per sweep. 10,000 streams cause about 10,000 an hour. */
const oldSeriesAtOnce = 5000;
/** The maximum number of old incidents deleted per sweep. */
const oldIncidentsAtOnce = 5000;
/** The maximum number of old notifications deleted per sweep. */
const oldNotificationsAtOnce = 5000;
/** The maximum number of old changes deleted at once. They are small, and a takeover of all streams causes as many. */
const oldChangesAtOnce = 50_000;
/** The time limit for deleting old changes: a user may cause more a minute than are deleted at once. */
const forgetChangesMs = 10_000;
/** The maximum number of expired answers deleted at once, and the time limit for them: they may be of hours. */
const [oldAnswersAtOnce, forgetAnswersMs] = [10_000, 5000];
/** The maximum number of old runs and pictures deleted per sweep, and of drawings looked at at once. */
const oldRunsAtOnce = 5000;
/** The maximum number of old files of captions looked at at once: some hundred megabytes. */
const oldCaptionsAtOnce = 1000;
/** The time limits for deleting old drawings and old captions: no user makes as many in a minute. */
const forgetDrawingsMs = 5000;
/** The maximum number of old joins of sound deleted per sweep. */
const oldJoinsAtOnce = 5000;
/** The maximum number of old sessions deleted per sweep. */
const oldSessionsAtOnce = 5000;
/**
 * Runs that ended so many minutes ago may be too many. Some sweeps look back a day, for runs that the others missed:
 * those whose order begins with the last steps.
 */
const [endedMinutesAgo, endedSeldomMinutes, seldomTurns] = [5, 24 * 60, 60];
const { keptTransitionsPerStream: keptMoves, keptTransitionDays: keptDays } = bounds;

/**
 * Recovers replicas and imports of dead processes, applies payments and due changes of streams, charges storage,
 * repairs sound, arms timers, wakes workers whose commands were lost, relays the outbox, and deletes
 * expired rows. The list of steps has them all. Its function may be ended before the last one.
 * @throws {AggregateError} the failures of all steps, after every step has run
 */
export async function sweep(options: SweepOptions): Promise<void> {
  const { pool, queue, timers, startOptions, storage, clock, turn = 0 } = options;
  const endedMinutes = turn % seldomTurns === 1 ? endedSeldomMinutes : endedMinutesAgo;
  const steps: readonly SweepStep[] = [
    () => recoverReplicas(pool),
    // Payments come before fireDue, which stops streams without credits.
    [
      () => applyPayments(pool, turn),
      () => databaseOn(pool).creditAccounts.makeRestDue(),
      () => chargeStorage(pool, storage, clock()),
      () => fireDue(pool, startOptions, clock, AbortSignal.timeout(dueMs)),
    ],
    () => armTimers(pool, timers),
    () => databaseOn(pool).imports.freeExpired(),
    () => databaseOn(pool).sources.wakeDue(sourcesAheadSeconds, sourcesWokenAtOnce),
    () => discardAbandonedUploads(pool),
    async () => {
      const [failure] = await settleTakeovers(pool, { newID: startOptions.newID, clock });
      if (failure) throw failure.error;
    },
    () => recordSessions(pool, { newID: startOptions.newID, limitFactor: startOptions.settings.limitFactor }),
    () => databaseOn(pool).liveSessions.forget(bounds.liveSessionsListed, oldSessionsAtOnce),
    () => refreshPendingSound(pool, { retries: 'hourly', limitFactor: startOptions.settings.limitFactor }),
    () => databaseOn(pool).webhooks.wakeForgotten(forgottenAfterSeconds),
    () => databaseOn(pool).incidents.wakeForgotten(forgottenAfterSeconds),
    () => databaseOn(pool).mirrorIntents.wakeForgotten(forgottenAfterSeconds),
    () => readBacks(pool).wakeDue(viewersEverySeconds, broadcastsPerCount, readBacksAtOnce),
    () => platformEvents(pool).deleteOld(),
    () => databaseOn(pool).webhookDeliveries.failOfDisabled(),
    () => dropExcessDeliveries(pool, clock()),
    () => queue.relay(),
    () =>
      forgetWithin(
        forgetAnswersMs,
        async () => (await databaseOn(pool).idempotency.deleteExpired(oldAnswersAtOnce)) > 0,
      ),
    () => databaseOn(pool).expiredCredentials.delete(),
    () => databaseOn(pool).requestWindows.deleteEnded(),
    () => databaseOn(pool).guestRequests.deleteEnded(),
    () => databaseOn(pool).previews.forget(),
    () => databaseOn(pool).webhookDeliveries.deleteOld(eventsKeptDays, oldEventsAtOnce),
    () => databaseOn(pool).streamMoves.forgetTransitions(keptMoves, keptDays, oldTransitionsAtOnce),
    () => rollUpSeries(pool, clock(), AbortSignal.timeout(rollUpMs)),
    () => databaseOn(pool).series.forget(clock(), oldSeriesAtOnce),
    () => forgetFrames(pool),
    () => forgetWithin(forgetDrawingsMs, async () => (await databaseOn(pool).looks.forgetUnused(oldRunsAtOnce)) > 0),
    () =>
      forgetWithin(forgetDrawingsMs, async () => (await databaseOn(pool).captions.forgetUnused(oldCaptionsAtOnce)) > 0),
    () => forgetOldJoins(pool, oldJoinsAtOnce),
    () => databaseOn(pool).incidents.forget(bounds.keptIncidentDays, bounds.keptIncidentsPerUser, oldIncidentsAtOnce),
    () => databaseOn(pool).notifications.forget(bounds.keptNotificationDays, oldNotificationsAtOnce),
    () => forgetWithin(forgetChangesMs, () => databaseOn(pool).changes.forget(changesKeptMinutes, oldChangesAtOnce)),
    () => databaseOn(pool).runs.forget(bounds.keptAirDays, bounds.keptRunBytesPerStream, oldRunsAtOnce, endedMinutes),
    () => databaseOn(pool).runs.forgetOfUsers(bounds.keptRunBytesOfUser, oldRunsAtOnce, endedMinutes),
  ];
  const failures: unknown[] = [];
  // Commands of steps behind the relay in this order are relayed as well.
  for (const step of [...stepsInOrder(steps, turn), () => queue.relay()]) {
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
 * Limits the pending and kept deliveries of webhooks, one webhook after the other with rests, so that thousands of
 * deliveries of one user do not keep the database busy. The user is notified once a day.
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

/** Deletes old rows until none are left or the time is over. @param forget deletes some; false: it left none */
async function forgetWithin(mostMs: number, forget: () => Promise<boolean>): Promise<void> {
  for (const ends = performance.now() + mostMs; (await forget()) && performance.now() < ends;);
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
  for (const second of await dueTimes.secondsWithoutTimer(timerAheadSeconds)) {
    await timers.arm(`due-${second.toISOString()}`, second, { dueBy: second.toISOString() });
    await dueTimes.markTimerArmed(second);
  }
}
