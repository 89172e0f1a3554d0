// Incidents and alert channels in tests: stores them, and lets time pass for them.
import { newID } from '../../lambda/data/shared/new-id.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import type { IncidentKind } from '../../lambda/domain/notices/incidents.ts';
import type { WithPool } from './database.ts';
import { makeCommandsDue } from './outbox-rows.ts';

/** Stores a confirmed incident that has not ended. @returns its id */
export async function storeIncident({ pool }: WithPool, userID: string, kind: IncidentKind): Promise<string> {
  const now = new Date();
  const id = newID('inc', now);
  await databaseOn(pool()).incidents.save(
    [
      {
        id,
        user_id: userID,
        kind,
        subject_id: id,
        stream_id: null,
        output_id: null,
        condition: 'wrong',
        since: now,
        began_at: now,
        confirmed_at: now,
        ended_at: null,
        count: 1,
        detail: { name: 'Night radio' },
        due_at: null,
      },
    ],
    [],
  );
  return id;
}

/** Advances all incidents and waiting notices by this many seconds, and carries out everything that is then due. */
export async function passSeconds(service: WithPool, seconds: number): Promise<void> {
  const pool = service.pool();
  const ago = (column: string) => `${column} = ${column} - make_interval(secs => $1)`;
  await pool.query(
    `update incidents set ${['since', 'began_at', 'confirmed_at', 'due_at'].map(ago).join(', ')}
     where ended_at is null`,
    [seconds],
  );
  await pool.query(`update alert_notices set ${ago('due_at')} where sent_at is null`, [seconds]);
  await pool.query(`update alert_channels set ${ago('retry_at')}, ${ago('failing_since')}`, [seconds]);
  await makeCommandsDue(service, 'webhooks');
}

/** Deletes all incidents and alert channels of every user. */
export async function clearAlerts({ pool }: WithPool): Promise<void> {
  await pool().query('truncate incidents, incident_signals, incident_turns, alert_channels cascade');
}

interface ThingsThatFail {
  readonly userID: string;
  readonly uploadID: string;
  readonly sourceID: string;
  readonly playlistID: string;
  readonly programmeID: string;
}

/** Makes an upload, a source, a programme and a publication fail, and uses up a user's credits. */
export async function failEverything({ pool }: WithPool, ids: ThingsThatFail): Promise<void> {
  const reason = JSON.stringify({ code: 'x', detail: 'Because.' });
  const failed = [
    [`update uploads set probe_state = 'failed', failure = $2 where id = $1`, ids.uploadID],
    [`update sources set state = 'failing', reason = $2, failing_since = now() where id = $1`, ids.sourceID],
    [`update programmes set plan_failure = $2 where id = $1`, ids.programmeID],
    [`update playlists set publish_status = 'FAILED', publish_failure = $2 where id = $1`, ids.playlistID],
  ] as const;
  for (const [statement, id] of failed) await pool().query(statement, [id, reason]);
  await databaseOn(pool()).notifications.add({
    userID: ids.userID,
    kind: 'credits_exhausted',
    reference: 'x',
    detail: {},
    dueAt: new Date(),
  });
}
