// Reconciles incidents with the signals of triggers and the time, and notifies channels and webhooks.
import type { Pool } from 'pg';
import type { AlertChannel } from '../../data/notices/alert-channels.ts';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { courseOf } from '../../data/notices/incidents.ts';
import type { Incident, IncidentEvent, Signal } from '../../data/notices/incidents.ts';
import {
  afterSignal,
  afterTime,
  confirmedAfterSeconds,
  lastedSeconds,
  notifyAt,
} from '../../domain/notices/incidents.ts';
import type { Course, IncidentKind } from '../../domain/notices/incidents.ts';
import { showIncident } from './show-incident.ts';

export interface ReconcileOptions {
  readonly pool: Pool;
  readonly newID: (prefix: string) => string;
}

/**
 * The most signals in one transaction. All of a user fit, so that an end never waits while its beginning is confirmed.
 */
const signalsAtOnce = 20_000;
/** The users of one command, and those that are reconciled at the same time. */
const users = { atOnce: 200, together: 4 } as const;
/** The delay of another reconciliation: running transactions, whose signals are not visible yet, have ended by then. */
const lookAgainSeconds = 5;

type Changed = Omit<Incident, 'seq'>;

/**
 * Reconciles the incidents of users, by id. Another command does so for the users after those of this command.
 * @throws {AggregateError} the failures, after all other users had their turn
 */
export async function reconcileAllIncidents(options: ReconcileOptions, afterUserID: string): Promise<void> {
  const data = databaseOn(options.pool);
  const userIDs = await data.incidents.usersToReconcile(afterUserID, users.atOnce);
  if (userIDs.length === users.atOnce)
    await data.outbox.send({ queue: 'webhooks', body: { incidents: userIDs.at(-1)! } });
  const left = [...userIDs];
  const errors: unknown[] = [];
  const reconcileNext = async (): Promise<void> => {
    for (let userID = left.shift(); userID !== undefined; userID = left.shift())
      await reconcileIncidents(options, userID).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: users.together }, reconcileNext));
  // The sweep finds failed users again.
  await data.incidents.scheduleNext(userIDs.length > errors.length ? lookAgainSeconds : null);
  if (errors.length > 0) throw new AggregateError(errors, 'incidents of some users were not reconciled');
}

/** Reconciles the incidents of a user that have signals or are due, if any. */
export async function reconcileIncidents({ pool, newID }: ReconcileOptions, userID: string): Promise<void> {
  await inTransaction(pool, async (data) => {
    await data.incidents.lockTurn(userID);
    const now = await data.now();
    const signals = await data.incidents.takeSignals(userID, signalsAtOnce);
    const open = await data.incidents.open(userID, now, signals);
    if (open.length === 0 && signals.length === 0) return;
    const channels = await data.alertChannels.enabledOf(userID);
    const before = new Map(open.map((incident) => [keyOf(incident), incident]));
    const signalled = afterSignals(before, signals, (signal) => ({
      id: newID('inc'),
      user_id: userID,
      kind: signal.kind,
      subject_id: signal.subject_id,
      stream_id: signal.stream_id,
      output_id: signal.output_id,
    }));
    const changed: Changed[] = [];
    const passed: string[] = [];
    for (const incident of signalled.values()) {
      const { course, dueAt } = afterTime(courseOf(incident), now, confirmSecondsOf(incident.kind, channels));
      if (course === null) passed.push(incident.id);
      else changed.push({ ...incident, ...columnsOf(course), due_at: dueAt });
    }
    await data.incidents.save(changed, passed);
    await notify(data, userID, changed, new Map(open.map((incident) => [incident.id, incident])), channels);
  });
}

const keyOf = ({
  kind,
  subject_id: subjectID,
  output_id: outputID,
}: Pick<Incident, 'kind' | 'subject_id' | 'output_id'>) => `${kind} ${subjectID} ${outputID ?? ''}`;

/** The incidents after signals, by key. @param begin the columns of a new incident that its course does not have */
function afterSignals(
  before: ReadonlyMap<string, Incident>,
  signals: readonly Signal[],
  begin: (signal: Signal) => Pick<Incident, 'id' | 'user_id' | 'kind' | 'subject_id' | 'stream_id' | 'output_id'>,
): Map<string, Changed> {
  const after = new Map<string, Changed>(before);
  for (const signal of signals) {
    const key = keyOf(signal);
    const incident = after.get(key);
    const course = afterSignal(incident ? courseOf(incident) : null, signal.condition, signal.at);
    if (course === null) continue;
    // Keep the detail of the latest fault: a recovery has none.
    const detail = signal.condition === 'wrong' || !incident ? signal.detail : incident.detail;
    after.set(key, { ...(incident ?? begin(signal)), ...columnsOf(course), detail, due_at: null });
  }
  return after;
}

/** The seconds until an incident is confirmed: those of the first channel that wants it, or of webhooks. */
function confirmSecondsOf(kind: IncidentKind, channels: readonly AlertChannel[]): number {
  const wanted = channels.filter(({ events }) => events.includes(kind)).map((channel) => channel.after_seconds);
  return Math.min(confirmedAfterSeconds, ...wanted);
}

function columnsOf({ condition, since, beganAt, confirmedAt, endedAt, count }: Course) {
  return { condition, since, began_at: beganAt, confirmed_at: confirmedAt, ended_at: endedAt, count };
}

/** Notifies channels and webhooks of begun and ended incidents. @param before the former incidents, by id */
async function notify(
  data: Database,
  userID: string,
  changed: readonly Changed[],
  before: ReadonlyMap<string, Incident>,
  channels: readonly AlertChannel[],
): Promise<void> {
  const began = changed.filter(
    ({ id, confirmed_at: at }) => at !== null && (before.get(id)?.confirmed_at ?? null) === null,
  );
  const ended = changed.filter(({ ended_at: at }) => at !== null);
  await data.alertNotices.add(
    began.flatMap((incident) => {
      const course = courseOf(incident);
      return channels
        .filter(({ events }) => events.includes(incident.kind))
        .map(({ id, after_seconds: seconds }) => ({
          channelID: id,
          incidentID: incident.id,
          dueAt: notifyAt(course, seconds),
        }));
    }),
  );
  await data.alertNotices.end(new Map(ended.map((incident) => [incident.id, lastedSeconds(courseOf(incident))])));
  await data.alertNotices.wake(changed.filter(({ confirmed_at: at }) => at !== null).map(({ id }) => id));
  await data.incidents.notifyWebhooks(userID, [
    ...began.flatMap((incident) => eventOf('incident.began', incident)),
    ...ended.flatMap((incident) => eventOf('incident.ended', incident)),
  ]);
}

/** The event of an incident; none for credits, which have events of their own with another scope. */
function eventOf(type: IncidentEvent['type'], incident: Changed): readonly IncidentEvent[] {
  if (incident.kind === 'credits_low') return [];
  const {
    id: incidentID,
    kind,
    subjectID,
    streamID,
    outputID,
    beganAt,
    endedAt,
    count,
    detail,
    advice,
  } = showIncident(incident);
  const data = { incidentID, kind, subjectID, streamID, outputID, beganAt, endedAt, count, detail, advice };
  return [{ type, incidentID, data }];
}
