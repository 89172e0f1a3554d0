// SQL of playlists: the draft that edits change, and the live snapshot that streams play.
import type { Continuation } from '../../domain/playout/continuation.ts';
import type { PlaylistSpec } from '../../domain/playout/playlist-edits.ts';
import { pageRows } from '../shared/page-rows.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Locked } from '../shared/locked.ts';
import type { PlaylistKind, publishStatuses } from '../../domain/playout/playlist-words.ts';

export interface VersionedSpec extends PlaylistSpec {
  readonly version: number;
}

export interface LiveSpec extends VersionedSpec {
  readonly publishedAt: string;
}

/** A draft that is being published. */
export interface PublishingSpec extends VersionedSpec {
  /** The first item on a live stream: the one after the present item, or the first of the list; absent: the former. */
  readonly from?: Continuation;
}

export interface Playlist {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  /** The stream that it was made for or moved to last. It may be deleted. Null: it has been of no stream yet. */
  readonly stream_id: string | null;
  readonly name: string | null;
  readonly kind: PlaylistKind;
  readonly version: number;
  readonly draft: PlaylistSpec;
  readonly live: LiveSpec | null;
  /** The draft at the time of its publish request, until it is live; else null. */
  readonly publishing: PublishingSpec | null;
  readonly publish_status: (typeof publishStatuses)[number];
  readonly publish_failure: { code: string; detail: string } | null;
  /** Increases with each publish request, so that a late one sees that a newer one has replaced it. */
  readonly publish_request: number;
  readonly created_at: Date;
}

export interface NewPlaylist {
  readonly id: string;
  readonly userID: string;
  readonly streamID: string | null;
  readonly name: string | null;
  readonly kind: PlaylistKind;
  readonly draft: PlaylistSpec;
}

/** A playlist as its answers show it. */
export type ShownPlaylist = Omit<Playlist, 'user_id' | 'publishing' | 'publish_request'>;

export interface ListedPlaylist extends ShownPlaylist {
  /** Items of its draft and of its live snapshot together. */
  readonly item_count: number;
}

/** SQL of the number of items of a playlist, in its draft and its live snapshot together. */
const itemCount = `jsonb_array_length(draft -> 'items') + coalesce(jsonb_array_length(live -> 'items'), 0)`;

/** SQL of a page of the playlists of the user $1. */
const listed = pageRows({
  table: 'playlists',
  condition: 'user_id = $1 and ($2::text is null or stream_id = $2)',
  size: itemCount,
  before: '$3',
  count: '$4',
  mostSize: '$5',
});

export function playlists(db: Queryable) {
  return {
    insert: async (playlist: NewPlaylist) =>
      (await one<Locked<Playlist>>(
        db,
        'insert into playlists (id, user_id, stream_id, name, kind, draft) values ($1, $2, $3, $4, $5, $6) returning *',
        [playlist.id, playlist.userID, playlist.streamID, playlist.name, playlist.kind, playlist.draft],
      ))!,

    find: (userID: string, id: string) =>
      one<Playlist>(db, 'select * from playlists where id = $1 and user_id = $2', [id, userID]),

    lock: (userID: string, id: string) =>
      one<Locked<Playlist>>(db, 'select * from playlists where id = $1 and user_id = $2 for update', [id, userID]),

    /** The playlist of any user: for the worker that publishes its draft. */
    findAny: (id: string) => one<Playlist>(db, 'select * from playlists where id = $1', [id]),

    /** The playlist of any user, locked. */
    lockAny: (id: string) => one<Locked<Playlist>>(db, 'select * from playlists where id = $1 for update', [id]),

    /** These users' playlists among these, locked. */
    lockMany: async (userIDs: readonly string[], ids: readonly string[]): Promise<Locked<Playlist>[]> =>
      ids.length === 0
        ? []
        : all<Locked<Playlist>>(
            db,
            'select * from playlists where user_id = any ($1) and id = any ($2) order by id for update',
            [userIDs, ids],
          ),

    /** This user's playlists among these, in no order. */
    findMany: (userID: string, ids: readonly string[]) =>
      all<Playlist>(db, 'select * from playlists where user_id = $1 and id = any ($2)', [userID, ids]),

    /** The number of items of these playlists, in their drafts and live snapshots together. */
    countItems: async (userID: string, ids: readonly string[]) =>
      (await one<{ items: number }>(
        db,
        `select coalesce(sum(${itemCount}), 0)::int as items
         from playlists where user_id = $1 and id = any ($2)`,
        [userID, ids],
      ))!.items,

    /**
     * Playlists of a user, the newest first.
     * @param mostItems the number of items after which the next playlist is the last one
     */
    list: (userID: string, streamID: string | null, before: number | null, count: number, mostItems: number) =>
      all<ListedPlaylist>(
        db,
        `${listed.with}
         select id, seq, stream_id, name, kind, version, draft, live, publish_status, publish_failure,
           created_at, row_size as item_count
         from ${listed.from} order by seq desc`,
        [userID, streamID, before, count, mostItems],
      ),

    /** Playlists whose publish may wait for the probe of this upload. */
    publishingWith: (uploadID: string) =>
      all<Playlist>(db, `select * from playlists where publish_status = 'PREPARING' and publishing -> 'items' @> $1`, [
        JSON.stringify([{ uploadID }]),
      ]),

    delete: (id: string) => db.query('delete from playlists where id = $1', [id]),

    /**
     * Lets the playlists of a stream outlive it: ends their publishing, which needs a stream, and names those without a
     * name.
     */
    outlive: (streamID: string, names: Readonly<Record<PlaylistKind, string>>) =>
      db.query(
        `update playlists
         set publish_status = 'IDLE', publishing = null, publish_failure = null,
           name = coalesce(name, $2::jsonb ->> kind)
         where stream_id = $1`,
        [streamID, names],
      ),

    moveToStream: (id: string, streamID: string) =>
      db.query('update playlists set stream_id = $2 where id = $1', [id, streamID]),

    rename: async (id: string, name: string | null) =>
      (await one<Locked<Playlist>>(db, 'update playlists set name = $2 where id = $1 returning *', [id, name]))!,

    saveDraft: async (id: string, draft: PlaylistSpec) =>
      (await one<Locked<Playlist>>(
        db,
        'update playlists set draft = $2, version = version + 1 where id = $1 returning *',
        [id, draft],
      ))!,

    /** Begins to publish the draft, in place of an earlier unfinished publish. */
    beginPublish: async (id: string, from: Continuation) =>
      (await one<Locked<Playlist>>(
        db,
        `update playlists
         set publish_status = 'PREPARING', publish_failure = null, publish_request = publish_request + 1,
           publishing = draft || jsonb_build_object('version', version, 'from', $2::text)
         where id = $1 returning *`,
        [id, from],
      ))!,

    finishPublish: (id: string, live: LiveSpec) =>
      db.query(
        `update playlists set live = $2, publishing = null, publish_status = 'IDLE', publish_failure = null
         where id = $1`,
        [id, live],
      ),

    failPublish: (id: string, failure: { code: string; detail: string }) =>
      db.query(
        `update playlists set publishing = null, publish_status = 'FAILED', publish_failure = $2 where id = $1`,
        [id, failure],
      ),
  };
}
