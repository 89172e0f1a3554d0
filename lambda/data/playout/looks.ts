// SQL of drawings over pictures, and of their start times in the runs of streams.
import { placedLogo, lookKey } from '../../domain/playout/drawings.ts';
import type { Drawing } from '../../domain/playout/drawings.ts';
import type { Logo } from '../../domain/playout/overlays.ts';
import { isComplete, nameOfRunFormat } from '../media/format-names.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface NamedDrawing {
  readonly name: string;
  readonly drawing: Drawing;
}

/** SQL of the time for which drawings and captions are kept that nothing uses. Workers may be late by hours. */
export const keptUnused = `interval '6 hours'`;

/** A drawing in its row. The source of its logo is always an upload. */
type StoredDrawing = Omit<Drawing, 'logo'> & { readonly logo: Logo | null };

function stored({ name, drawing: { logo, ...drawing } }: NamedDrawing) {
  if (!logo) return { name, drawing: { ...drawing, logo } };
  const { source: uploadID, ...shown } = logo;
  return { name, drawing: { ...drawing, logo: { ...shown, uploadID } } };
}

/** Drawings as the parameter of `insertDrawings`. */
export const jsonOfDrawings = (drawings: readonly NamedDrawing[]) => JSON.stringify(drawings.map(stored));

/** SQL that stores drawings by their names. @param drawn SQL of `jsonOfDrawings` @param condition SQL */
export const insertDrawings = (drawn: string, condition = 'true') => `
  insert into drawings (name, drawing)
  select distinct on (name) name, drawing from jsonb_to_recordset(${drawn}) as drawn (name text, drawing jsonb)
  where ${condition} order by name
  on conflict (name) do update set noted_at = now()
  where drawings.noted_at not between now() - interval '1 hour' and now()`;

export function looks(db: Queryable) {
  return {
    /** Stores drawings by their names, for the workers that prepare pictures with them. */
    saveDrawings: (drawings: readonly NamedDrawing[]) =>
      db.query(insertDrawings('$1::jsonb'), [jsonOfDrawings(drawings)]),

    /**
     * Looks at the drawings that were noted longest ago, and deletes those that no rendition has used for hours. The
     * others get a time in the future, as if they were noted then, so that each is seen seldom.
     * @param most the maximum number of drawings to look at
     * @returns the number of drawings that it looked at
     */
    forgetUnused: async (most: number): Promise<number> => {
      const { rowCount } = await db.query(
        `with seen as (
           select name, exists (select from renditions r where r.drawing = d.name) as is_used from (
             select name from drawings where noted_at < now() - ${keptUnused}
             order by noted_at limit $1 for update skip locked) d),
         kept as (
           update drawings set noted_at = now() + ${keptUnused} where name in (select name from seen where is_used)),
         unused as (
           delete from drawings where name in (select name from seen where not is_used))
         select from seen`,
        [most],
      );
      return rowCount ?? 0;
    },

    drawing: async (name: string): Promise<Drawing | null> => {
      const query = 'select drawing from drawings where name = $1';
      const row = await one<{ drawing: StoredDrawing }>(db, query, [name]);
      return row && { ...row.drawing, logo: placedLogo(row.drawing.logo) };
    },

    /**
     * Lets a run send its finished pictures with drawings from a time on, and deletes the records of pictures that it
     * has not played since a minute before.
     * @param fromSeconds after the anchor of the run
     */
    scheduleFinished: (streamID: string, fromSeconds: number) =>
      db.query(
        `with wanted as (
           select distinct u.content_hash, concat_ws('-', ${nameOfRunFormat}, variant) as format
           from streams s join timeline_entries t on t.stream_id = s.id and t.track = 'video'
             cross join jsonb_array_elements(t.snapshot -> 'items') as item
             join uploads u on u.id = item ->> 'uploadID'
             cross join lateral (
               select null as variant where item ? 'drawn'
               union all select jsonb_array_elements_text(item -> 'variants')) as variants
           where s.id = $1 and t.number >= (
             select coalesce(max(number), 0) from timeline_entries
             where stream_id = $1 and track = 'video' and offset_seconds <= $2::float8 - 60)),
         forgotten as (
           delete from timeline_looks where stream_id = $1
             and (content_hash, format) not in (select content_hash, format from wanted)),
         taken as (
           insert into timeline_looks (stream_id, content_hash, format, from_seconds)
           select $1, w.content_hash, w.format, $2
           from wanted w join renditions r on r.content_hash = w.content_hash and r.format = w.format and ${isComplete}
           on conflict do nothing returning format)
         update replicas set timeline_revision = timeline_revision + 1
         where stream_id = $1 and exists (select from taken)`,
        [streamID, fromSeconds],
      ),

    /** The start times of renditions with drawings in a run, in seconds after its anchor, by `lookKey`. */
    ofRun: async (streamID: string): Promise<Map<string, number>> => {
      const rows = await all<{ content_hash: string; format: string; from_seconds: number }>(
        db,
        'select content_hash, format, from_seconds from timeline_looks where stream_id = $1',
        [streamID],
      );
      return new Map(rows.map((row) => [lookKey(row.content_hash, row.format), row.from_seconds]));
    },

    /** Ids of the streams on the air that play a content and have drawings over their pictures. */
    waitingFor: async (contentHash: string) => {
      const rows = await all<{ id: string }>(
        db,
        `select distinct s.id from uploads u join streams s on s.user_id = u.user_id
         where u.content_hash = $1 and s.stream_backend = 'manifest'
           and s.state in ('preparing', 'activating', 'active', 'failing')
           and exists (
             select from timeline_entries t where t.stream_id = s.id and t.snapshot ? 'overlays'
               and t.snapshot -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id)))
         order by s.id`,
        [contentHash],
      );
      return rows.map(({ id }) => id);
    },
  };
}
