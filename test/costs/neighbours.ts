// Rows beside an operation: live streams of other users on twenty agents, and uploads and idle streams of its user.
import type { Pool } from 'pg';

const users = 1000;
const agents = 20;
/** Idle streams of the user, as a share of the neighbours: no user has as many as all others together. */
const ownShare = 0.1;

/** Inserts neighbours up to this number. @param areGathered whether statistics are gathered afterwards */
export async function insertNeighbours(pool: Pool, userID: string, count: number, areGathered = true): Promise<void> {
  const some = { count, users: Math.min(count, users), agents: Math.min(count, agents) };
  await pool.query(
    `insert into users (id, email, name)
     select 'usr_beside_' || n, n || '@beside.example', 'x' from generate_series(1, $1::int) n on conflict do nothing`,
    [some.users],
  );
  await pool.query(
    `insert into agents (id, supervisor, release, backends, capacity, lease_expires_at)
     select 'beside_' || n, 's', 'r', array['ffmpeg'],
       '{"cores": 0, "thread": 0, "memoryMiB": 0, "networkMbps": null, "gpuMegapixels": 0}', now() + interval '1 hour'
     from generate_series(1, $1::int) n on conflict do nothing`,
    [some.agents],
  );
  await pool.query(
    `insert into streams (id, user_id, state, status, run_quality, run_framerate, run_video_codec, stream_backend)
     select 'str_beside_' || n, 'usr_beside_' || n % $2 + 1, 'active', 'ACTIVE', 'q_720p', 'f_30', 'h264', 'ffmpeg'
     from generate_series(1, $1::int) n on conflict do nothing`,
    [some.count, some.users],
  );
  await pool.query(
    `insert into replicas (id, stream_id, role, backend, state, agent_id, epoch, cores, cores_beside_gpu, thread,
       memory_mib, network_mbps, gpu_megapixels)
     select 'rep_beside_' || n, 'str_beside_' || n, 'primary', 'ffmpeg', 'live', 'beside_' || n % $2 + 1, 1,
       0, 0, 0, 0, 0, 0
     from generate_series(1, $1::int) n on conflict do nothing`,
    [some.count, some.agents],
  );
  await pool.query(
    `insert into due_times (stream_id, kind, due_at)
     select 'str_beside_' || n, 'duration_over', now() + interval '1 day'
     from generate_series(1, $1::int) n on conflict do nothing`,
    [some.count],
  );
  await pool.query(
    `insert into streams (id, user_id, state)
     select 'str_own_' || n, $2, 'draft' from generate_series(1, $1::int) n on conflict do nothing`,
    [Math.ceil(some.count * ownShare), userID],
  );
  await pool.query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, probe_state)
     select 'upl_beside_' || n, $2, 'clip ' || n, 'video/mp4', 'video', 'uploads/' || n, true, 'completed'
     from generate_series(1, $1::int) n on conflict do nothing`,
    [some.count, userID],
  );
  if (areGathered) await pool.query('vacuum analyze');
}
