// The initial rows of the bench `orchestration`.
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import { costOfSlot } from '../../lambda/domain/fleet/capacity.ts';
import { capacityFor } from '../support/capacities.ts';
import { figures } from './figures.ts';

export const usersOfAll = 1000;

/**
 * Creates users with credits, an upload and a destination each, and live streams in equal shares of the agents.
 * @param room number of streams that an agent can hold
 */
export async function fillStreams(pool: Pool, streams: number, agents: number, room: number): Promise<void> {
  await fillUsers(pool);
  await fillParts(pool);
  await insertLiveStreams(pool, streams, agents, room);
  await pool.query('vacuum analyze');
}

/** Creates only the streams and the agents that hold them. */
export async function insertLiveStreams(pool: Pool, streams: number, agents: number, room: number): Promise<void> {
  await pool.query(
    `insert into streams (id, user_id, state, status, run_quality, run_framerate, stream_backend, started_at, stats)
     select 'str_' || s, 'usr_' || s % $2, 'active', 'ACTIVE', 'q_720p', 'f_30', 'manifest', now(), $3
     from generate_series(1, $1::int) s`,
    [streams, usersOfAll, { ...figures, sampledAt: '2026-01-01T00:00:00.000Z' }],
  );
  await insertAgents(pool, agents, room);
  await pool.query(
    `insert into replicas (id, stream_id, role, backend, state, agent_id, epoch, cores, cores_beside_gpu, thread,
       memory_mib, network_mbps, gpu_megapixels)
     select 'rep_' || s, 'str_' || s, 'primary', 'manifest', 'live', 'agent_' || s % $2, 1, $3, 0, 0, 0, 0, 0
     from generate_series(1, $1::int) s`,
    [streams, agents, costOfSlot('ffmpeg').cores],
  );
  await pool.query(
    `insert into live_intervals (user_id, stream_id, replica_id, role, agent_id, epoch, price_version, credits_per_hour,
       started_at)
     select s.user_id, s.id, r.id, r.role, r.agent_id, r.epoch, '1', 25, now() - interval '10 minutes'
     from replicas r join streams s on s.id = r.stream_id`,
  );
}

export async function fillUsers(pool: Pool): Promise<void> {
  await pool.query(
    `insert into users (id, email, name)
     select 'usr_' || u, u || '@example.com', 'x'
     from generate_series(0, $1::int - 1) u`,
    [usersOfAll],
  );
  for (let user = 0; user < usersOfAll; user++) {
    await databaseOn(pool).invoices.ensurePaid({
      id: `inv_${user}`,
      userID: `usr_${user}`,
      type: 'adjustment',
      method: 'grant',
      cost: 0,
      credits: 1_000_000,
    });
  }
}

/** Gives each user an inspected upload and a destination. */
export async function fillParts(pool: Pool): Promise<void> {
  await pool.query(
    `insert into uploads (
       id, user_id, name, mime_type, type, object_key, uploaded, probe_state,
       duration_seconds, width, height, framerate, video_codec
     )
     select
       'upl_' || u, 'usr_' || u, 'x', 'video/mp4', 'video', 'key_' || u, true, 'completed',
       10, 1280, 720, 30, 'h264'
     from generate_series(0, $1::int - 1) u`,
    [usersOfAll],
  );
  await pool.query(
    `insert into destinations (id, user_id, name, url, sealed_stream_key)
     select 'dst_' || u, 'usr_' || u, 'x', 'rtmp://127.0.0.1/live', ''
     from generate_series(0, $1::int - 1) u`,
    [usersOfAll],
  );
}

/** Creates a stream that a user can start. */
export async function insertReadyStream(pool: Pool, id: string, userNumber: number): Promise<void> {
  await pool.query(
    `insert into streams (id, user_id, state, video_upload_id, destination_id, stream_backend)
     values ($1, 'usr_' || $2::int, 'draft', 'upl_' || $2::int, 'dst_' || $2::int, 'ffmpeg')`,
    [id, userNumber],
  );
}

/** @param room number of streams that each agent can hold */
export function insertAgents(pool: Pool, count: number, room: number) {
  return pool.query(
    `insert into agents (id, supervisor, release, backends, capacity, lease_expires_at)
     select 'agent_' || a, 's', 'r', array['manifest', 'ffmpeg'], $2, now() + interval '1 minute'
     from generate_series(0, $1::int - 1) a`,
    [count, capacityFor(room, 'ffmpeg')],
  );
}
