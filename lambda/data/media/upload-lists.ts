// SQL of lists of uploads: search with filters and sort orders, abandoned uploads, and folders.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { uploadColumns } from './uploads.ts';
import type { Upload } from './uploads.ts';
import type { probeStates, UploadSortKey, UploadType } from '../../domain/media/upload-words.ts';

/** Conditions of a search. Null: no condition. */
export interface UploadFilter {
  /** Prefixes of words of the name; all have to match. */
  readonly q: string | null;
  readonly tags: readonly string[] | null;
  readonly type: UploadType | null;
  readonly probeState: (typeof probeStates)[number] | null;
  readonly inFolder: string | null;
  /** The folder, or any folder below it. */
  readonly belowFolder: string | null;
  readonly hasFindings: boolean | null;
}

/** SQL of the sort keys. Equal rows are sorted by `seq`. Each key has an index. */
const sortKeys: Readonly<Record<UploadSortKey, string | null>> = {
  createdAt: null,
  name: 'name collate natural_order',
  durationSeconds: 'coalesce(duration_seconds, -1)',
  fileSize: 'coalesce(size_bytes, declared_size_bytes, -1)',
};

export interface UploadOrder {
  readonly by: UploadSortKey;
  readonly descending: boolean;
}

/** The last row of a page of a sorted list: its `seq` and its sort key; null if the list is sorted by `seq`. */
export interface SortPosition {
  readonly seq: number;
  readonly key: string | number | null;
}

export type SortedUpload = Upload & { readonly sort_key: string | number | null };

/** SQL of the terms of uploads of the user $1 in the folder $2 or below it. A subquery, so that it is computed once. */
const termsBelow = '(select upload_query($1, null, null, null, null, null, $2))';

export function uploadLists(db: Queryable) {
  /** The words, tags and states of a filter as a query of terms; null: it asks for none. */
  const queryOf = async (userID: string, filter: UploadFilter): Promise<string | null> => {
    const { q, tags, type, probeState, inFolder, belowFolder, hasFindings } = filter;
    const asked = [q, tags, type, probeState, inFolder, belowFolder, hasFindings];
    if (asked.every((value) => value === null)) return null;
    const row = await one<{ query: string | null }>(
      db,
      'select upload_query($1, $2, $3, $4, $5, $6, $7, $8)::text as query',
      [userID, ...asked],
    );
    return row!.query;
  };

  return {
    /**
     * Ids of uploads older than `days` that are neither complete nor being imported, and that no stream or playlist
     * names, the oldest first.
     */
    abandoned: async (days: number, count: number) => {
      const rows = await all<{ id: string }>(
        db,
        `select id from uploads
           where not uploaded and created_at < now() - make_interval(days => $1)
             and not exists (
               select from imports where upload_id = uploads.id and state in ('pending', 'downloading'))
             and not exists (
               select from streams where video_upload_id = uploads.id or audio_upload_id = uploads.id)
             and not exists (
               select from playlists
               where draft -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', uploads.id)))
           order by created_at limit $2`,
        [days, count],
      );
      return rows.map(({ id }) => id);
    },

    search: async (
      userID: string,
      filter: UploadFilter,
      { by, descending }: UploadOrder,
      after: SortPosition | null,
      count: number,
    ) => {
      const key = sortKeys[by];
      const [before, direction] = descending ? ['<', 'desc'] : ['>', 'asc'];
      const values: unknown[] = [userID];
      const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
      // A statement has only the conditions that its search needs, so that a plan for any values is good as well.
      const conditions = ['user_id = $1'];
      if (filter.inFolder !== null) conditions.push(`folder = ${parameter(filter.inFolder, 'text')}`);
      const query = await queryOf(userID, filter);
      if (query !== null) conditions.push(`terms @@ ${parameter(query, 'tsquery')}`);
      if (after !== null) {
        const seq = parameter(after.seq, 'bigint');
        const keyType = by === 'name' ? 'text' : 'float8';
        conditions.push(
          key === null ? `seq ${before} ${seq}` : `(${key}, seq) ${before} (${parameter(after.key, keyType)}, ${seq})`,
        );
      }
      // A page without a search is read in order. For any number of rows, Postgres may sort all. A search sorts what it
      // has found.
      const limit = query === null ? count : parameter(count, 'int');
      return all<SortedUpload>(
        db,
        `select ${uploadColumns}, ${key ?? 'null'} as sort_key from uploads where ${conditions.join(' and ')}
         order by ${key === null ? '' : `${key} ${direction}, `}seq ${direction} limit ${limit}`,
        values,
      );
    },

    /**
     * The direct subfolders of a folder, in byte order. It reads an index once per subfolder, for any number of
     * uploads.
     * @param folder empty: the root
     * @param after the last path of the previous page
     */
    foldersIn: (userID: string, folder: string, after: string | null, count: number) => {
      const within = folder === '' ? '' : `${folder}/`;
      // The paths below a folder lie between its path with a slash and its path with the character after the slash.
      const pathFrom = (start: string) => `(
        select (folder || '/') collate "C" from uploads
        where user_id = $1 and folder <> '' and (folder || '/') collate "C" >= ${start}
        order by (folder || '/') collate "C" limit 1)`;
      const child = `$2 || split_part(substr(path, length($2) + 1), '/', 1)`;
      return all<{ path: string; sort_key: string; seq: number }>(
        db,
        `with recursive walk (path) as (
           select ${pathFrom('$3')}
           union all
           select ${pathFrom(`${child} || '0'`)} from walk where starts_with(path, $2))
         select ${child} as path, ${child} as sort_key, 0 as seq from walk where starts_with(path, $2) limit $4`,
        [userID, within, after === null ? `${within}\u0001` : `${after}0`, count],
      );
    },

    /** Ids of at most `most` uploads in a folder or below it, the oldest first. */
    idsBelow: async (userID: string, folder: string, most: number) => {
      const rows = await all<{ id: string }>(
        db,
        `select id from uploads
         where user_id = $1 and terms @@ ${termsBelow} order by seq limit $3`,
        [userID, folder, most],
      );
      return rows.map(({ id }) => id);
    },

    /**
     * Gives a folder, with its subfolders, another path.
     * @param to empty: outside all folders
     * @returns the number of moved uploads
     */
    moveFolder: async (userID: string, folder: string, to: string) => {
      const { rowCount } = await db.query(
        `update uploads
         set folder = case
           when $3 = '' then substr(folder, length($2) + 2)
           else $3 || substr(folder, length($2) + 1) end
         where user_id = $1 and terms @@ ${termsBelow}`,
        [userID, folder, to],
      );
      return rowCount ?? 0;
    },

    /** The length of the longest path in a folder, in names; 0: no uploads. */
    depthBelow: async (userID: string, folder: string) =>
      (await one<{ depth: number }>(
        db,
        `select coalesce(max(cardinality(string_to_array(folder, '/'))), 0) as depth from uploads
         where user_id = $1 and terms @@ ${termsBelow}`,
        [userID, folder],
      ))!.depth,
  };
}
