// SQL of programmes: rules that plan the timeline of a stream.
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import type { ProgrammeRules } from '../../domain/programme/programme-rules.ts';
import type { Locked } from '../shared/locked.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** Rules as they are stored: all random orders follow from the seed of the programme. */
export type StoredRules = Omit<ProgrammeRules, 'seed'>;

export interface Programme {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly stream_id: string;
  /** The track of the stream that it plans. */
  readonly kind: PlaylistKind;
  readonly seed: number;
  /** It increases with each change of the draft. */
  readonly version: number;
  readonly draft: StoredRules;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function programmes(db: Queryable) {
  return {
    /** @returns null if the stream has a programme for this track */
    insert: (programme: Pick<Programme, 'id' | 'user_id' | 'stream_id' | 'kind' | 'seed' | 'draft'>) =>
      one<Locked<Programme>>(
        db,
        `insert into programmes (id, user_id, stream_id, kind, seed, draft) values ($1, $2, $3, $4, $5, $6)
         on conflict (stream_id, kind) do nothing returning *`,
        [programme.id, programme.user_id, programme.stream_id, programme.kind, programme.seed, programme.draft],
      ),

    find: (userID: string, id: string) =>
      one<Programme>(db, 'select * from programmes where id = $1 and user_id = $2', [id, userID]),

    lock: (userID: string, id: string) =>
      one<Locked<Programme>>(db, 'select * from programmes where id = $1 and user_id = $2 for update', [id, userID]),

    list: (userID: string, streamID: string | null, before: number | null, count: number) =>
      all<Programme>(
        db,
        `select * from programmes
         where user_id = $1 and ($2::text is null or stream_id = $2) and ($3::bigint is null or seq < $3)
         order by seq desc limit $4`,
        [userID, streamID, before, count],
      ),

    saveDraft: async (id: string, draft: StoredRules) =>
      (await one<Locked<Programme>>(
        db,
        `update programmes set draft = $2, version = version + 1, updated_at = now() where id = $1 returning *`,
        [id, draft],
      ))!,

    delete: (id: string) => db.query('delete from programmes where id = $1', [id]),
  };
}
