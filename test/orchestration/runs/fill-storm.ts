// Fills a database with the streams of the storm, with everything that is due.
import { databaseOn, inTransaction } from '../../../lambda/data/database.ts';
import { formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { streamBackends } from '../../../lambda/domain/streams/stream-words.ts';
import { reportReplicas } from '../../../lambda/orchestration/fleet/replica-reports.ts';
import { fireDue } from '../../../lambda/orchestration/runs/fire-due.ts';
import { beginSeries } from '../../../lambda/orchestration/schedule/schedule.ts';
import { putToRest } from '../../support/account-rest.ts';
import { startOptions } from '../../support/actors.ts';
import { capacityFor, roomFor } from '../../support/capacities.ts';
import type { WithPool } from '../../support/database.ts';
import type { TestService, TestUser } from '../../support/service.ts';
import { groups, idsOf, mostRunning, roles } from './storm-groups.ts';
import type { Group, Role } from './storm-groups.ts';

const otherUsers = 25;
const plenty = 10_000_000;
const songs = ['song_0', 'song_1', 'song_2'];
const hoursAhead = (hours: number) => new Date(Date.now() + hours * 3_600_000);

type Users = Readonly<Record<Role, TestUser>> & { readonly others: readonly TestUser[] };

/** @returns the users with groups of their own */
export async function fillStorm(service: TestService): Promise<Users> {
  const users = await makeUsers(service);
  await makeUploads(service, users);
  for (const begun of ['live', 'started', undefined] as const) {
    for (const [name, group] of Object.entries(groups))
      if (group.begun === begun) await makeStreams(service, users, name, group);
    if (begun === undefined) break;
    await fireDue(service.pool(), startOptions, () => hoursAhead(1));
    if (begun === 'live') await goLive(service);
  }
  // Webhooks make the items due that have begun.
  await users.radio.call('POST', '/webhooks', { url: 'https://hooks.example.org/', events: ['item.started'] });
  await makeDue(service);
  await useUpCredits(service, users.broke);
  await putToRest(service, users.resting.id, 'held');
  await service.pool().query('update billing_accounts set due_at = now()');
  await service.pool().query('truncate outbox');
  return users;
}

async function makeUsers(service: TestService): Promise<Users> {
  const made: [Role, TestUser][] = [];
  for (const role of roles) made.push([role, await service.user(role === 'broke' ? 10 : plenty)]);
  const others: TestUser[] = [];
  while (others.length < otherUsers) others.push(await service.user(plenty));
  const users = { ...(Object.fromEntries(made) as Record<Role, TestUser>), others };
  await databaseOn(service.pool()).limits.override(users.limited.id, 'runningStreams', mostRunning);
  return users;
}

/** Gives each user uploads and destinations, and prepares what all users have alike. */
async function makeUploads({ pool }: WithPool, { radio }: Users): Promise<void> {
  await pool().query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, probe_state, duration_seconds,
       width, height, framerate, video_codec, audio_codec, content_hash)
     select kind || '_' || id, id, 'x', 'video/mp4', 'video', kind || '_' || id, true,
       case kind when 'raw' then 'pending' else 'completed' end, 400, 1280, 720, 30, 'h264', 'aac',
       case kind when 'raw' then null else kind end
     from users cross join unnest($1::text[] || case when id = $2 then $3::text[] end) as kind`,
    [['film', 'raw', 'new'], radio.id, songs],
  );
  await pool().query(
    `insert into destinations (id, user_id, name, url, backup_url, sealed_stream_key, archived_at)
     select kind || '_' || id, id, 'x', 'rtmp://127.0.0.1/live', 'rtmp://127.0.0.1/backup', '',
       case kind when 'gone' then now() end
     from users cross join unnest(array['open', 'gone']) as kind`,
  );
  const { renditions } = databaseOn(pool());
  for (const content of ['film', ...songs])
    for (const format of ['sound', 'q_720p-f_30']) {
      await renditions.begin(content, format === 'sound' ? format : formatNamed(format), 1);
      await renditions.finishSegment(content, format, 0);
    }
}

/** Makes the streams of a group, whose starts are due. */
async function makeStreams(service: TestService, users: Users, name: string, group: Group): Promise<void> {
  const [most, ...others] = users.others;
  const userOf = (index: number) => (index % 2 === 0 ? most! : others[((index - 1) / 2) % others.length]!);
  const { upload = 'film', isDestinationArchived, endsInHours, durationSeconds, isDaily } = group;
  const [startAt, endAt] = [hoursAhead(-2), endsInHours === undefined ? null : hoursAhead(endsInHours)];
  const recurrence = isDaily ? beginSeries({ rule: 'FREQ=DAILY', timeZone: 'UTC' }, { startAt, endAt }) : null;
  const rows = idsOf(name).map((id, index) => {
    const user_id = (group.user ? users[group.user] : userOf(index)).id;
    const [upload_id, destination_id] = [
      `${upload}_${user_id}`,
      `${isDestinationArchived ? 'gone' : 'open'}_${user_id}`,
    ];
    return { id, user_id, upload_id, destination_id };
  });
  await service.pool().query(
    `insert into streams (id, user_id, state, video_upload_id, destination_id, quality, framerate, stream_backend,
       agent_mode_enabled, run_backup_stream, schedule_start_at, schedule_end_at, stream_duration_seconds, recurrence)
     select id, user_id, 'scheduled', upload_id, destination_id, 'q_720p', 'f_30', $2, $3, $3, $4, $5, $6, $7
     from jsonb_to_recordset($1) as s (id text, user_id text, upload_id text, destination_id text)`,
    [
      JSON.stringify(rows),
      group.backend ?? 'ffmpeg',
      group.isDoubled ?? false,
      startAt,
      endAt,
      durationSeconds ?? null,
      recurrence,
    ],
  );
  if (group.user === 'radio') for (const { id } of rows) await giveSongs(users.radio, id);
  await databaseOn(service.pool()).dueTimes.setAll(
    rows.map(({ id }) => ({ stream_id: id, kind: 'schedule_start', due_at: startAt })),
  );
}

async function giveSongs(user: TestUser, streamID: string): Promise<void> {
  const { body: playlist } = await user.call('POST', '/playlists', { streamID, kind: 'audio', mode: 'sequential' });
  const operations = songs.map((song) => ({ op: 'add', uploadID: `${song}_${user.id}` }));
  await user.call('POST', `/playlists/${playlist.id}/operations`, { operations });
  const sound = { loudness: { enabled: false }, join: { kind: 'crossfade', seconds: 3 } };
  await user.call('PATCH', `/streams/${streamID}`, { sound });
}

/** An agent takes the streams that have started, which were live for ten minutes then. Its lease ends after that. */
async function goLive({ pool }: WithPool): Promise<void> {
  await registerAgent({ pool }, 'holder');
  const held = await databaseOn(pool()).replicaClaims.claim('holder', streamBackends, roomFor(1000));
  await pool().query(`update streams set anchored_at = now() - interval '20 seconds' where status = 'ACTIVE'`);
  await inTransaction(pool(), (data) =>
    reportReplicas(
      data,
      held.map((claim) => ({ streamID: claim.stream_id, claim, state: 'live', reason: null, now: new Date() })),
    ),
  );
  await pool().query(`update live_intervals set started_at = started_at - interval '10 minutes'`);
}

/** Registers an agent without limits. */
export function registerAgent({ pool }: WithPool, id: string) {
  return databaseOn(pool()).agents.register({
    id,
    supervisor: id,
    release: 'test',
    zone: null,
    backends: streamBackends,
    peerURL: null,
    machineSeconds: null,
    capacity: capacityFor(1000, 'ffmpeg'),
  });
}

/** Makes what is due of the streams that have begun due: items when they began, all else in its order. */
async function makeDue({ pool }: WithPool): Promise<void> {
  for (const [name, { begun, due = [] }] of Object.entries(groups))
    if (begun)
      await pool().query(
        `update due_times set due_at = now() - make_interval(secs => 10 - array_position($2, kind))
         where stream_id = any ($1) and kind = any ($2)`,
        [idsOf(name), due],
      );
  await pool().query(
    `update due_times d set due_at = s.anchored_at from streams s where s.id = d.stream_id and kind = 'item_start'`,
  );
}

/** Lets the streams of a user be live for more than the credits and the grace period allow. */
async function useUpCredits({ pool }: WithPool, { id }: TestUser): Promise<void> {
  await pool().query(`update live_intervals set started_at = started_at - interval '1 day' where user_id = $1`, [id]);
  await pool().query(
    `update billing_accounts set credits_exhausted_at = now() - interval '1 hour', warned = 'exhausted'
     where user_id = $1`,
    [id],
  );
}
