// Has media prepared that a stream of the prepared backend plays, and continues what waited for it once it is prepared.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { UploadPreparation } from '../../data/media/renditions.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Timelines, Track } from '../../data/playout/timelines.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import {
  formatName,
  formatNamed,
  targetOfFormat,
  uploadsByFormat,
  uploadsByVariant,
} from '../../domain/playout/rendition.ts';
import type { ItemFormat, PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { targetOf } from '../../domain/playout/sound.ts';
import { launchStream } from '../runs/launch-stream.ts';
import { requestRenditions, requestWithinLimit } from './request-renditions.ts';
import type { RequestOptions } from './request-renditions.ts';
import { refreshJoinsOf } from '../playout/settle-joins.ts';
import { requestSound, settleSoundOf } from '../playout/settle-sound.ts';
import { beginWithLooks, keptVariants, settleLooksOf } from '../playout/take-up-looks.ts';

/**
 * How far a track is. `begun`: something of it is prepared, and the rest is not yet. `ready`: everything that can be
 * prepared is prepared. `failed`: nothing of it can be.
 */
export type Preparation = 'preparing' | 'begun' | 'ready' | 'failed';

/**
 * Has the uploads of a track prepared that nobody has asked for yet, and says how far the track is. The caller has
 * noted them (`noteToPrepare`). It asks in the transaction that writes who waits for the answer, so that whoever
 * finishes an upload meanwhile sees the waiting one.
 */
export async function requestPreparation(
  data: Database,
  track: Track,
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: PictureFormat,
  { retries }: Pick<RequestOptions, 'retries'>,
): Promise<Preparation> {
  const wanted = uploadsByFormat(items, track === 'audio' ? 'sound' : format);
  for (const [name, ids] of wanted)
    await requestRenditions(data, name, await data.renditions.contentsOf(ids), { retries });
  // Nobody waits for what is drawn over a part.
  for (const [name, ids] of uploadsByVariant(items, track === 'audio' ? 'sound' : format))
    await requestRenditions(data, name, await data.renditions.contentsOf(ids), { retries });
  const states: UploadPreparation['state'][] = [];
  for (const [name, ids] of wanted)
    states.push(...(await data.renditions.ofUploads(ids, name)).map(({ state }) => state));
  if (states.some((state) => state === null || state === 'preparing'))
    return states.includes('ready') ? 'begun' : 'preparing';
  return states.includes('ready') ? 'ready' : 'failed';
}

/**
 * Has the playlists of streams of the prepared backend prepared before anybody starts the streams, so that a start need
 * not wait: their drafts, which a start plays, and their live snapshots. Where a user may not have so much prepared,
 * only what was asked for before is: a start says why.
 * @param changed what has changed: a stream, a playlist, or what is known of an upload or of a content
 * @param id of the stream, playlist or upload; the hash of the content
 */
export async function keepPrepared(
  data: Database,
  changed: 'stream' | 'playlist' | 'upload' | 'content',
  id: string,
  options: RequestOptions,
): Promise<void> {
  const kept = await data.renditions.toKeep(changed, id);
  for (const [userID, uploads] of Map.groupBy(kept, (upload) => upload.user_id)) {
    await requestWithinLimit(data, userID, [...uploads, ...(await keptVariants(data, uploads))], options);
    const sounds = uploads.map(({ upload_id: uploadID, item_sound: item, stream_sound: stream }) => {
      return { uploadID, targetLUFS: targetOf(item, stream) };
    });
    await requestSound(data, userID, sounds, options);
  }
}

/**
 * Launches a stream, which the caller has locked and moved to `activating`, where something of what it plays is
 * prepared: that plays in place of the rest until the rest is. Otherwise the stream is `preparing` meanwhile.
 */
export async function prepareAndLaunch(data: Database, stream: Stream, now: Date): Promise<void> {
  const preparation = await preparationOf(data, stream, { retries: 'at once' });
  if (mayLaunch(preparation)) return launch(data, stream, now);
  const preparing = (await data.streams.move(stream, 'preparation_needed'))!;
  if (preparation === 'failed') await failPreparation(data, preparing);
}

/**
 * Continues the streams and the publishing of drafts that waited for a rendition of this content, and for nothing else.
 * Sound at a loudness is waited for by nobody: streams take it up at their next items.
 * @param format the name of the format that has been prepared, or cannot be
 */
export async function settlePreparation(pool: Pool, contentHash: string, format: string): Promise<void> {
  if (targetOfFormat(formatNamed(format)) !== null) return settleSoundOf(pool, contentHash);
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
      const preparation = await preparationOf(data, stream, { retries: 'never' });
      if (preparation === 'failed') await failPreparation(data, stream);
      if (!mayLaunch(preparation)) return;
      const prepared = (await data.streams.move(stream, 'preparation_done'))!;
      await launch(data, prepared, await data.now());
    });
  }
  await settleLooksOf(pool, contentHash, format);
  await refreshJoinsOf(pool, contentHash);
}

async function launch(data: Database, stream: Stream, now: Date): Promise<void> {
  await beginWithLooks(data, stream);
  await launchStream(data, stream, now);
}

/** How far a stream is. Where its sound track cannot be played it starts all the same, with the pictures' own sound. */
async function preparationOf(
  data: Database,
  stream: Stream,
  retrying: Pick<RequestOptions, 'retries'>,
): Promise<Preparation> {
  const timelines = await data.timelines.ofStream(stream.id);
  const format = formatOfRun(stream);
  const request = (track: Track) => requestPreparation(data, track, itemsOf(timelines, track), format, retrying);
  const framed = await request('video');
  // What looks otherwise is sent until then.
  const pictures =
    framed === 'preparing' && (await isBaseThere(data, itemsOf(timelines, 'video'), format)) ? 'begun' : framed;
  const sound = timelines.audio.length > 0 ? await request('audio') : 'ready';
  if (!mayLaunch(pictures)) return pictures;
  return sound === 'preparing' ? sound : 'ready';
}

function mayLaunch(preparation: Preparation): boolean {
  return preparation === 'ready' || preparation === 'begun';
}

/** Whether any of these items is prepared with black bars and nothing over it, while it is to look otherwise. */
async function isBaseThere(data: Database, items: readonly TimelineItem[], format: PictureFormat): Promise<boolean> {
  const ids = items.flatMap(({ uploadID, framing, drawn }) => ((framing ?? drawn) ? [uploadID] : []));
  return ids.length > 0 && (await data.renditions.prepared(ids, [formatName(format)])).formats.size > 0;
}

function itemsOf(timelines: Timelines, track: Track): TimelineItem[] {
  return timelines[track].flatMap(({ snapshot }) => snapshot.items);
}

async function failPreparation(data: Database, stream: Stream): Promise<void> {
  const items = itemsOf(await data.timelines.ofStream(stream.id), 'video');
  const usual = 'Replace its video, or the items of its playlist.';
  const remedy = await remedyFor(data, items, formatOfRun(stream), usual);
  await data.streams.move(stream, 'preparation_failed', {
    code: 'preparation_failed',
    detail: `Nothing that the stream plays could be prepared. ${remedy}`,
  });
  await data.dueTimes.clear(stream.id);
}

/**
 * What a user can do where none of the items could be prepared: the detail of the
 * failure, where all failed for the same reason.
 * @param usual the advice where they failed for several reasons
 */
export async function remedyFor(
  data: Database,
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: RenditionFormat,
  usual: string,
): Promise<string> {
  const reasons = new Set<string | undefined>();
  for (const [name, ids] of uploadsByFormat(items, format))
    for (const { failure } of await data.renditions.ofUploads(ids, name)) reasons.add(failure?.detail);
  const [reason, ...others] = reasons;
  return reason !== undefined && others.length === 0 ? reason : usual;
}
