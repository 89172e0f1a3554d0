// SQL of collections: sets of uploads that fill themselves, and their members, which are computed (decision D220).
import type { CollectionGroup, CollectionOrder, CollectionSource } from '../../domain/media/collections.ts';
import type { UploadType } from '../../domain/media/upload-words.ts';
import type { Availability } from '../../domain/media/availability.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import type { Titles } from '../../domain/playout/titles.ts';
import type { Locked } from '../shared/locked.ts';
import { pageRows } from '../shared/page-rows.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { boundedMembers, boundedPlaces, group, inOrder, membersWith, orderColumns } from './collection-members.ts';
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

export interface ListedCollection extends Collection {
  /** Uploads that its source lists, deleted ones counted. */
  readonly listed_count: number;
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

/** A member as any collection has it. */
export type MemberUpload = Omit<CollectionMember, 'isPlayable' | 'group'>;

export interface CollectionMembers {
  /** False: more uploads match than a collection may have. */
  readonly isComplete: boolean;
  readonly members: readonly CollectionMember[];
}

/** The most that is read of several collections together. */
export interface ReadBounds {
  /** Uploads that are read, those of each collection of a union counted. The last one that begins is read whole. */
  readonly rows: number;
  /** Members, an upload counted in each collection. */
  readonly places: number;
  /** Different uploads. */
  readonly uploads: number;
}

/** The members of a collection that can be played, in its order. */
export interface CollectionPlaces {
  /** True: the bounds of all collections together leave members out. */
  readonly isCut: boolean;
  readonly members: readonly Pick<CollectionMember, 'id' | 'group'>[];
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

/** SQL of the columns of a MemberUpload, without its titles. */
const memberColumns = `id, name, tags, folder, type, duration_seconds as "durationSeconds", created_at as "createdAt",
  show_seconds as "showSeconds", availability`;

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

/** SQL of a page of the collections of the user $1. */
const listed = pageRows({
  table: 'collections',
  condition: 'user_id = $1',
  size: `coalesce(jsonb_array_length(source -> 'uploadIDs'), 0)`,
  before: '$2',
  count: '$3',
  mostSize: '$4',
});

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

    /**
     * Collections of a user, the newest first.
     * @param mostListed the number of listed ids after which the next collection is the last one
     */
    list: (userID: string, before: number | null, count: number, mostListed: number) =>
      all<ListedCollection>(
        db,
        `${listed.with}
         select ${columns}, row_size as listed_count from ${listed.from} order by seq desc`,
        [userID, before, count, mostListed],
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
         select collection_id, complete, titles, is_playable as "isPlayable", "group", ${memberColumns}
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
     * The members that can be played of the user's collections, by the id of the collection: as `members` has them, as
     * far as the bounds allow for all together. In the order of the ids, later ones are cut. It is one statement, which
     * reads equal sources once.
     */
    places: async (
      userID: string,
      collectionIDs: readonly string[],
      bounds: ReadBounds,
    ): Promise<ReadonlyMap<string, CollectionPlaces>> => {
      const rows = await all<{ place: number; is_cut: boolean; id: string | null; group: string | null }>(
        db,
        `${boundedPlaces}
         select collection_place as place, is_cut, id, "group" from ordered order by collection_place, member_place`,
        [userID, collectionIDs, bounds.rows, bounds.places, bounds.uploads],
      );
      const found = collectionIDs.map(() => ({ isCut: false, members: [] as { id: string; group: string | null }[] }));
      for (const { place, is_cut: isCut, id, group: name } of rows) {
        found[place - 1]!.isCut = isCut;
        if (id !== null) found[place - 1]!.members.push({ id, group: name });
      }
      return new Map(collectionIDs.map((id, index) => [id, found[index]!]));
    },

    /** These uploads of all users, as members of collections. */
    memberUploads: (ids: readonly string[]) =>
      all<MemberUpload>(
        db,
        `select upload_titles(file_tags, given_titles) as titles, ${memberColumns} from uploads where id = any ($1)`,
        [ids],
      ),

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
