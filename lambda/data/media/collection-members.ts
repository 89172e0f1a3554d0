// SQL of the members of collections, which are computed from their sources (decision D220).
import { collectionBounds } from '../../domain/media/collections.ts';
import { imageDurationSeconds } from '../../domain/playout/play-out.ts';

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
export const membersWith = (uploadColumns: string) => `with ${leaves},
  matching as (
    select distinct on (collection_id, seq) collection_id, member_order, group_by, part, leaf.*
    from leaves cross join lateral (
      ${rowsOfLeaf(uploadColumns)}) leaf
    where seq is not null
    order by collection_id, seq, part, place),
  ${membersOfMatching}`;

/**
 * SQL of the sources of leaves, each once, and of those that are read, one after the other: `sources` and `read`.
 * @param read the arrays that are read of a source: their names, types, and expressions of `uploadColumns`
 * @param isRead the condition on `total`, the rows that were read before
 */
const readSources = (
  uploadColumns: string,
  read: readonly (readonly [name: string, type: string, expression: string])[],
  isRead: string,
) => `sources as materialized (
    select row_number() over (order by min(collection_place), min(part)) as number,
      min(collection_place) = 1 as is_first, kind, is_newest, source, query
    from leaves group by kind, is_newest, source, query),
  read as (
    select 0::bigint as number, 0::bigint as total, 0::bigint as rows,
      ${read.map(([name, type]) => `null::${type}[] as ${name}`).join(', ')}
    union all
    select s.number, total + found.rows, found.rows, ${read.map(([name]) => `found.${name}`).join(', ')}
    from read join sources s on s.number = read.number + 1 cross join lateral (
      select count(*) as rows,
        ${read.map(([name, , expression]) => `array_agg(${expression}) as ${name}`).join(', ')}
      from (
      ${rowsOfLeaf(uploadColumns)}) leaf) found
    where ${isRead})`;

/**
 * SQL of the uploads of the first collections of $2, by the bound $3: `shown` has the collections, `members` their
 * uploads. Equal leaves are one source, and sources are read one after the other until they have more rows than $3;
 * those of the first collection are read in any case. A collection is shown if its rows and those before it are within
 * $3.
 */
export const boundedMembers = `with recursive ${leaves},
  ${readSources(
    'show_seconds',
    [
      ['seqs', 'bigint', 'seq'],
      ['playable', 'boolean', 'is_playable'],
      ['durations', 'float8', 'duration_seconds'],
      ['plays', 'float8', `coalesce(duration_seconds, show_seconds, ${imageDurationSeconds})`],
    ],
    'is_first or total <= $3',
  )},
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
export const orderColumns = 'name, upload_titles(file_tags, given_titles) as titles, tags, folder';

/** SQL of the group of a member. */
export const group = `case
  when member_order <> 'series' then null
  when group_by = 'folder' then folder
  when group_by in ('artist', 'album') then titles ->> group_by
  else (
    select min(lower(tag collate "und-x-icu") collate "C") from unnest(tags) as tagged (tag)
    where starts_with(lower(tag collate "und-x-icu"), lower(substr(group_by, 5) collate "und-x-icu"))) end`;

/** SQL of the order of the members. */
export const inOrder = `
  case member_order when 'sequential' then part when 'newest' then -seq when 'oldest' then seq end,
  case member_order when 'sequential' then place end,
  case member_order when 'sequential' then folder when 'series' then "group" end collate natural_order,
  case when member_order in ('sequential', 'series') then name end collate natural_order,
  case member_order when 'shuffle' then id end collate "C", seq`;

/**
 * SQL of the playable members of the collections $2, as `ordered`: each collection by its place in $2, and at least one
 * row for each, without an `id` if it has no member. Equal leaves are read once. In the order of $2, leaves are read
 * until they have $3 rows, those of each union counted; members have $4 places at most, and are $5 uploads at most. In
 * each collection the newest are cut off, in the order `newest` the oldest. Decision D259.
 */
export const boundedPlaces = `with recursive ${leaves},
  ${readSources(
    'show_seconds',
    [
      ['ids', 'text', 'id'],
      ['seqs', 'bigint', 'seq'],
      ['places', 'bigint', 'place'],
      ['playable', 'boolean', 'is_playable'],
    ],
    'total < $3',
  )},
  uses as (
    select leaves.collection_id, collection_place, member_order, group_by, part, ids, seqs, places, playable,
      coalesce(sum(rows) over (order by collection_place, part) - rows < $3, false) as is_used
    from leaves join sources using (kind, is_newest, source) left join read using (number)),
  matching as (
    select distinct on (collection_id, seq) collection_id, collection_place, member_order, group_by, part, one.*
    from uses cross join lateral unnest(ids, seqs, places, playable) as one (id, seq, place, is_playable)
    where is_used and seq is not null
    order by collection_id, seq, part, place),
  ${membersOfMatching},
  counted as materialized (
    select *, turn <= $4 and min(uploads) over (partition by seq) <= $5 as is_kept from (
      select *, count(*) filter (where is_first) over (order by turn rows unbounded preceding) as uploads from (
        select *, turn = min(turn) over (partition by seq) as is_first from (
          select collection_id, collection_place, member_order, group_by, part, place, id, seq, row_number() over (
            order by collection_place, case member_order when 'newest' then -seq else seq end) as turn
          from members where is_playable) playable) first) summed),
  cut as (
    select collection_place from uses where not is_used
    union select collection_place from counted where not is_kept),
  placed as (
    select counted.*, name, upload_titles(file_tags, given_titles) as titles, tags, folder
    from counted cross join lateral (
      select name, file_tags, given_titles, tags, folder from uploads where uploads.id = counted.id offset 0) upload
    where is_kept),
  ordered as (
    select number as collection_place, number in (select collection_place from cut) as is_cut, placed.id, "group",
      row_number() over (partition by number order by ${inOrder}) as member_place
    from unnest($2::text[]) with ordinality as asked (collection_id, number)
      left join (select *, ${group} as "group" from placed) placed using (collection_id))`;
