// SQL of frames: pictures of what is on the air at a time, which a worker makes on request.
import { posterKey } from '../../domain/media/content-pictures.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export type FrameState = 'pending' | 'ready' | 'failed';

/** A picture of an item. */
export interface Frame {
  readonly object_key: string;
  readonly user_id: string;
  readonly upload_id: string;
  /** Of the item, on the grid of the format. */
  readonly frame: number;
  /** As `formatName` of domain/playout/rendition.ts makes it. */
  readonly format: string;
  /** In pixels. */
  readonly width: number;
  /** It is so many posters, of which the first is of the frame's time; null: that frame. */
  readonly posters: number | null;
}

/**
 * What could not be made, or was not by then, is tried again once somebody asks after this time: a command can be lost.
 * Posters that could not be made were much work, and pages ask for them all day.
 */
const triedAgainAfter = { all: '1 minute', failedPosters: '1 hour' } as const;

export interface AskedFrame {
  readonly state: FrameState;
  /** Whether it is made because of this asking, and not of one before. */
  readonly isBegun: boolean;
}

/** SQL of whether a row is to be made again. */
const isOver = `frames.state <> 'ready' and frames.since < now() -
  case when frames.state = 'failed' and frames.posters is not null then interval '${triedAgainAfter.failedPosters}'
    else interval '${triedAgainAfter.all}' end`;

/** The objects of a picture, or of posters. */
export function objectKeysOf({ object_key: key, posters }: Pick<Frame, 'object_key' | 'posters'>): string[] {
  return posters === null ? [key] : Array.from({ length: posters }, (_, index) => posterKey(key, index));
}

export function frames(db: Queryable) {
  const stateOf = async (objectKey: string): Promise<FrameState | null> => {
    const row = await one<{ state: FrameState }>(db, 'select state from frames where object_key = $1', [objectKey]);
    return row?.state ?? null;
  };

  return {
    /**
     * Asks for a picture, and has a worker make it where nobody has asked yet.
     * @param mostPending so many of its kind may be made for a user at a time
     * @returns null where that many are
     */
    ask: (frame: Frame, mostPending: number) =>
      one<AskedFrame>(
        db,
        `with asked as (
           insert into frames (object_key, user_id, upload_id, frame, format, width, posters)
           select $1, $2, $3, $4, $5, $6, $8
           where exists (select from frames where object_key = $1 and not (${isOver}))
             or (select count(*) from frames
               where user_id = $2 and state = 'pending' and (posters is null) = ($8::smallint is null)
                 and not (${isOver})) < $7
           -- Whoever asked before may be gone, and the file with them.
           on conflict (object_key) do update set asked_at = now(),
             user_id = case when ${isOver} then excluded.user_id else frames.user_id end,
             upload_id = case when ${isOver} then excluded.upload_id else frames.upload_id end,
             state = case when ${isOver} then 'pending' else frames.state end,
             since = case when ${isOver} then now() else frames.since end
           returning object_key, state, state = 'pending' and since = now() as "isBegun"),
         sent as (
           insert into outbox (queue, body)
           select 'media', jsonb_build_object(
             'task', case when $8::smallint is null then 'capture_frame' else 'capture_posters' end,
             'uploadID', $3::text, 'objectKey', object_key)
           from asked where "isBegun")
         select state, "isBegun" from asked`,
        [
          frame.object_key,
          frame.user_id,
          frame.upload_id,
          frame.frame,
          frame.format,
          frame.width,
          mostPending,
          frame.posters,
        ],
      ),

    /** What has become of a picture after so many seconds. */
    stateAfter: async (objectKey: string, seconds: number): Promise<FrameState | null> => {
      await db.query('select pg_sleep($1)', [seconds]);
      return stateOf(objectKey);
    },

    stateOf,

    /** A picture that is to be made. */
    findPending: (objectKey: string) =>
      one<Frame>(db, `select * from frames where object_key = $1 and state = 'pending'`, [objectKey]),

    finish: (objectKey: string, state: FrameState) =>
      db.query('update frames set state = $2, since = now() where object_key = $1', [objectKey, state]),

    /** Forgets pictures that nobody has asked for since so long ago. @returns their objects, which are to be deleted */
    forget: async (hours: number, most: number): Promise<string[]> => {
      const rows = await all<Pick<Frame, 'object_key' | 'posters'>>(
        db,
        `delete from frames where object_key in (
           select object_key from frames where asked_at < now() - make_interval(hours => $1)
           order by asked_at limit $2)
         returning object_key, posters`,
        [hours, most],
      );
      return rows.flatMap(objectKeysOf);
    },
  };
}
