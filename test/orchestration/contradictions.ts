// Contradictions that the tables must never contain, after any sequence of events.
import type { Pool } from 'pg';
import { expect } from 'vitest';

/** Each contradiction, with a query for the rows that show it. */
const contradictions = {
  'an idle stream with something due': `
    select s.id from streams s join due_times d on d.stream_id = s.id
    where s.state not in ('scheduled', 'preparing', 'activating', 'active', 'failing')`,
  'a scheduled stream that never starts': `
    select id from streams
    where state = 'scheduled'
      and not exists (select from due_times where stream_id = streams.id and kind = 'schedule_start')`,
  'an active stream of which nothing is live': `
    select id from streams
    where state = 'active' and not exists (select from replicas where stream_id = streams.id and state = 'live')`,
  'a stream that should run but of which no replica is wanted': `
    select id from streams
    where state in ('activating', 'active', 'failing')
      and not exists (select from replicas where stream_id = streams.id and wanted = 'live')`,
  'a stream that is not running of which a replica is wanted': `
    select id from streams
    where state not in ('activating', 'active', 'failing')
      and exists (select from replicas where stream_id = streams.id and wanted = 'live' and state <> 'ended')`,
  'a stopping stream whose replicas have all ended': `
    select id from streams
    where state = 'stopping' and not exists (select from replicas where stream_id = streams.id and state <> 'ended')`,
  'a replica that should end but that nobody holds': `
    select id from replicas where wanted = 'ended' and state <> 'ended' and agent_id is null`,
  'a replica that is said to send but that nobody holds': `
    select id from replicas where state in ('connecting', 'live') and agent_id is null`,
  'a status that is not what the state says': `
    select id from streams
    where (status = 'ACTIVE') <> (state in ('preparing', 'activating', 'active', 'failing'))`,
  'a state that is not where the last transition led': `
    select s.id from streams s join stream_transitions t on t.id = s.last_transition_id
    where t.to_state <> s.state`,
  'a history with a gap': `
    select id from (
      select id, from_state, lag(to_state) over (partition by stream_id order by id) as before
      from stream_transitions) t
    where before <> from_state`,
  'a playlist that a stream names but that belongs to another': `
    select p.id from streams s join playlists p on p.id = any (s.playlist_ids)
    where p.stream_id <> s.id`,
  'a processing state that its playlists do not have': `
    select id from streams s
    where s.deleted_at is null
      and processing_state <> (
        select case
            when bool_or(publish_status = 'PREPARING') then 'processing'
            when bool_or(publish_status = 'FAILED') then 'failed'
            else 'idle'
          end
        from playlists where stream_id = s.id)`,
  'a playlist that is being published, or has no name, without a stream': `
    select p.id from playlists p
    where not exists (select from streams where id = p.stream_id and deleted_at is null)
      and (p.publish_status <> 'IDLE' or p.name is null)`,
  'a running stream without a timeline': `
    select id from streams
    where state in ('activating', 'active', 'failing')
      and not exists (select from timeline_entries where stream_id = streams.id and track = 'video')`,
  'an item of a playlist whose upload is gone': `
    select p.id from playlists p, jsonb_array_elements(p.draft -> 'items') item
    where not exists (select from uploads where id = item ->> 'uploadID')`,
};

/** Fails with the first contradiction, and the rows that show it. */
export async function expectConsistent(pool: Pool): Promise<void> {
  for (const [contradiction, query] of Object.entries(contradictions)) {
    expect([contradiction, (await pool.query(query)).rows]).toEqual([contradiction, []]);
  }
}
