// SQL of renditions: the preparation of uploads, and the streams and playlists that wait for it.
import type { Overlays } from '../../domain/playout/overlays.ts';
import type { SoundSettings } from '../../domain/playout/sound.ts';
import type { Titles } from '../../domain/playout/titles.ts';
import { drawingIn, formatName } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import { isPlayable, isComplete, jsonOfKeptFormat, keptItems } from './format-names.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { UploadFailure } from './uploads.ts';

export const renditionStates = ['preparing', 'ready', 'failed'] as const;
export type RenditionState = (typeof renditionStates)[number];

export interface RenditionRow {
  readonly content_hash: string;
  /** The name of a format, from `formatName` of domain/playout/rendition.ts. */
  readonly format: string;
  readonly state: RenditionState;
  readonly segment_count: number;
  readonly segments_done: number;
  readonly failure: UploadFailure | null;
  /** The kind of encoder that makes all segments; null for sound, and if any kind may continue. */
  readonly encoder: string | null;
}

/** Failures with a code that are at least so old. */
export interface RetriedFailure {
  readonly code: string;
  readonly afterSeconds: number;
}

/** A content to prepare in a format. */
export interface RequestedRendition {
  readonly contentHash: string;
  readonly format: RenditionFormat;
}

/** The preparation of an upload in a format. The state is null if it was not requested. */
export interface UploadPreparation {
  readonly upload_id: string;
  readonly content_hash: string | null;
  /** The name of the format. */
  readonly format: string;
  readonly state: RenditionState | null;
  /** Null unless the preparation failed. */
  readonly failure: UploadFailure | null;
}

/** An upload that is kept prepared. */
export interface KeptUpload extends Pick<UploadPreparation, 'upload_id' | 'content_hash'> {
  readonly user_id: string;
  readonly format: RenditionFormat;
  readonly item_sound: SoundSettings | null;
  readonly stream_sound: SoundSettings | null;
  /** The overlays over its pictures; null: none. */
  readonly overlays: Overlays | null;
  readonly name: string;
  readonly titles: Titles;
  readonly captions: string | null;
}

/** The age at which an unchanged rendition counts as stalled: longer than a segment may take. */
const stalledAfter = '15 minutes';
/**
 * SQL condition: the rendition `r` needs another command: it has stalled, or failed with the code $3 at least $4
 * seconds ago. The clock is used, as the failure may be written after the start of this transaction.
 */
const needsCommand = `(r.state = 'preparing' and r.updated_at < now() - interval '${stalledAfter}'
  or r.state = 'failed' and r.failure ->> 'code' = $3
    and r.updated_at < clock_timestamp() - make_interval(secs => $4))`;

/** SQL condition, after the items of a playlist: one of them is the upload $1. */
const holdsUpload = `@> jsonb_build_array(jsonb_build_object('uploadID', $1::text))`;
/** SQL conditions on `keptItems`: the items of one stream, playlist, upload or content. $1 is its id. */
const keptBy = {
  stream: 's.id = $1',
  playlist: 's.user_id = (select user_id from playlists where id = $1) and p.id = $1',
  content: 'u.content_hash = $1 and s.user_id = u.user_id',
  upload: `u.id = $1 and s.user_id = u.user_id
    and (p.draft -> 'items' ${holdsUpload} or p.live -> 'items' ${holdsUpload})`,
} as const;

/** SQL condition: the stream `s` has a sound track, which has titles of its own. */
const hasSoundTrack = `(s.audio_upload_id is not null
  or exists (select from playlists a where a.id = any (s.playlist_ids) and a.kind = 'audio'))`;

export function renditions(db: Queryable) {
  return {
    /**
     * Requests renditions of contents in formats. It does not lock renditions that need nothing: each start of a stream
     * holds its renditions by `lockOfUploads`, and two starts that then wanted one exclusively would deadlock. For the
     * same reason, call it before `lockOfUploads`.
     * @param retried the failures after which a rendition is prepared again; null: none
     * @returns the renditions that need a command: they are new, they failed in that way, or their preparation stalled
     */
    request: async (wanted: readonly RequestedRendition[], retried: RetriedFailure | null) =>
      all<Pick<RenditionRow, 'content_hash' | 'format'>>(
        db,
        `insert into renditions as r (content_hash, format, drawing, segment_count)
           select distinct on (content_hash, format) content_hash, format, drawing, 0
           from unnest($1::text[], $2::text[], $5::text[]) as wanted (content_hash, format, drawing)
           where not exists (
             select from renditions r
             where r.content_hash = wanted.content_hash and r.format = wanted.format and ${needsCommand} is not true)
           order by content_hash, format
         on conflict (content_hash, format) do update set state = 'preparing', failure = null, updated_at = now()
           where ${needsCommand}
         returning content_hash, format`,
        [
          wanted.map(({ contentHash }) => contentHash),
          wanted.map(({ format }) => formatName(format)),
          retried?.code ?? null,
          retried?.afterSeconds ?? 0,
          wanted.map(({ format }) => drawingIn(format)),
        ],
      ),

    /**
     * Records the number of segments of a rendition before its first segment is made. It never changes.
     * @param encoder the kind of the worker's encoder, which is recorded before the first segment
     * @returns the new row
     */
    begin: async (contentHash: string, format: RenditionFormat, segmentCount: number, encoder: string | null = null) =>
      (await one<RenditionRow>(
        db,
        `insert into renditions as r (content_hash, format, segment_count, encoder, drawing) values ($1, $2, $3, $4, $5)
         on conflict (content_hash, format) do update set updated_at = now(),
           segment_count = case when r.segment_count = 0 then $3 else r.segment_count end,
           encoder = case when r.segments_done = 0 and r.state = 'preparing' then $4 else r.encoder end,
           encoder_missed_since = case when r.encoder <> $4 then r.encoder_missed_since end
         returning *`,
        [contentHash, formatName(format), segmentCount, encoder, drawingIn(format)],
      ))!,

    /**
     * Records that a segment is done, if it is the next one.
     * @returns the new row; null if it was not the next segment
     */
    finishSegment: (contentHash: string, format: string, segment: number) =>
      one<RenditionRow>(
        db,
        `update renditions
         set segments_done = $3 + 1, segments_written = greatest(segments_written, $3 + 1), updated_at = now(),
           state = case when $3 + 1 >= segment_count then 'ready' else state end
         where content_hash = $1 and format = $2 and segments_done = $3 and state = 'preparing' returning *`,
        [contentHash, format, segment],
      ),

    find: (contentHash: string, format: string) =>
      one<RenditionRow>(db, 'select * from renditions where content_hash = $1 and format = $2', [contentHash, format]),

    fail: (contentHash: string, format: RenditionFormat, failure: UploadFailure) =>
      db.query(
        `insert into renditions (content_hash, format, segment_count, state, failure, drawing)
           values ($1, $2, 0, 'failed', $3, $4)
         on conflict (content_hash, format) do update set state = 'failed', failure = $3, updated_at = now()`,
        [contentHash, formatName(format), failure, drawingIn(format)],
      ),

    /** The contents of these uploads, in no order; null: not known yet. */
    contentsOf: (uploadIDs: readonly string[]) =>
      all<Pick<UploadPreparation, 'upload_id' | 'content_hash'>>(
        db,
        'select id as upload_id, content_hash from uploads where id = any ($1)',
        [uploadIDs],
      ),

    /**
     * The preparation of these uploads in formats, in no order. No other transaction changes their renditions until
     * this one ends.
     * @param wanted `format` is the name of a format
     */
    lockOfUploads: async (wanted: readonly { readonly uploadID: string; readonly format: string }[]) => {
      if (wanted.length === 0) return [];
      const values = [wanted.map(({ uploadID }) => uploadID), wanted.map(({ format }) => format)];
      // A worker that finishes a rendition waits for this lock. Then it sees which streams wait for the rendition.
      await db.query(
        `select from renditions where (content_hash, format) in (
           select content_hash, format
           from unnest($1::text[], $2::text[]) as wanted (id, format) join uploads using (id))
         order by content_hash, format for share`,
        values,
      );
      return all<UploadPreparation>(
        db,
        `select u.id as upload_id, u.content_hash, wanted.format, r.state,
           case r.state when 'failed' then r.failure end as failure
         from unnest($1::text[], $2::text[]) as wanted (id, format) join uploads u using (id)
           left join renditions r on r.content_hash = u.content_hash and r.format = wanted.format`,
        values,
      );
    },

    /**
     * The contents of the uploads among these that are prepared in at least one of these formats, and the formats in
     * which they are prepared, by the id of the upload.
     */
    prepared: async (uploadIDs: readonly string[], wanted: readonly RenditionFormat[]) => {
      const named = new Map(wanted.map((format) => [formatName(format), format]));
      const rows = await all<{ id: string; content_hash: string; formats: string[] }>(
        db,
        `select u.id, u.content_hash, array_agg(r.format) as formats
         from uploads u join renditions r on r.content_hash = u.content_hash and r.format = any ($2)
         where u.id = any ($1) and ${isComplete} group by u.id, u.content_hash`,
        [uploadIDs, [...named.keys()]],
      );
      return {
        contentHashes: new Map(rows.map((row) => [row.id, row.content_hash])),
        formats: new Map(rows.map((row) => [row.id, row.formats.map((name) => named.get(name)!)])),
      };
    },

    /**
     * The playable uploads to keep prepared that a stream, playlist, upload or content has, one row per format and
     * setting of the sound. No other transaction changes these uploads until this one ends.
     */
    lockToKeep: async (by: keyof typeof keptBy, id: string) => {
      // This statement waits for a worker that is writing the result of a probe. A worker that writes one later waits
      // for this transaction, and then sees its requests.
      const { rowCount } = await db.query(
        `select from uploads where id in (select u.id from ${keptItems} and ${keptBy[by]}) order by id for share`,
        [id],
      );
      // A transaction that adds an upload from now on requests it itself, and finds what is committed by then.
      if (rowCount === 0) return [];
      return all<KeptUpload>(
        db,
        `select distinct u.id as upload_id, u.content_hash, s.user_id, ${jsonOfKeptFormat} as format,
           item -> 'sound' as item_sound, s.sound as stream_sound, u.name,
           upload_titles(u.file_tags, u.given_titles) as titles, u.captions ->> 'hash' as captions,
           case when p.kind = 'video' then s.look -> 'overlays' || case when ${hasSoundTrack} then '{"title": null}'
             else '{}' end::jsonb end as overlays
         from ${keptItems} and ${keptBy[by]} and ${isPlayable('p.kind')}`,
        [id],
      );
    },

    /** Ids of the streams in `preparing` with this content, and the playlists that are being published with it. */
    waitingFor: async (contentHash: string) => {
      const streams = await all<{ id: string }>(
        db,
        `select id from streams s where state = 'preparing' and exists (
           select from timeline_entries t join uploads u on u.content_hash = $1
           where t.stream_id = s.id
             and t.snapshot -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id)))
         order by id`,
        [contentHash],
      );
      const playlists = await all<{ id: string; publish_request: number }>(
        db,
        `select id, publish_request from playlists p where publish_status = 'PREPARING' and exists (
           select from uploads u where u.content_hash = $1
           and p.publishing -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id)))`,
        [contentHash],
      );
      return { streamIDs: streams.map(({ id }) => id), playlists };
    },
  };
}
