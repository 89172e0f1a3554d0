// The bare server of the bench of the API: uploads behind hono and pg, by SQL that is written by hand for its answers.
// It finds the key, counts the request, and answers as the REST surface does: every field of an upload, the page, the
// quota. It leaves out the catalogue, its scopes and its contract, which holds answers to their schemas; checks of
// input, holds and limits, so that an insert needs no transaction; problems; sessions, tokens, Idempotency-Keys, sealed
// cursors, and measures.
import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import type { Pool } from 'pg';
import { newID } from '../../lambda/data/shared/new-id.ts';
import type { ObjectStore } from '../../lambda/ports/object-store/object-store.ts';

type Pictures = Readonly<Partial<Record<'hasThumbnail' | 'hasStoryboard' | 'hasArtwork', boolean>>>;
type Titles = Readonly<Record<string, string>>;

/** The columns of an upload that need work; the others are fields of the answer. */
interface Upload {
  readonly [field: string]: unknown;
  readonly seq: number;
  readonly durationSeconds: number | null;
  readonly fileTags: Titles | null;
  readonly givenTitles: Titles;
  readonly contentHash: string | null;
  readonly pictures: Pictures | null;
  readonly artworkHash: string | null;
  readonly artworkPictures: Pictures | null;
  readonly externalSource: object | null;
  readonly playlists: number;
  readonly managedSettings: number;
  readonly streams: number;
  readonly clips: number;
}

const requestsPerMinute = 1_000_000;

const ownerOfKey = `
  select k.id, k.user_id, last_used_at > now() - interval '1 minute' as is_recorded
  from api_keys k join users u on u.id = k.user_id
  where k.key_sha256 = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and u.disabled_at is null`;

const countRequest = `
  insert into request_windows as w (subject, class) values ($1, $2)
  on conflict (subject, class) do update set
    requests = case when w.began_at > now() - interval '1 minute' then w.requests + 1 else 1 end,
    began_at = case when w.began_at > now() - interval '1 minute' then w.began_at else now() end
  returning requests, greatest(1, ceil(60 - extract(epoch from now() - began_at)))::int as reset_seconds`;

const ownColumns = `
  u.seq, u.id, u.name, u.folder, u.tags, u.file_tags as "fileTags", u.given_titles as "givenTitles",
  u.artwork_upload_id as "artworkUploadID", coalesce((u.captions ->> 'count')::int, 0) as "captionCount", u.type,
  u.mime_type as "mimeType", u.uploaded, coalesce(u.size_bytes, u.declared_size_bytes) as "fileSize",
  u.probe_state as "probeState", u.failure, u.duration_seconds as "durationSeconds", u.width, u.height, u.framerate,
  u.video_codec as "videoCodec", u.audio_codec as "audioCodec", u.content_hash as "contentHash",
  case when u.clip_of is not null
    then jsonb_build_object('uploadID', u.clip_of, 'fromSeconds', u.reading -> 'fromSeconds') end as "clipOf",
  u.show_seconds as "showSeconds", u.availability, u.order_reference as "orderReference", u.advertiser,
  u.created_at as "createdAt"`;

const artworkHash = '(select a.content_hash from uploads a where a.id = u.artwork_upload_id)';

/** SQL of some uploads with their facts from other tables. */
const uploadsFrom = (source: string) => `
  select ${ownColumns}, m.upload_id is not null as multipart, coalesce(i.share, 0) as "examinedShare", i.loudness,
    coalesce(i.findings, '[]') as findings, i.pictures, ${artworkHash} as "artworkHash",
    (select pictures from inspections where content_hash = ${artworkHash}) as "artworkPictures",
    case when s.upload_id is not null then jsonb_build_object(
      'url', s.url, 'state', s.state, 'bytesReceived', s.bytes_received, 'failure', s.failure, 'sourceID', s.source_id,
      'removedAt', to_char(f.removed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as "externalSource",
    (select count(*)::int from playlists p
     where p.draft -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id))
       or p.live -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id))) as playlists,
    (select count(*)::int from streams t
     where (t.video_upload_id = u.id or t.audio_upload_id = u.id or t.look #>> '{overlays,logo,uploadID}' = u.id
       or t.look #>> '{stinger,uploadID}' = u.id) and t.deleted_at is null) as streams,
    (select count(*)::int from managed_settings m where m.thumbnail_upload_id = u.id) as "managedSettings",
    (select count(*)::int from uploads c where c.clip_of = u.id) as clips
  from ${source} u
    left join multiparts m on m.upload_id = u.id
    left join inspections i on i.content_hash = u.content_hash
    left join imports s on s.upload_id = u.id
    left join source_files f on f.upload_id = u.id`;

const oneUpload = `${uploadsFrom('uploads')} where u.id = $1 and u.user_id = $2`;

/** SQL of a page before a cursor. The number of rows stands in the text, so that a plan for any values is good. */
const pageOfUploads = (condition: string, rows: number) =>
  `${uploadsFrom(
    `(select * from uploads where user_id = $1 and seq < $2 ${condition} order by seq desc limit ${rows})`,
  )} order by u.seq desc`;

const isFound = 'and terms @@ upload_query($1, $3, null, null, null, null, null)';

const insertUpload = `
  insert into uploads as u (id, user_id, name, mime_type, type, object_key, expected_bytes)
  values ($1, $2, $3, $4, split_part($4, '/', 1), $5, 5368709120)
  returning ${ownColumns}, false as multipart, 0 as "examinedShare", null as loudness, '{}'::int[] as findings,
    null as pictures, null as "artworkHash", null as "artworkPictures", null as "externalSource", 0 as playlists,
    0 as streams, 0 as "managedSettings", 0 as clips`;

/** @param pool of the local run, which prepares frequent statements */
export function createBareServer(pool: Pool, objects: ObjectStore): Hono<{ Variables: { userID: string } }> {
  const app = new Hono<{ Variables: { userID: string } }>();
  const present = presenterOf(objects);

  app.use(async (c, next) => {
    const hash = createHash('sha256')
      .update(c.req.header('x-api-key') ?? '')
      .digest();
    const [owner] = (await pool.query<{ id: string; user_id: string; is_recorded: boolean }>(ownerOfKey, [hash])).rows;
    if (!owner) return c.json({}, 401);
    if (!owner.is_recorded) await pool.query('update api_keys set last_used_at = now() where id = $1', [owner.id]);
    const { rows } = await pool.query<{ requests: number; reset_seconds: number }>(countRequest, [
      `user ${owner.user_id}`,
      c.req.method === 'GET' ? 'read' : 'write',
    ]);
    const { requests, reset_seconds: resetSeconds } = rows[0]!;
    c.header('ratelimit-limit', String(requestsPerMinute));
    c.header('ratelimit-remaining', String(Math.max(0, requestsPerMinute - requests)));
    c.header('ratelimit-reset', String(resetSeconds));
    if (requests > requestsPerMinute) return c.json({}, 429);
    c.set('userID', owner.user_id);
    return next();
  });

  app.get('/v1/uploads', async (c) => {
    const { limit = '20', cursor, q } = c.req.query();
    const count = Number(limit);
    const values = [c.get('userID'), cursor ?? Number.MAX_SAFE_INTEGER];
    const { rows } = await (q === undefined
      ? pool.query<Upload>(pageOfUploads('', count + 1), values)
      : pool.query<Upload>(pageOfUploads(isFound, count + 1), [...values, q]));
    const shown = rows.slice(0, count);
    const hasMore = shown.length < rows.length;
    const page = { hasMore, nextCursor: hasMore ? String(shown.at(-1)!.seq) : '' };
    return c.json({ data: await Promise.all(shown.map(present)), page });
  });

  app.get('/v1/uploads/:id', async (c) => {
    const { rows } = await pool.query<Upload>(oneUpload, [c.req.param('id'), c.get('userID')]);
    return rows[0] ? c.json(await present(rows[0])) : c.json({}, 404);
  });

  app.post('/v1/uploads', async (c) => {
    const { name, mimeType } = await c.req.json<{ name: string; mimeType: string }>();
    const id = newID('upl', new Date());
    const userID = c.get('userID');
    const values = [id, userID, name, mimeType, `uploads/${userID}/${id}`];
    const { rows } = await pool.query<Upload>(insertUpload, values);
    return c.json(await present(rows[0]!), 201, { location: `/v1/uploads/${id}` });
  });
  return app;
}

/** A function that makes the answer of an upload from its row. */
function presenterOf(objects: ObjectStore) {
  const urlOf = async (contentHash: string | null, name: string, isThere = false) =>
    isThere ? objects.presignGet(`renditions/v1/${contentHash}/${name}`, { expiresInSeconds: 900 }) : null;
  return async (row: Upload) => {
    const { seq: _seq, fileTags, givenTitles, contentHash, pictures, artworkHash, artworkPictures, ...shown } = row;
    const { fileSize, externalSource, playlists, streams, managedSettings, clips, ...fields } = shown;
    const titles = { ...fileTags, ...givenTitles };
    const storyboardURL = await urlOf(contentHash, 'storyboard', pictures?.hasStoryboard);
    return {
      ...fields,
      title: titles['title'] || null,
      artist: titles['artist'] || null,
      album: titles['album'] || null,
      fileSize: fileSize ?? undefined,
      thumbnailURL: await urlOf(contentHash, 'thumbnail', pictures?.hasThumbnail),
      storyboard: storyboardURL && {
        url: storyboardURL,
        columns: 10,
        rows: 1,
        intervalSeconds: (row.durationSeconds ?? 0) / 10,
      },
      artworkURL:
        (await urlOf(artworkHash, 'thumbnail', artworkPictures?.hasThumbnail)) ??
        (await urlOf(contentHash, 'artwork', pictures?.hasArtwork)),
      externalSource: externalSource ?? undefined,
      usedBy: { playlists, streams, managedSettings, clips },
    };
  };
}
