// Starts streams of the prepared backend: at once if media is prepared, else when its preparation finishes.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import type { Timelines, Track } from '../../data/playout/timelines.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { targetOfFormat } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import { remedyFor, requestPreparations } from '../media/prepare-media.ts';
import type { Preparation } from '../media/prepare-media.ts';
import type { RequestOptions } from '../media/request-renditions.ts';
import { refreshJoinsOf } from '../playout/prepare-joins.ts';
import { applySoundOf } from '../playout/apply-sound.ts';
import type { BegunRun } from '../playout/apply-sound.ts';
import { allowLooksAtStart, allowPreparedLooksOf } from '../playout/prepared-looks.ts';
import { launchStream, launchStreams } from './launch-stream.ts';
import type { Launch } from './launch-stream.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The begin of a run, with its timelines. */
export interface PreparedLaunch extends Launch {
  readonly timelines: Timelines;
}

/**
 * Launches streams in `activating` if some of their items are prepared: these play in place of the others until all
 * are prepared. The other streams are `preparing` meanwhile.
 * @returns the new replicas
 */
export async function prepareAndLaunch(
  data: Database,
  launches: readonly PreparedLaunch[],
  now: Date,
): Promise<readonly Replica[]> {
  if (launches.length === 0) return [];
  const preparations = await preparationsOf(data, launches, { retries: 'at once' });
  const ready = launches.filter((_, index) => mayLaunch(preparations[index]!));
  const waiting = launches.filter((launch) => !ready.includes(launch));
  const preparing = await data.streamMoves.moveMany(
    waiting.map(({ stream }) => ({ stream, cause: 'preparation_needed', reason: null })),
  );
  for (const [index, { stream, timelines }] of launches.entries())
    if (preparations[index] === 'failed') await failPreparation(data, preparing.get(stream.id)!, timelines);
  for (const { stream, timelines } of ready) if (isDrawn(timelines)) await allowLooksAtStart(data, stream);
  return launchStreams(data, ready, now);
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
      const timelines = await data.timelines.ofStream(id);
      const [preparation] = await preparationsOf(data, [{ stream, timelines }], { retries: 'never' });
      if (preparation === 'failed') await failPreparation(data, stream, timelines);
      if (!mayLaunch(preparation!)) return;
      const prepared = (await data.streamMoves.move(stream, 'preparation_done'))!;
      if (isDrawn(timelines)) await allowLooksAtStart(data, prepared);
      await launchStream(data, prepared, await data.now());
    });
  }
  await allowPreparedLooksOf(pool, contentHash, format);
  await refreshJoinsOf(pool, contentHash);
}

/**
 * The preparations of streams, in their order. If the sound track of a stream cannot be played, it starts with the
 * pictures' own sound.
 */
async function preparationsOf(
  data: Database,
  runs: readonly BegunRun[],
  retrying: Pick<RequestOptions, 'retries'>,
): Promise<Preparation[]> {
  const tracks = runs.flatMap(({ stream, timelines }, index) =>
    (['video', 'audio'] as const)
      .filter((track) => track === 'video' || timelines.audio.length > 0)
      .map((track) => ({ index, track, items: itemsOf(timelines, track), format: formatOfRun(stream) })),
  );
  const found = await requestPreparations(data, tracks, retrying);
  const preparationOf = (index: number, track: Track) =>
    found[tracks.findIndex((each) => each.index === index && each.track === track)];
  const preparations: Preparation[] = [];
  for (const [index, { stream, timelines }] of runs.entries()) {
    const framed = preparationOf(index, 'video')!;
    // Until the items are prepared in their look, they are sent without it.
    const isBase = framed === 'preparing' && (await isBasePrepared(data, itemsOf(timelines, 'video'), stream));
    const pictures = isBase ? 'begun' : framed;
    const isSoundAwaited = preparationOf(index, 'audio') === 'preparing';
    preparations.push(mayLaunch(pictures) ? (isSoundAwaited ? 'preparing' : 'ready') : pictures);
  }
  return preparations;
}

/** Whether drawings are sent with the pictures of a run. */
function isDrawn({ video }: Timelines): boolean {
  return video.some(({ snapshot }) =>
    itemsPlayed(snapshot).some(({ drawn, variants }) => (drawn ?? variants) !== undefined),
  );
}

function mayLaunch(preparation: Preparation): boolean {
  return preparation === 'ready' || preparation === 'begun';
}

/** Whether any item with a look is prepared without it: with black bars and without drawings. */
async function isBasePrepared(data: Database, items: readonly TimelineItem[], stream: Stream): Promise<boolean> {
  const ids = items.flatMap(({ uploadID, framing, drawn }) => ((framing ?? drawn) ? [uploadID] : []));
  return ids.length > 0 && (await data.renditions.prepared(ids, [formatOfRun(stream)])).formats.size > 0;
}

function itemsOf(timelines: Timelines, track: Track): TimelineItem[] {
  return timelines[track].flatMap(({ snapshot }) => itemsPlayed(snapshot));
}

async function failPreparation(data: Database, stream: Locked<Stream>, timelines: Timelines): Promise<void> {
  const items = itemsOf(timelines, 'video');
  const usual = 'Replace its video, or the items of its playlist.';
  const remedy = await remedyFor(data, items, formatOfRun(stream), usual);
  await data.streamMoves.move(stream, 'preparation_failed', {
    code: 'preparation_failed',
    detail: `Nothing that the stream plays could be prepared. ${remedy}`,
  });
  await data.dueTimes.clear([stream.id]);
}
