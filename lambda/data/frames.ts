// SQL of frames: pictures of what is on the air at a time, which a worker makes on request.
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export type FrameState = 'pending' | 'ready' | 'failed';

/** A picture of an item. */
export interface Frame {
  readonly object_key: string;
  readonly user_id: string;
  readonly upload_id: string;
  /** Of the item, on the grid of the format. */
  readonly frame: number;
  /** As `formatName` of domain/rendition.ts makes it. */
  readonly format: string;
  /** In pixels. */
  readonly width: number;
}

/** What could not be made is tried again once somebody asks after this time. */
const failedFor = '1 minute';

export function frames(db: Queryable) {
  return {
    /**
     * Asks for a picture, and has a worker make it where nobody has asked yet.
     * @param mostPending so many may be made for a user at a time
     * @returns null where that many are
     */
    ask: async (frame: Frame, mostPending: number): Promise<FrameState | null> => {
      const row = await one<{ state: FrameState }>(
        db,
        `with asked as (
           insert into frames (object_key, user_id, upload_id, frame, format, width)
           select $1, $2, $3, $4, $5, $6
           where (select count(*) from frames where user_id = $2 and state = 'pending' and object_key <> $1) < $7
           on conflict (object_key) do update set asked_at = now(),
             state = case when frames.state = 'failed' and frames.asked_at < now() - interval '${failedFor}'
               then 'pending' else frames.state end
           returning state, object_key, xmax = 0 as is_new),
         sent as (
           insert into outbox (queue, body)
           select 'media', jsonb_build_object('task', 'capture_frame', 'uploadID', $3::text, 'objectKey', object_key)
           from asked where state = 'pending' and (is_new or exists (
             select from frames where object_key = $1 and state = 'failed')))
         select state from asked`,
        [frame.object_key, frame.user_id, frame.upload_id, frame.frame, frame.format, frame.width, mostPending],
      );
      return row?.state ?? null;
    },

    /** What has become of a picture after so many seconds. */
    stateAfter: async (objectKey: string, seconds: number): Promise<FrameState | null> => {
      await db.query('select pg_sleep($1)', [seconds]);
      const row = await one<{ state: FrameState }>(db, 'select state from frames where object_key = $1', [objectKey]);
      return row?.state ?? null;
    },

    find: (objectKey: string) => one<Frame>(db, 'select * from frames where object_key = $1', [objectKey]),

    settle: (objectKey: string, state: FrameState) =>
      db.query('update frames set state = $2 where object_key = $1', [objectKey, state]),

    /** Forgets pictures that nobody has asked for since so long ago. @returns their objects, which are to be deleted */
    forget: async (hours: number, most: number): Promise<string[]> => {
      const rows = await all<{ object_key: string }>(
        db,
        `delete from frames where object_key in (
           select object_key from frames where asked_at < now() - make_interval(hours => $1)
           order by asked_at limit $2)
         returning object_key`,
        [hours, most],
      );
      return rows.map((row) => row.object_key);
    },
  };
}
