// SQL of uploads and the facts that probes found.
import type { FindingKind } from '../../domain/media/findings.ts';
import type { SourceReading } from '../../domain/shared/source-reading.ts';
import type { ContentFacts } from '../../domain/playout/rendition.ts';
import type { FileTags, Titles } from '../../domain/playout/titles.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { externalSource } from './external-source.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Locked } from '../shared/locked.ts';
import type { Availability } from '../../domain/media/availability.ts';
import type { importStates, probeStates, UploadType } from '../../domain/media/upload-words.ts';

export interface UploadFailure {
  readonly code: string;
  readonly detail: string;
}

/** The source of an imported upload and the progress of the import, in the form of the API. */
export interface ExternalSource {
  readonly url: string;
  readonly state: (typeof importStates)[number];
  readonly bytesReceived: number;
  readonly failure: UploadFailure | null;
  /** The watched source that lists it; null: it was imported by its link. */
  readonly sourceID: string | null;
  /** The time, in ISO 8601, when the source no longer listed it; null: it lists it. */
  readonly removedAt: string | null;
}

export interface Upload {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly name: string;
  /** A path, as in domain/shared/folder-path.ts; empty outside all folders. */
  readonly folder: string;
  readonly tags: readonly string[];
  /** The titles that viewers see. */
  readonly titles: Titles;
  /** The titles that its user has given; an empty text: none. */
  readonly given_titles: Titles;
  /** The tags of its file; null: not read. */
  readonly file_tags: FileTags | null;
  /** The image that is its artwork, in place of that in the file; null: none. */
  readonly artwork_upload_id: string | null;
  /** Its file of captions, with the number of captions and its length in UTF-8; null: none. */
  readonly captions: { readonly hash: string; readonly count: number; readonly bytes: number } | null;
  /** The content hash of the artwork. */
  readonly artwork_content_hash: string | null;
  readonly mime_type: string;
  readonly type: UploadType;
  readonly object_key: string;
  readonly declared_size_bytes: number | null;
  /** The most bytes that may still arrive; they count towards limits. */
  readonly expected_bytes: number;
  readonly size_bytes: number | null;
  readonly uploaded: boolean;
  readonly probe_state: (typeof probeStates)[number];
  readonly failure: UploadFailure | null;
  readonly duration_seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly framerate: number | null;
  readonly video_codec: string | null;
  readonly audio_codec: string | null;
  readonly dynamic_range: DynamicRange;
  /** How the file is read; null: the usual way, or not examined. */
  readonly reading: SourceReading | null;
  /** From `decodeCost` of domain/media/source-limits.ts; null without moving pictures, and while unknown. */
  readonly decode_cost: number | null;
  /** From `contentHashOf` of domain/playout/rendition.ts: begins with the SHA-256 of the bytes; null until probed. */
  readonly content_hash: string | null;
  /** The kinds of findings in its content, each once. The findings are in `inspections`. */
  readonly finding_kinds: readonly FindingKind[];
  readonly created_at: Date;
  /** Null for uploads that were not imported. */
  readonly external_source: ExternalSource | null;
  /** Whether it is sent in parts and not complete yet. */
  readonly is_multipart: boolean;
  /** The upload whose file it is a part of; null: it has a file of its own. */
  readonly clip_of: string | null;
  /** Seconds for which programmes and playlists show an image; null: as long as usual. */
  readonly show_seconds: number | null;
  /** The times at which programmes may begin it; null: any time. */
  readonly availability: Availability | null;
  /** The order of an advertiser that its playings are reported to, and the name of that advertiser; null: none. */
  readonly order_reference: string | null;
  readonly advertiser: string | null;
}

export type ProbedFacts = Pick<
  Upload,
  'duration_seconds' | 'width' | 'height' | 'framerate' | 'video_codec' | 'audio_codec' | 'dynamic_range'
> &
  Partial<Pick<Upload, 'decode_cost' | 'file_tags' | 'reading'>>;

/** The columns that users may change at any time. */
export type ArrangedUpload = Pick<
  Upload,
  | 'name'
  | 'folder'
  | 'tags'
  | 'given_titles'
  | 'artwork_upload_id'
  | 'captions'
  | 'show_seconds'
  | 'availability'
  | 'order_reference'
  | 'advertiser'
>;

/** The facts that the probe of an upload found. The type that its user declared does not matter. */
export function contentFacts(
  upload: Pick<Upload, 'duration_seconds' | 'video_codec' | 'audio_codec' | 'dynamic_range'> &
    Partial<Pick<Upload, 'reading'>>,
): ContentFacts {
  const moving = upload.video_codec === null ? 'audio' : 'video';
  return {
    kind: upload.duration_seconds === null ? 'image' : moving,
    durationSeconds: upload.duration_seconds,
    hasAudio: upload.audio_codec !== null,
    dynamicRange: upload.dynamic_range,
    ...(upload.reading && { reading: upload.reading }),
  };
}

export interface NewUpload {
  readonly id: string;
  readonly userID: string;
  readonly name: string;
  /** Absent: outside all folders. */
  readonly folder?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly mimeType: string;
  readonly type: UploadType;
  readonly objectKey: string;
  readonly declaredSizeBytes: number | null;
  /** The most bytes that may arrive; they count towards limits until the upload is complete. */
  readonly expectedBytes: number;
}

/** A part of another upload of the same user, whose file, type and titles it has. */
export interface NewClip extends Pick<Upload, 'id' | 'name' | 'folder' | 'tags' | 'captions'> {
  readonly wholeID: string;
}

/** All columns but `terms`, which only searches read. */
const ownColumns = [
  'id, seq, user_id, name, folder, tags, mime_type, type, object_key, declared_size_bytes, expected_bytes, size_bytes',
  'uploaded, probe_state, failure, duration_seconds, width, height, framerate, video_codec, audio_codec, captions',
  'dynamic_range, reading, decode_cost, content_hash, finding_kinds, created_at, file_tags, given_titles',
  'artwork_upload_id, clip_of, show_seconds, availability, order_reference, advertiser',
].join(', ');

/** SQL of the columns of an Upload. */
export const uploadColumns = `${ownColumns}, ${externalSource} as external_source,
  upload_titles(file_tags, given_titles) as titles,
  (select content_hash from uploads as artwork where artwork.id = uploads.artwork_upload_id) as artwork_content_hash,
  (select true from multiparts where upload_id = uploads.id) is not null as is_multipart`;

export function uploads(db: Queryable) {
  return {
    insert: async (upload: NewUpload) =>
      (await one<Locked<Upload>>(
        db,
        `insert into uploads (
           id, user_id, name, mime_type, type, object_key, declared_size_bytes, expected_bytes, folder, tags)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${uploadColumns}`,
        [
          upload.id,
          upload.userID,
          upload.name,
          upload.mimeType,
          upload.type,
          upload.objectKey,
          upload.declaredSizeBytes,
          upload.expectedBytes,
          upload.folder ?? '',
          upload.tags ?? [],
        ],
      ))!,

    /** A clip of a clip names the upload that has the file. */
    insertClip: async ({ id, wholeID, name, folder, tags, captions }: NewClip) =>
      (await one<Locked<Upload>>(
        db,
        `insert into uploads (
           id, user_id, name, folder, tags, captions, mime_type, type, object_key, uploaded, given_titles,
           artwork_upload_id, clip_of)
         select $1, user_id, $3, $4, $5, $6, mime_type, type, object_key, true, given_titles,
           artwork_upload_id, coalesce(clip_of, id)
         from uploads where id = $2 returning ${uploadColumns}`,
        [id, wholeID, name, folder, tags, captions],
      ))!,

    find: (userID: string, id: string) =>
      one<Upload>(db, `select ${uploadColumns} from uploads where id = $1 and user_id = $2`, [id, userID]),

    lock: (userID: string, id: string) =>
      one<Locked<Upload>>(db, `select ${uploadColumns} from uploads where id = $1 and user_id = $2 for update`, [
        id,
        userID,
      ]),

    /** This user's uploads among these, by id, locked. */
    lockMany: async (userID: string, ids: readonly string[]) => {
      const found = await all<Upload>(
        db,
        `select ${uploadColumns} from uploads where user_id = $1 and id = any ($2) order by id for update`,
        [userID, ids],
      );
      return new Map(found.map((upload) => [upload.id, upload]));
    },

    /** The upload of any user, locked. */
    lockAny: (id: string) =>
      one<Locked<Upload>>(db, `select ${uploadColumns} from uploads where id = $1 for update`, [id]),

    /** The upload of any user: for the worker that probes it. */
    findAny: (id: string) => one<Upload>(db, `select ${uploadColumns} from uploads where id = $1`, [id]),

    /** The clips of an upload whose contents have no names yet. */
    unnamedClipsOf: (id: string) =>
      all<Upload>(db, `select ${uploadColumns} from uploads where clip_of = $1 and content_hash is null`, [id]),

    /** One of all users' uploads that have this content and can be played. */
    anyWithContent: (contentHash: string) =>
      one<Upload>(
        db,
        `select ${uploadColumns} from uploads
         where content_hash = $1 and probe_state = 'completed' order by id limit 1`,
        [contentHash],
      ),

    /** This user's uploads among these, in no order. */
    ofUser: (userID: string, ids: readonly string[]) =>
      all<Upload>(db, `select ${uploadColumns} from uploads where user_id = $1 and id = any ($2)`, [userID, ids]),

    /** These users' uploads among these, in no order, which no other transaction deletes until this one ends. */
    lockManyForUse: (userIDs: readonly string[], ids: readonly string[]) =>
      all<Upload>(db, `select ${uploadColumns} from uploads where user_id = any ($1) and id = any ($2) for key share`, [
        userIDs,
        ids,
      ]),

    /**
     * This user's uploads among these, by id, which no other transaction changes until this one ends. It waits for one
     * that is writing the result of a probe.
     */
    lockManyForRead: (userID: string, ids: readonly string[]) =>
      all<Upload>(
        db,
        `select ${uploadColumns} from uploads where user_id = $1 and id = any ($2) order by id for share`,
        [userID, ids],
      ),

    /** These uploads of all users, by id, to show the playlists that hold them. */
    byID: async (ids: readonly string[]) => {
      const found = await all<Upload>(db, `select ${uploadColumns} from uploads where id = any ($1)`, [ids]);
      return new Map(found.map((upload) => [upload.id, upload]));
    },

    /** Changes the columns of an upload that its user arranges. */
    arrange: async (id: string, upload: ArrangedUpload) =>
      (await one<Locked<Upload>>(
        db,
        `update uploads set name = $2, folder = $3, tags = $4, given_titles = $5, artwork_upload_id = $6,
           captions = $7, show_seconds = $8, availability = $9, order_reference = $10, advertiser = $11
         where id = $1 returning ${uploadColumns}`,
        [
          id,
          upload.name,
          upload.folder,
          upload.tags,
          upload.given_titles,
          upload.artwork_upload_id,
          upload.captions,
          upload.show_seconds,
          upload.availability,
          upload.order_reference,
          upload.advertiser,
        ],
      ))!,

    /** Changes the names, folders and tags of uploads. */
    arrangeMany: (uploads: readonly Pick<Upload, 'id' | 'name' | 'folder' | 'tags'>[]) =>
      db.query(
        `update uploads set name = arranged.name, folder = arranged.folder, tags = arranged.tags
         from jsonb_to_recordset($1) as arranged (id text, name text, folder text, tags text[])
         where uploads.id = arranged.id`,
        [JSON.stringify(uploads.map(({ id, name, folder, tags }) => ({ id, name, folder, tags })))],
      ),

    /** Records that the object is stored, and discards the result of an earlier probe. */
    markUploaded: async (id: string, sizeBytes: number) =>
      (await one<Locked<Upload>>(
        db,
        `update uploads set uploaded = true, size_bytes = $2, probe_state = 'pending', failure = null
         where id = $1 returning ${uploadColumns}`,
        [id, sizeBytes],
      ))!,

    /** Records the facts that the source of an import reports. A name that its user has given stays. */
    describe: (
      id: string,
      reported: { name: string; mimeType: string; type: UploadType; sizeBytes: number | null; expectedBytes: number },
    ) =>
      db.query(
        `update uploads
         set name = case when (select named from imports where upload_id = $1) then name else $2 end,
           mime_type = $3, type = $4, declared_size_bytes = $5, expected_bytes = $6
         where id = $1`,
        [id, reported.name, reported.mimeType, reported.type, reported.sizeBytes, reported.expectedBytes],
      ),

    /** Records the type of the content, in place of the one that its user or its source reported. */
    recordContent: (id: string, mimeType: string, type: UploadType) =>
      db.query('update uploads set mime_type = $2, type = $3 where id = $1', [id, mimeType, type]),

    recordFacts: (id: string, facts: ProbedFacts) =>
      db.query(
        `update uploads
         set probe_state = 'completed', failure = null, duration_seconds = $2, width = $3, height = $4,
           framerate = $5, video_codec = $6, audio_codec = $7, dynamic_range = $8, decode_cost = $9, file_tags = $10,
           reading = $11
         where id = $1`,
        [
          id,
          facts.duration_seconds,
          facts.width,
          facts.height,
          facts.framerate,
          facts.video_codec,
          facts.audio_codec,
          facts.dynamic_range,
          facts.decode_cost ?? null,
          facts.file_tags ?? null,
          facts.reading ?? null,
        ],
      ),

    /** @returns whether it has clips whose contents have no names yet */
    recordContentHash: async (id: string, contentHash: string): Promise<boolean> => {
      const updated = await one<{ has_clips: boolean }>(
        db,
        `update uploads set content_hash = $2 where id = $1 returning exists (
           select from uploads clip where clip.clip_of = uploads.id and clip.content_hash is null) as has_clips`,
        [id, contentHash],
      );
      return updated?.has_clips ?? false;
    },

    recordFailure: (id: string, failure: UploadFailure) =>
      db.query(`update uploads set probe_state = 'failed', failure = $2 where id = $1`, [id, failure]),

    /**
     * Deletes the upload with its import and its parts.
     * @returns the id of its multipart upload at the object store, if any; null if there is no such upload
     */
    delete: (id: string) =>
      one<{ multipart_id: string | null }>(
        db,
        `delete from uploads where id = $1
         returning coalesce(
           (select multipart_id from imports where upload_id = uploads.id),
           (select multipart_id from multiparts where upload_id = uploads.id)) as multipart_id`,
        [id],
      ),
  };
}
