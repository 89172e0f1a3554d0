// SQL of the progress of preparation of streams and playlists.
import { isPlayable, isComplete, keptItems, nameOfDraftFormat, nameOfRunFormat } from './format-names.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export function preparedShares(db: Queryable) {
  return {
    /**
     * The prepared share, from 0 to 1, by the id of the stream. A stream in `preparing` has the share of its timeline,
     * any other the share of the playlists that it keeps prepared. Items that cannot be played or prepared count as
     * done.
     */
    ofStreams: async (streamIDs: readonly string[]) => {
      const rows = await all<{ stream_id: string; share: number }>(
        db,
        `with items as (
           select s.id as stream_id, item ->> 'uploadID' as upload_id,
             case t.track when 'audio' then 'sound' else ${nameOfRunFormat} end as format, true as is_playable
           from streams s join timeline_entries t on t.stream_id = s.id,
             jsonb_array_elements(t.snapshot -> 'items') as item
           where s.id = any ($1) and s.state = 'preparing'
           union
           select s.id, item ->> 'uploadID', format, u.probe_state = 'pending' or ${isPlayable('p.kind')}
           from ${keptItems} and s.id = any ($1) and s.state <> 'preparing')
         select i.stream_id,
           avg(case
             when i.is_playable is not true then 1
             when r.state = 'preparing' then coalesce(r.segments_done::double precision / nullif(r.segment_count, 0), 0)
             when r.state is null then 0 else 1 end) as share
         from items i left join uploads u on u.id = i.upload_id
           left join renditions r on r.content_hash = u.content_hash and r.format = i.format
         group by i.stream_id`,
        [streamIDs],
      );
      return new Map(rows.map((row) => [row.stream_id, row.share]));
    },

    /**
     * The progress of the publishing of playlists, from 0 to 1, by the id of the playlist. Each item is probed, and
     * also prepared if its stream has the prepared backend. Items that cannot be played count as done.
     */
    ofPlaylists: async (playlistIDs: readonly string[]) => {
      const rows = await all<{ id: string; share: number }>(
        db,
        `select p.id, avg(case
             when u.probe_state = 'pending' then 0
             when s.stream_backend is distinct from 'manifest' or ${isPlayable('p.kind')} is not true then 1
             when r.state = 'preparing' then coalesce(r.segments_done::double precision / nullif(r.segment_count, 0), 0)
             when r.state is null then 0 else 1 end) as share
         from playlists p join streams s on s.id = p.stream_id join users a on a.id = s.user_id
           cross join jsonb_array_elements(p.publishing -> 'items') as item
           left join uploads u on u.id = item ->> 'uploadID'
           cross join lateral (
             select case p.kind when 'audio' then 'sound' else ${nameOfDraftFormat} end as format) wanted
           left join renditions r on r.content_hash = u.content_hash and r.format = wanted.format
         where p.id = any ($1) group by p.id`,
        [playlistIDs],
      );
      return new Map(rows.map((row) => [row.id, row.share]));
    },

    /** The number of items of the last snapshot that are not prepared in their look, by the id of the stream. */
    pendingLooks: async (streamIDs: readonly string[]) => {
      const rows = await all<{ id: string; count: number }>(
        db,
        `select s.id, count(*)::integer as count
         from streams s cross join lateral (
             select snapshot from timeline_entries
             where stream_id = s.id and track = 'video' order by number desc limit 1) last
           cross join jsonb_array_elements(last.snapshot -> 'items') as item
           join uploads u on u.id = item ->> 'uploadID'
         where s.id = any ($1) and exists (
           select from (
             select null as variant where item ?| array['framing', 'drawn']
             union all select jsonb_array_elements_text(item -> 'variants')) as variants
           where not exists (
             select from renditions r
             where r.content_hash = u.content_hash and r.format = concat_ws('-', ${nameOfRunFormat}, variant)
               and ${isComplete}))
         group by s.id`,
        [streamIDs],
      );
      return new Map(rows.map((row) => [row.id, row.count]));
    },
  };
}
