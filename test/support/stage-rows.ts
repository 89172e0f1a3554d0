// Rows of a whole stage, inserted by SQL: users with parts, agents, and streams that are live or about to start.
// The ids of a group of rows have the group before their numbers. Rows that exist stay as they are.
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import { costOfSlot } from '../../lambda/domain/fleet/capacity.ts';
import type { StreamBackend } from '../../lambda/domain/streams/stream-words.ts';
import { capacityFor } from './capacities.ts';
import { figures } from './figures.ts';

export const usersOfAll = 1000;

/**
 * Creates users with credits, an upload and a destination each, and live streams in equal shares of the agents.
 * @param room number of streams that an agent can hold
 */
export async function fillStreams(pool: Pool, streams: number, agents: number, room: number): Promise<void> {
  await fillUsers(pool);
  await insertAgents(pool, agents, room);
  const stats = { ...figures, sampledAt: '2026-01-01T00:00:00.000Z' };
  await insertLiveStreams(pool, { count: streams, agents, backend: 'manifest', stats });
  await insertLiveIntervals(pool);
  await pool.query('vacuum analyze');
}

/** Creates users with credits, an inspected upload and a destination each. */
export async function fillUsers(pool: Pool, count = usersOfAll): Promise<void> {
  await insertUsers(pool, count);
  for (let user = 0; user < count; user++) await giveCredits(pool, user, 1_000_000);
  await pool.query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, probe_state, duration_seconds,
       width, height, framerate, video_codec)
     select 'upl_' || u, 'usr_' || u, 'x', 'video/mp4', 'video', 'key_' || u, true, 'completed', 10,
       1280, 720, 30, 'h264'
     from generate_series(0, $1::int - 1) u`,
    [count],
  );
  await pool.query(
    `insert into destinations (id, user_id, name, url, sealed_stream_key)
     select 'dst_' || u, 'usr_' || u, 'x', 'rtmp://127.0.0.1/live', '' from generate_series(0, $1::int - 1) u`,
    [count],
  );
}

/** Gives credits to a user by the number in its id. */
export async function giveCredits(pool: Pool, user: number, credits: number): Promise<void> {
  await databaseOn(pool).invoices.ensurePaid({
    id: `inv_${user}`,
    userID: `usr_${user}`,
    type: 'adjustment',
    method: 'grant',
    cost: 0,
    credits,
  });
}

/** Creates users without credits. */
export async function insertUsers(pool: Pool, count: number, group = ''): Promise<void> {
  await pool.query(
    `insert into users (id, email, name) select 'usr_' || u, u || '@example.com', 'x'
     from generate_series(0, $1::int - 1) n cross join lateral (select $2::text || n as u) of_user
     on conflict do nothing`,
    [count, group],
  );
}

/** @param room number of streams that each agent can hold */
export async function insertAgents(pool: Pool, count: number, room: number, group = ''): Promise<void> {
  await pool.query(
    `insert into agents (id, supervisor, release, backends, capacity, lease_expires_at)
     select 'agent_' || $3::text || a, 's', 'r', array['manifest', 'ffmpeg'], $2, now() + interval '1 hour'
     from generate_series(0, $1::int - 1) a on conflict do nothing`,
    [count, capacityFor(room, 'ffmpeg'), group],
  );
}

/** Streams with one replica each, in equal shares of agents that exist. */
export interface LiveStreams {
  readonly count: number;
  readonly agents: number;
  readonly backend: StreamBackend;
  readonly group?: string;
  /** The group of their users and agents. */
  readonly ownerGroup?: string;
  /** SQL: the number of the user of stream `s`. */
  readonly user?: string;
  /** SQL: the scheduled end of stream `s`. */
  readonly endsAt?: string;
  /** Figures of each stream. */
  readonly stats?: object;
}

/** Creates live streams without parts, which are not charged: see `insertLiveIntervals`. */
export async function insertLiveStreams(pool: Pool, streams: LiveStreams): Promise<void> {
  const { count, agents, backend, group = '', ownerGroup = '', user = everyUser, endsAt = 'null', stats } = streams;
  await pool.query(
    `insert into streams (id, user_id, state, status, run_quality, run_framerate, run_video_codec, stream_backend,
       started_at, stats, schedule_end_at)
     select 'str_' || $2::text || s, 'usr_' || $3::text || ${user}, 'active', 'ACTIVE', 'q_720p', 'f_30', 'h264', $4,
       now(), $5, ${endsAt}
     from generate_series(1, $1::int) s on conflict do nothing`,
    [count, group, ownerGroup, backend, stats],
  );
  await pool.query(
    `insert into replicas (id, stream_id, role, backend, state, agent_id, epoch, cores, cores_beside_gpu, thread,
       memory_mib, network_mbps, gpu_megapixels)
     select 'rep_' || g || s, 'str_' || g || s, 'primary', $4, 'live', 'agent_' || $3::text || s % $5, 1, $6, 0, 0,
       0, 0, 0
     from generate_series(1, $1::int) s cross join (select $2::text as g) of_group on conflict do nothing`,
    [count, group, ownerGroup, backend, agents, costOfSlot('ffmpeg').cores],
  );
  await insertDueTimes(pool, 'active', 'schedule_end');
}

/** Charges for every replica since ten minutes ago. */
export async function insertLiveIntervals(pool: Pool): Promise<void> {
  await pool.query(
    `insert into live_intervals (user_id, stream_id, replica_id, role, agent_id, epoch, price_version, credits_per_hour,
       started_at)
     select s.user_id, s.id, r.id, r.role, r.agent_id, r.epoch, '1', 25, now() - interval '10 minutes'
     from replicas r join streams s on s.id = r.stream_id`,
  );
}

/**
 * Creates streams of the encoded backend that start by their schedules, each on a destination of its own.
 * @param startsAt SQL: the start of stream `s`
 * @param user SQL: the number of its user
 */
export async function insertScheduledStreams(
  pool: Pool,
  count: number,
  startsAt: string,
  user = everyUser,
): Promise<void> {
  await pool.query(
    `with scheduled as (
       select 'str_' || s as id, 'usr_' || u as user_id, 'upl_' || u as upload_id, 'dst_str_' || s as destination_id,
         ${startsAt} as starts_at
       from generate_series(1, $1::int) s cross join lateral (select ${user} as u) of_user),
     own as (
       insert into destinations (id, user_id, name, url, sealed_stream_key)
       select destination_id, user_id, 'x', 'rtmp://127.0.0.1/live', '' from scheduled on conflict do nothing)
     insert into streams (id, user_id, state, video_upload_id, destination_id, stream_backend, schedule_start_at)
     select id, user_id, 'scheduled', upload_id, destination_id, 'ffmpeg', starts_at from scheduled`,
    [count],
  );
  await insertDueTimes(pool, 'scheduled', 'schedule_start');
}

/** Creates a stream that a user can start, on a destination of its own. */
export async function insertReadyStream(pool: Pool, id: string, userNumber: number): Promise<void> {
  await pool.query(
    `with own as (
       insert into destinations (id, user_id, name, url, sealed_stream_key)
       values ('dst_' || $1::text, 'usr_' || $2::int, 'x', 'rtmp://127.0.0.1/live', '') returning id, user_id)
     insert into streams (id, user_id, state, video_upload_id, destination_id, stream_backend)
     select $1, user_id, 'draft', 'upl_' || $2::int, id, 'ffmpeg' from own`,
    [id, userNumber],
  );
}

const everyUser = `s % ${usersOfAll}`;

async function insertDueTimes(pool: Pool, state: string, kind: 'schedule_start' | 'schedule_end'): Promise<void> {
  // A trigger finds the user of each row. Its plan would read all streams for each, if it was made beside few streams.
  await pool.query('analyze streams');
  await pool.query(
    `insert into due_times (stream_id, kind, due_at) select id, '${kind}', ${kind}_at from streams
     where state = '${state}' and ${kind}_at is not null on conflict do nothing`,
  );
}
