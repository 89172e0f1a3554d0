// SQL of collections: sets of uploads that fill themselves, and their members, which are computed (decision D220).
import { collectionBounds } from '../../domain/media/collections.ts';
import type { CollectionGroup, CollectionOrder, CollectionSource } from '../../domain/media/collections.ts';
import type { UploadType } from '../../domain/media/upload-words.ts';
import type { Availability } from '../../domain/media/availability.ts';
import { imageDurationSeconds } from '../../domain/playout/play-out.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import type { Titles } from '../../domain/playout/titles.ts';
import type { Locked } from '../shared/locked.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { SortPosition } from './upload-lists.ts';

export interface Collection {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly name: string;
  /** The track that its members are for. */
  readonly kind: PlaylistKind;
  /** Without deleted uploads and collections in its lists. */
  readonly source: CollectionSource;
  readonly order: CollectionOrder;
  /** Null unless the order is `series`: all members are one group. */
  readonly group_by: CollectionGroup | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The fields that users change. */
export type CollectionSettings = Pick<Collection, 'name' | 'source' | 'order' | 'group_by'>;

/** A member as the planner of a programme needs it. */
export interface CollectionMember {
  readonly id: string;
  readonly name: string;
  readonly titles: Titles;
  readonly tags: readonly string[];
  readonly folder: string;
  readonly type: UploadType;
  /** Null: an image, or not examined yet. */
  readonly durationSeconds: number | null;
  /** Seconds for which an image is shown; null: as long as usual. */
  readonly showSeconds: number | null;
  /** The times at which it may begin; null: any time. */
  readonly availability: Availability | null;
  readonly createdAt: Date;
  /** Whether it is examined, and has a picture or a sound for the track. */
  readonly isPlayable: boolean;
  /** Its group in the order `series`: a folder, an artist, an album or a tag in lower case; null: none. */
  readonly group: string | null;
}

export interface CollectionMembers {
  /** False: more uploads match than a collection may have. */
  readonly isComplete: boolean;
  readonly members: readonly CollectionMember[];
}

export interface CollectionFigures {
  readonly count: number;
  /** The known durations of all members together. */
  readonly duration_seconds: number;
  /** The time that all playable members take once. */
  readonly seconds_without_repeat: number;
  /** False: more uploads match than a collection may have. */
  readonly complete: boolean;
}

/** SQL of the ids in a list of the source that still exist, in the order of the list. */
const existing = (list: string, table: string) => `(
  select jsonb_build_object('${list}', coalesce(jsonb_agg(listed.id order by place), '[]'))
  from jsonb_array_elements_text(source -> '${list}') with ordinality as listed (id, place)
  where exists (select from ${table} as other where other.id = listed.id and other.user_id = collections.user_id))`;

/** SQL of the columns of a Collection. */
const columns = `id, seq, user_id, name, kind, member_order as "order", group_by, created_at, updated_at,
  case
    when source ? 'uploadIDs' then ${existing('uploadIDs', 'uploads')}
    when source ? 'collectionIDs' then ${existing('collectionIDs', 'collections')}
    else source end as source`;

/**
 * SQL of the leaves of the collections $2 of the user $1: the sources of unions, and the collections that are none.
 * Terms contain the user's id.
 */
const leaves = `leaves as materialized (
    select c.id as collection_id, array_position($2::text[], c.id) as collection_place, c.kind, member_order, group_by,
      member_order = 'newest' as is_newest, leaf.part, leaf.source, collection_query($1, c.kind, leaf.source) as query
    from collections c cross join lateral (
      select 0 as part, c.source where not c.source ? 'collectionIDs'
      union all
      select named.part, single.source
      from jsonb_array_elements_text(c.source -> 'collectionIDs') with ordinality as named (id, part)
        join collections single on single.id = named.id and single.user_id = $1
      where not single.source ? 'collectionIDs') leaf
    where c.user_id = $1 and c.id = any ($2))`;

/**
 * SQL of the uploads of one leaf, with some of their columns. A source that searches is read up to one upload beyond
 * the most members; all others list fewer. Listed uploads are found one by one, by offset 0: a join might read those of
 * all users, and an index of users those of one. A listed upload that is no member is a row without `seq`.
 */
const rowsOfLeaf = (uploadColumns: string) => {
  const upload = `id, seq, probe_state = 'completed' as is_playable, duration_seconds, ${uploadColumns}`;
  const isOfTrack = `type in ('video', case kind when 'audio' then 'audio' else 'image' end)
        and (probe_state <> 'completed' or case kind when 'audio' then audio_codec else video_codec end is not null)`;
  const listed = (list: string) => `select place, upload.* from ${list} left join lateral (
        select ${upload} from (select * from uploads where id = upload_id offset 0) uploads
        where user_id = $1 and ${isOfTrack}) upload on true`;
  return `(select 0 as place, ${upload} from uploads where terms @@ query and ${isOfTrack}
       order by case when is_newest then -seq else seq end limit ${collectionBounds.members + 1})
      union all
      ${listed(`jsonb_array_elements_text(source -> 'uploadIDs') with ordinality as named (upload_id, place)`)}
      union all
      ${listed(`(
        select item ->> 'uploadID' as upload_id, place
        from playlists, jsonb_array_elements(live -> 'items') with ordinality as items (item, place)
        where playlists.id = source ->> 'playlistID' and user_id = $1) item`)}
      union all
      ${listed(`(
        select upload_id, 0 as place from source_files
        where source_id = source ->> 'sourceID' and removed_at is null) file`)}`;
};

/** SQL of the members among the uploads that match. */
const membersOfMatching = `members as (
    select *, matches <= ${collectionBounds.members} as complete from (
      select *, count(*) over (partition by collection_id) as matches,
        row_number() over (partition by collection_id order by seq) as number
      from matching) numbered
    where case member_order
      when 'newest' then number > matches - ${collectionBounds.members}
      else number <= ${collectionBounds.members} end)`;

/** SQL of the members of the collections $2 of the user $1, each upload once, with some columns of it. */
const membersWith = (uploadColumns: string) => `with ${leaves},
  matching as (
    select distinct on (collection_id, seq) collection_id, member_order, group_by, part, leaf.*
    from leaves cross join lateral (
      ${rowsOfLeaf(uploadColumns)}) leaf
    where seq is not null
    order by collection_id, seq, part, place),
  ${membersOfMatching}`;

/**
 * SQL of the uploads of the first collections of $2, by the bound $3: `shown` has the collections, `members` their
 * uploads. Equal leaves are one source, and sources are read one after the other until they have more rows than $3;
 * those of the first collection are read in any case. A collection is shown if its rows and those before it are within
 * $3.
 */
const boundedMembers = `with recursive ${leaves},
  sources as materialized (
    select row_number() over (order by min(collection_place), min(part)) as number,
      min(collection_place) = 1 as is_first, kind, is_newest, source, query
    from leaves group by kind, is_newest, source, query),
  read as (
    select 0::bigint as number, 0::bigint as total, 0::bigint as rows, null::bigint[] as seqs,
      null::boolean[] as playable, null::float8[] as durations, null::float8[] as plays
    union all
    select s.number, total + found.rows, found.rows, found.seqs, found.playable, found.durations, found.plays
    from read join sources s on s.number = read.number + 1 cross join lateral (
      select count(*) as rows, array_agg(seq) as seqs, array_agg(is_playable) as playable,
        array_agg(duration_seconds) as durations,
        array_agg(coalesce(duration_seconds, show_seconds, ${imageDurationSeconds})) as plays
      from (
      ${rowsOfLeaf('show_seconds')}) leaf) found
    where is_first or total <= $3),
  reads as (
    select collection_id, member_order, read.* from leaves join sources using (kind, is_newest, source)
      left join read using (number)),
  shown as (
    select id from (
      select asked.id, place, sum(coalesce(rows, 0)) over (order by place) as total,
        bool_and(coalesce(is_read, true)) over (order by place) as are_read
      from unnest($2::text[]) with ordinality as asked (id, place) left join (
        select collection_id, sum(rows) as rows, bool_and(rows is not null) as is_read
        from reads group by collection_id) counted on collection_id = asked.id) summed
    where place = 1 or (total <= $3 and are_read)),
  matching as (
    select distinct on (collection_id, seq) collection_id, member_order, one.*
    from shown join reads on collection_id = shown.id cross join lateral
      unnest(seqs, playable, durations, plays) as one (seq, is_playable, duration_seconds, play_seconds)
    where seq is not null
    order by collection_id, seq),
  ${membersOfMatching}`;

/** SQL of the columns that `group` and `inOrder` read. */
const orderColumns = 'name, upload_titles(file_tags, given_titles) as titles, tags, folder';

/** SQL of the group of a member. */
const group = `case
  when member_order <> 'series' then null
  when group_by = 'folder' then folder
  when group_by in ('artist', 'album') then titles ->> group_by
  else (
    select min(lower(tag collate "und-x-icu") collate "C") from unnest(tags) as tagged (tag)
    where starts_with(lower(tag collate "und-x-icu"), lower(substr(group_by, 5) collate "und-x-icu"))) end`;

/** SQL of the order of the members. */
const inOrder = `
  case member_order when 'sequential' then part when 'newest' then -seq when 'oldest' then seq end,
  case member_order when 'sequential' then place end,
  case member_order when 'sequential' then folder when 'series' then "group" end collate natural_order,
  case when member_order in ('sequential', 'series') then name end collate natural_order,
  case member_order when 'shuffle' then id end collate "C", seq`;

export function collections(db: Queryable) {
  return {
    insert: async (
      id: string,
      userID: string,
      kind: PlaylistKind,
      { name, source, order, group_by: groupBy }: CollectionSettings,
    ) =>
      (await one<Locked<Collection>>(
        db,
        `insert into collections (id, user_id, kind, name, source, member_order, group_by)
         values ($1, $2, $3, $4, $5, $6, $7) returning ${columns}`,
        [id, userID, kind, name, source, order, groupBy],
      ))!,

    find: (userID: string, id: string) =>
      one<Collection>(db, `select ${columns} from collections where id = $1 and user_id = $2`, [id, userID]),

    lock: (userID: string, id: string) =>
      one<Locked<Collection>>(db, `select ${columns} from collections where id = $1 and user_id = $2 for update`, [
        id,
        userID,
      ]),

    /** This user's collections among these, in no order. */
    findMany: (userID: string, ids: readonly string[]) =>
      all<Collection>(db, `select ${columns} from collections where user_id = $1 and id = any ($2)`, [userID, ids]),

    /** This user's collections among these, by id, which no other transaction changes until this one ends. */
    lockManyForRead: (userID: string, ids: readonly string[]) =>
      all<Collection>(
        db,
        `select ${columns} from collections where user_id = $1 and id = any ($2) order by id for share`,
        [userID, ids],
      ),

    list: (userID: string, before: number | null, count: number) =>
      all<Collection>(
        db,
        `select ${columns} from collections where user_id = $1 and ($2::bigint is null or seq < $2)
         order by seq desc limit $3`,
        [userID, before, count],
      ),

    /** A union of the user that contains this collection; null: none. */
    unionWith: (userID: string, id: string) =>
      one<Pick<Collection, 'id' | 'name'>>(
        db,
        `select id, name from collections where user_id = $1 and source -> 'collectionIDs' ? $2 limit 1`,
        [userID, id],
      ),

    save: async (id: string, { name, source, order, group_by: groupBy }: CollectionSettings) =>
      (await one<Locked<Collection>>(
        db,
        `update collections set name = $2, source = $3, member_order = $4, group_by = $5, updated_at = now()
         where id = $1 returning ${columns}`,
        [id, name, source, order, groupBy],
      ))!,

    delete: (id: string) => db.query('delete from collections where id = $1', [id]),

    /**
     * The members of the user's collections among these, by the id of the collection, in its order; those of `shuffle`
     * by id. It is one statement for any number of collections.
     */
    members: async (
      userID: string,
      collectionIDs: readonly string[],
    ): Promise<ReadonlyMap<string, CollectionMembers>> => {
      const rows = await all<CollectionMember & { collection_id: string; complete: boolean }>(
        db,
        `${membersWith(`${orderColumns}, type, created_at, show_seconds, availability`)}
         select collection_id, complete, id, name, titles, tags, folder, type, duration_seconds as "durationSeconds",
           created_at as "createdAt", show_seconds as "showSeconds", availability, is_playable as "isPlayable", "group"
         from (select *, ${group} as "group" from members) grouped order by collection_id, ${inOrder}`,
        [userID, collectionIDs],
      );
      const byCollection = new Map<string, { isComplete: boolean; members: CollectionMember[] }>(
        collectionIDs.map((id) => [id, { isComplete: true, members: [] }]),
      );
      for (const { collection_id: id, complete: isComplete, ...member } of rows) {
        const found = byCollection.get(id)!;
        found.isComplete = isComplete;
        found.members.push(member);
      }
      return byCollection;
    },

    /**
     * A page of the uploads of a collection, in its order.
     * @param after the last upload of the previous page, and its place then. If it is no longer a member, the page
     *   continues from that place.
     */
    page: (userID: string, collectionID: string, after: SortPosition | null, count: number) =>
      all<{ id: string; seq: number; sort_key: number }>(
        db,
        `${membersWith(orderColumns)},
         ordered as materialized (
           select id, seq, row_number() over (order by ${inOrder}) as sort_key
           from (select *, ${group} as "group" from members) grouped)
         select id, seq, sort_key::int as sort_key from ordered
         where sort_key > coalesce((select sort_key from ordered where seq = $3), $4, 0) order by sort_key limit $5`,
        [userID, [collectionID], after?.seq ?? null, after?.key ?? null, count],
      ),

    /**
     * The figures of the first of the user's collections among these, by id: of the first one, and of those after it
     * while together they read no more than `mostRows` uploads. It is one statement, which reads equal sources once.
     */
    figures: async (
      userID: string,
      collectionIDs: readonly string[],
      mostRows: number,
    ): Promise<ReadonlyMap<string, CollectionFigures>> => {
      const rows = await all<CollectionFigures & { id: string }>(
        db,
        `${boundedMembers}
         select shown.id, count(seq)::int as count, coalesce(sum(duration_seconds), 0) as duration_seconds,
           coalesce(sum(play_seconds) filter (where is_playable), 0) as seconds_without_repeat,
           coalesce(bool_and(complete), true) as complete
         from shown left join members on collection_id = shown.id group by shown.id`,
        [userID, collectionIDs, mostRows],
      );
      return new Map(rows.map(({ id, ...figures }) => [id, figures]));
    },
  };
}
