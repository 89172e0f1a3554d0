// Starts streams of the prepared backend: at once if media is prepared, else when its preparation finishes.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { Timelines, Track } from '../../data/playout/timelines.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { targetOfFormat } from '../../domain/playout/rendition.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { remedyFor, requestPreparation } from '../media/prepare-media.ts';
import type { Preparation } from '../media/prepare-media.ts';
import type { RequestOptions } from '../media/request-renditions.ts';
import { refreshJoinsOf } from '../playout/prepare-joins.ts';
import { applySoundOf } from '../playout/apply-sound.ts';
import { allowLooksAtStart, allowPreparedLooksOf } from '../playout/prepared-looks.ts';
import { launchStream } from './launch-stream.ts';
import type { Locked } from '../../data/shared/locked.ts';

/**
 * Launches a stream in `activating` if some of its items are
 * prepared: these play in place of the others until all are prepared. Otherwise the stream is `preparing` meanwhile.
 */
export async function prepareAndLaunch(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  const preparation = await preparationOf(data, stream, { retries: 'at once' });
  if (mayLaunch(preparation)) return launch(data, stream, now);
  const preparing = (await data.streamMoves.move(stream, 'preparation_needed'))!;
  if (preparation === 'failed') await failPreparation(data, preparing);
}

/**
 * Continues the streams and the publishing of drafts that waited only for a rendition of this content. Levelled sound
 * is never waited for: streams apply it at their next items.
 * @param format the format that has been prepared, or cannot be
 */
export async function finishPreparation(pool: Pool, contentHash: string, format: RenditionFormat): Promise<void> {
  if (targetOfFormat(format) !== null) return applySoundOf(pool, contentHash);
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
      const prepared = (await data.streamMoves.move(stream, 'preparation_done'))!;
      await launch(data, prepared, await data.now());
    });
  }
  await allowPreparedLooksOf(pool, contentHash, format);
  await refreshJoinsOf(pool, contentHash);
}

async function launch(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  await allowLooksAtStart(data, stream);
  await launchStream(data, stream, now);
}

/** The preparation of a stream. If its sound track cannot be played, it starts with the pictures' own sound. */
async function preparationOf(
  data: Database,
  stream: Stream,
  retrying: Pick<RequestOptions, 'retries'>,
): Promise<Preparation> {
  const timelines = await data.timelines.ofStream(stream.id);
  const format = formatOfRun(stream);
  const request = (track: Track) => requestPreparation(data, track, itemsOf(timelines, track), format, retrying);
  const framed = await request('video');
  // Until the items are prepared in their look, they are sent without it.
  const pictures =
    framed === 'preparing' && (await isBasePrepared(data, itemsOf(timelines, 'video'), format)) ? 'begun' : framed;
  const sound = timelines.audio.length > 0 ? await request('audio') : 'ready';
  if (!mayLaunch(pictures)) return pictures;
  return sound === 'preparing' ? sound : 'ready';
}

function mayLaunch(preparation: Preparation): boolean {
  return preparation === 'ready' || preparation === 'begun';
}

/** Whether any item with a look is prepared without it: with black bars and without drawings. */
async function isBasePrepared(data: Database, items: readonly TimelineItem[], format: PictureFormat): Promise<boolean> {
  const ids = items.flatMap(({ uploadID, framing, drawn }) => ((framing ?? drawn) ? [uploadID] : []));
  return ids.length > 0 && (await data.renditions.prepared(ids, [format])).formats.size > 0;
}

function itemsOf(timelines: Timelines, track: Track): TimelineItem[] {
  return timelines[track].flatMap(({ snapshot }) => itemsPlayed(snapshot));
}

async function failPreparation(data: Database, stream: Locked<Stream>): Promise<void> {
  const items = itemsOf(await data.timelines.ofStream(stream.id), 'video');
  const usual = 'Replace its video, or the items of its playlist.';
  const remedy = await remedyFor(data, items, formatOfRun(stream), usual);
  await data.streamMoves.move(stream, 'preparation_failed', {
    code: 'preparation_failed',
    detail: `Nothing that the stream plays could be prepared. ${remedy}`,
  });
  await data.dueTimes.clear([stream.id]);
}
