// What has to be prepared before a stream of the manifest backend can play it: who asks for it, and who goes on once it is there.
import type { Pool } from 'pg';
import { inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { UploadPreparation } from '../data/renditions.ts';
import { formatOfRun } from '../data/streams.ts';
import type { Stream } from '../data/streams.ts';
import type { Timelines, Track } from '../data/timelines.ts';
import { formatName } from '../domain/rendition.ts';
import type { PictureFormat, RenditionFormat } from '../domain/rendition.ts';
import type { VideoCodec } from '../domain/video-format.ts';
import { launchStream } from './launch-stream.ts';

/** The failure of a rendition that was our fault, and is tried again when it is asked for again. */
export const notPrepared = {
  code: 'not_prepared',
  detail: 'We could not prepare this file, by no fault of yours. Start the stream again.',
};

/** The same, of a codec that no encoder is there for. */
export function notEncodable(videoCodec: VideoCodec): typeof notPrepared {
  return {
    ...notPrepared,
    detail: `This installation has no encoder for ${videoCodec}. Set videoCodec to h264, or ask those who run it for an ffmpeg that has one.`,
  };
}

/** `failed`: nothing of the track can be played. `ready`: everything that can be prepared is. */
export type Preparation = 'preparing' | 'ready' | 'failed';

/**
 * Says how far the uploads of a track are, and has those prepared that nobody has asked for yet.
 * In a transaction: whoever finishes one of them meanwhile sees who waits for it.
 * @param retries whether what failed by our fault is tried again: only when a user asks, or it would be tried for ever
 */
export async function requestPreparation(
  data: Database,
  track: Track,
  uploadIDs: readonly string[],
  format: PictureFormat,
  { retries }: { readonly retries: boolean },
): Promise<Preparation> {
  const name = formatName(track === 'audio' ? 'sound' : format);
  const ids = [...new Set(uploadIDs)].sort();
  await ask(data, name, await data.renditions.ofUploads(ids, name), { retries });
  const states = (await data.renditions.ofUploads(ids, name)).map(({ state }) => state);
  if (states.some((state) => state === null || state === 'preparing')) return 'preparing';
  return states.includes('ready') ? 'ready' : 'failed';
}

/**
 * Has the playlists prepared that are to be kept so for a stream, so that a start need not wait; the caller's transaction has changed it,
 * one of them, or what is known of an upload in one. Drafts as well as what is live: a start plays the draft.
 */
export async function keepPrepared(
  data: Database,
  changed: 'stream' | 'playlist' | 'upload',
  id: string,
  retrying: { readonly retries: boolean },
): Promise<void> {
  const kept = await data.renditions.toKeep(changed, id);
  for (const [format, uploads] of Map.groupBy(kept, (upload) => upload.format))
    await ask(data, format, uploads, retrying);
}

/** Has those of the uploads prepared that nobody is at, each content once. */
async function ask(
  data: Database,
  format: string,
  uploads: readonly Pick<UploadPreparation, 'upload_id' | 'content_hash'>[],
  { retries }: { readonly retries: boolean },
): Promise<void> {
  const hashes = uploads.flatMap(({ content_hash: hash }) => hash ?? []);
  const asked = await data.renditions.request(hashes, format, retries ? notPrepared.code : null);
  const wanted = new Map(
    uploads.flatMap(({ upload_id: id, content_hash: hash }) =>
      hash === null || asked.has(hash) ? [[hash ?? id, id]] : [],
    ),
  );
  await data.outbox.sendAll(
    'media',
    [...wanted.values()].map((uploadID) => ({ task: 'prepare_upload', uploadID, format })),
  );
}

/** Prepares what a stream, which the caller has locked and moved to `activating`, is about to play; launches it if that is there already. */
export async function prepareAndLaunch(data: Database, stream: Stream, now: Date): Promise<void> {
  const preparation = await preparationOf(data, stream, { retries: true });
  if (preparation === 'ready') return launchStream(data, stream, now);
  const preparing = (await data.streams.move(stream, 'preparation_needed'))!;
  if (preparation === 'failed') await failPreparation(data, preparing);
}

/** Goes on with everything that waited for something of this content, as far as nothing else is missing. */
export async function settlePreparation(pool: Pool, contentHash: string): Promise<void> {
  const streamIDs = await inTransaction(pool, async (data) => {
    const waiting = await data.renditions.waitingFor(contentHash);
    for (const { id, publish_request: request } of waiting.playlists) {
      await data.outbox.send({ queue: 'media', body: { task: 'publish_playlist', playlistID: id, request } });
    }
    return waiting.streamIDs;
  });
  for (const id of streamIDs) {
    await inTransaction(pool, async (data) => {
      const stream = await data.streams.lockAny(id);
      if (stream?.state !== 'preparing') return;
      const preparation = await preparationOf(data, stream, { retries: false });
      if (preparation === 'failed') await failPreparation(data, stream);
      if (preparation === 'ready')
        await launchStream(data, (await data.streams.move(stream, 'preparation_done'))!, await data.now());
    });
  }
}

/** A track of sound that cannot be played keeps no stream from starting: the pictures' own sound plays. */
async function preparationOf(
  data: Database,
  stream: Stream,
  retrying: { readonly retries: boolean },
): Promise<Preparation> {
  const timelines = await data.timelines.ofStream(stream.id);
  const format = formatOfRun(stream);
  const request = (track: Track) => requestPreparation(data, track, uploadsOf(timelines, track), format, retrying);
  const [pictures, sound] = [await request('video'), timelines.audio.length > 0 ? await request('audio') : 'ready'];
  if (pictures !== 'ready') return pictures;
  return sound === 'preparing' ? sound : 'ready';
}

function uploadsOf(timelines: Timelines, track: Track): string[] {
  return timelines[track].flatMap(({ snapshot }) => snapshot.items.map(({ uploadID }) => uploadID));
}

async function failPreparation(data: Database, stream: Stream): Promise<void> {
  const uploadIDs = uploadsOf(await data.timelines.ofStream(stream.id), 'video');
  const remedy = await remedyFor(
    data,
    uploadIDs,
    formatOfRun(stream),
    'Replace its video, or the items of its playlist.',
  );
  await data.streams.move(stream, 'preparation_failed', {
    code: 'preparation_failed',
    detail: `Nothing that the stream plays could be prepared. ${remedy}`,
  });
  await data.dueTimes.clear(stream.id);
}

/** What helps where none of the uploads could be prepared: where all of it failed for one reason, that. @param usual else */
export async function remedyFor(
  data: Database,
  uploadIDs: readonly string[],
  format: RenditionFormat,
  usual: string,
): Promise<string> {
  const prepared = await data.renditions.ofUploads(uploadIDs, formatName(format));
  const [reason, ...others] = new Set(prepared.map(({ failure }) => failure?.detail));
  return reason !== undefined && others.length === 0 ? reason : usual;
}
