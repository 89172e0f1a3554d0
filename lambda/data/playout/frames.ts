// SQL of frames: pictures of the program at a time, which a worker makes on request.
import { posterKey } from '../../domain/media/content-pictures.ts';
import { insertDrawings, jsonOfDrawings } from './looks.ts';
import type { NamedDrawing } from './looks.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export type FrameState = 'pending' | 'ready' | 'failed';

/** A picture of an item. */
export interface Frame {
  readonly object_key: string;
  readonly user_id: string;
  readonly upload_id: string;
  /** The number of the frame in its item, on the grid of the format. */
  readonly frame: number;
  /** From `formatName` of domain/playout/rendition.ts. */
  readonly format: string;
  /** In pixels. */
  readonly width: number;
  /** The number of posters, the first of them at the time of the frame; null: a single picture. */
  readonly posters: number | null;
}

/**
 * When a request starts another attempt after one that failed or whose command was lost. Failed posters wait longer:
 * they are expensive, and pages request them all day.
 */
const triedAgainAfter = { all: '1 minute', failedPosters: '1 hour' } as const;

export interface AskedFrame {
  readonly state: FrameState;
  /** Whether this request, not an earlier one, started the work. */
  readonly isBegun: boolean;
}

/** SQL condition: a row needs another attempt. */
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
     * Requests a picture, and sends a command to make it unless one was sent before.
     * @param mostPending the most pictures of its kind that may be pending for a user
     * @param drawings the drawings over it that nothing else has stored; they are stored with the command
     * @returns null if that many are pending
     */
    ask: (frame: Frame, mostPending: number, drawings: readonly NamedDrawing[] = []) =>
      one<AskedFrame>(
        db,
        `with asked as (
           insert into frames (object_key, user_id, upload_id, frame, format, width, posters)
           select $1, $2, $3, $4, $5, $6, $8
           where exists (select from frames where object_key = $1 and not (${isOver}))
             or (select count(*) from frames
               where user_id = $2 and state = 'pending' and (posters is null) = ($8::smallint is null)
                 and not (${isOver})) < $7
           -- The user of the earlier request, and the upload, may be deleted.
           on conflict (object_key) do update set asked_at = now(),
             user_id = case when ${isOver} then excluded.user_id else frames.user_id end,
             upload_id = case when ${isOver} then excluded.upload_id else frames.upload_id end,
             state = case when ${isOver} then 'pending' else frames.state end,
             since = case when ${isOver} then now() else frames.since end
           returning object_key, state, state = 'pending' and since = now() as "isBegun"),
         drawn as (${insertDrawings('$9::jsonb', 'exists (select from asked where "isBegun")')}),
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
          jsonOfDrawings(drawings),
        ],
      ),

    /** The state of a picture after so many seconds. */
    stateAfter: async (objectKey: string, seconds: number): Promise<FrameState | null> => {
      await db.query('select pg_sleep($1)', [seconds]);
      return stateOf(objectKey);
    },

    stateOf,

    /** The picture, if it is pending. */
    findPending: (objectKey: string) =>
      one<Frame>(db, `select * from frames where object_key = $1 and state = 'pending'`, [objectKey]),

    finish: (objectKey: string, state: FrameState) =>
      db.query('update frames set state = $2, since = now() where object_key = $1', [objectKey, state]),

    /** Deletes the request for a picture, so that the next request starts the work again. */
    drop: (objectKey: string) => db.query('delete from frames where object_key = $1', [objectKey]),

    /** Deletes pictures without a request for so many hours. @returns the keys of their objects, to delete */
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
