// The rows of starts until the streams are live, written in sets by a script that checks nothing: the least cost.
import type { Pool, PoolClient } from 'pg';
import { figures } from '../support/figures.ts';

const setSize = 100;

/** Writes what the starts of all streams write, set by set. */
export async function writeBareStarts(pool: Pool, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    for (let first = 1; first <= count; first += setSize) {
      const ids = Array.from({ length: Math.min(setSize, count - first + 1) }, (_, index) => `str_${first + index}`);
      await client.query('begin');
      await client.query('select * from streams where id = any ($1) for update', [ids]);
      await client.query(
        `with moved as (
           insert into stream_transitions (stream_id, from_state, to_state, cause)
           select unnest($1::text[]), 'scheduled', 'activating', 'schedule_start' returning id, stream_id)
         update streams s set state = 'activating', status = 'ACTIVE', last_transition_id = moved.id, pending_sound = 0,
           run_quality = 'q_720p', run_framerate = 'f_30', updated_at = now()
         from moved where s.id = moved.stream_id`,
        [ids],
      );
      await client.query(
        `insert into timeline_entries (stream_id, track, number, offset_seconds, snapshot)
         select s.id, 'video', 0, 0, jsonb_build_object('mode', 'sequential', 'items', jsonb_build_array(to_jsonb(u)))
         from streams s join uploads u on u.id = s.video_upload_id where s.id = any ($1)`,
        [ids],
      );
      await client.query(
        `insert into replicas (id, stream_id, role, backend, cores, cores_beside_gpu, thread, memory_mib, network_mbps,
           gpu_megapixels)
         select 'rep_' || id, id, 'primary', 'ffmpeg', 1, 0, 0, 0, 0, 0 from unnest($1::text[]) as id`,
        [ids],
      );
      await client.query('delete from due_times where stream_id = any ($1)', [ids]);
      await client.query(
        `insert into due_times (stream_id, kind, due_at)
         select unnest($1::text[]), 'activation_timeout', now() + interval '30 s'`,
        [ids],
      );
      await client.query('insert into outbox (queue, body) select $1, jsonb_build_object($2::text, $3::text)', [
        'publish-ffmpeg',
        'streamID',
        ids[0],
      ]);
      await client.query('commit');
      await goLive(client, ids);
    }
  } finally {
    client.release();
  }
}

/** Writes what an agent writes that claims these streams, publishes them and reports them live. */
async function goLive(client: PoolClient, ids: readonly string[]): Promise<void> {
  await client.query(
    `update replicas set agent_id = 'agent_0', epoch = 1, state = 'connecting', since = now()
     where stream_id = any ($1)`,
    [ids],
  );
  await client.query('begin');
  await client.query('select * from streams where id = any ($1) for update', [ids]);
  await client.query(`update replicas set state = 'live', since = now() where stream_id = any ($1)`, [ids]);
  await client.query(
    `with moved as (
       insert into stream_transitions (stream_id, from_state, to_state, cause)
       select unnest($1::text[]), 'activating', 'active', 'media_accepted' returning id, stream_id)
     update streams s set state = 'active', last_transition_id = moved.id, started_at = now(), updated_at = now(),
       stats = $2
     from moved where s.id = moved.stream_id`,
    [ids, figures],
  );
  await client.query('delete from due_times where stream_id = any ($1)', [ids]);
  await client.query(
    `update destinations set last_used_at = now()
     where id in (select destination_id from streams where id = any ($1))`,
    [ids],
  );
  await client.query(
    `insert into live_intervals (user_id, stream_id, replica_id, role, agent_id, epoch, price_version, credits_per_hour,
       started_at)
     select s.user_id, s.id, r.id, r.role, r.agent_id, r.epoch, '1', 25, now()
     from streams s join replicas r on r.stream_id = s.id where s.id = any ($1)`,
    [ids],
  );
  await client.query(
    `insert into billing_accounts (user_id, credits_exhausted_at)
     select distinct user_id, now() + interval '1 year' from streams where id = any ($1)
     on conflict (user_id) do update set credits_exhausted_at = excluded.credits_exhausted_at`,
    [ids],
  );
  await client.query('commit');
}
