// The rows of starts, written in sets by a script that checks nothing: the least that they can cost.
import type { Pool } from 'pg';

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
    }
  } finally {
    client.release();
  }
}
