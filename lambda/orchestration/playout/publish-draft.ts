// Publishes the draft of a playlist.
// The draft at the time of the request becomes the live snapshot, which a running stream then plays.
import type { Database } from '../../data/database.ts';
import type { Playlist } from '../../data/playout/playlists.ts';
import { formatOfRun, formatOfStart } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import { lookUploads } from '../../domain/playout/look.ts';
import { boundaryAfter, effectiveAheadSeconds, itemsPlayed } from '../../domain/playout/play-out.ts';
import { following, seedAfter } from '../../domain/playout/continuation.ts';
import type { Continuation } from '../../domain/playout/continuation.ts';
import type { TimelineEntry, TimelineSnapshot } from '../../domain/playout/play-out.ts';
import { nextCopySeconds } from '../../domain/playout/list-copies.ts';
import { endOfQueue } from '../../domain/playout/queued-items.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';
import { judgeParts } from '../streams/judge-parts.ts';
import { updateCosts } from '../destinations/reconcile-outputs.ts';
import { lockWithStream } from '../shared/lock-with-stream.ts';
import { itemsInFormat, recordToPrepare } from '../media/preparation-limit.ts';
import { remedyFor, requestPreparation } from '../media/prepare-media.ts';
import { keepPrepared } from './keep-prepared.ts';
import { refreshSound, requestSound, soundsOf } from './apply-sound.ts';
import { saveDrawingsOfList, allowPreparedLooks } from './prepared-looks.ts';
import { playsSoundTrack } from '../streams/stream-parts.ts';
import { snapshotOfPlaylist } from './timeline-snapshots.ts';
import { timelinesAhead } from './timelines-ahead.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** A failure by our fault, for the user. */
const notPublished = {
  code: 'not_published',
  detail: 'We could not publish this playlist, by no fault of yours. Publish it again.',
};

/**
 * Requests that the draft of a playlist is published. The request replaces an earlier one that is not finished.
 */
export async function requestDraftPublish(
  data: Database,
  stream: Locked<Stream>,
  playlist: Playlist,
  { limitFactor, from = 'continue' }: { readonly limitFactor: number; readonly from?: Continuation },
): Promise<Playlist> {
  const publishing = await data.playlists.beginPublish(playlist.id, from);
  await data.streamParts.updateProcessingState(stream.id);
  await data.outbox.send({
    queue: 'media',
    body: { task: 'publish_playlist', playlistID: playlist.id, request: publishing.publish_request },
  });
  await keepPrepared(data, 'playlist', playlist.id, { retries: 'at once', limitFactor });
  return publishing;
}

export interface PublishOptions {
  /** By the clock of the database, as the anchor of a run is. */
  readonly now: Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** The factor of the stage for all limits. */
  readonly limitFactor: number;
}

/**
 * Finishes a request to publish a draft. Does nothing while an item is being probed or prepared: the worker that ends
 * this sends the command again. Does nothing for a request that a later one has replaced.
 */
export async function publishDraft(
  data: Database,
  playlistID: string,
  request: number,
  { now, random, limitFactor }: PublishOptions,
): Promise<void> {
  const locked = await lockForPublish(data, playlistID);
  if (!locked) return;
  const { stream, playlist } = locked;
  const { publishing } = playlist;
  if (!publishing || playlist.publish_request !== request || playlist.publish_status !== 'PREPARING') return;

  const requesting = { retries: 'never', limitFactor } as const;
  const itemIDs = publishing.items.map((item) => item.uploadID);
  const found = await data.uploads.lockManyForRead(playlist.user_id, [...itemIDs, ...lookUploads(stream.look)]);
  const awaited = found.filter(({ id }) => itemIDs.includes(id));
  if (awaited.some((upload) => upload.uploaded && upload.probe_state === 'pending')) return;

  const uploads = new Map(found.map((upload) => [upload.id, upload]));
  const seed = Math.floor(random() * 2 ** 31);
  const playlists = await data.playlists.findMany(stream.user_id, stream.playlist_ids);
  const hasSoundTrack = playsSoundTrack(stream, playlists);
  const snapshot = snapshotOfPlaylist(stream, playlist.kind, publishing, { uploads, hasSoundTrack, seed });
  if (itemsPlayed(snapshot).length === 0)
    return fail(data, locked, 'No item of the playlist can be played: look at the failure of each upload in it.');
  if (stream.stream_backend === 'manifest' && !(await isPrepared(data, locked, snapshot, limitFactor))) return;
  const { from, ...spec } = publishing;
  await data.playlists.finishPublish(playlist.id, { ...spec, publishedAt: now.toISOString() });
  await updateStream(data, stream);
  const isOnAir = isLive(stream.state) && stream.state !== 'stopping';
  const isPlayed = stream.playlist_ids.includes(playlist.id) && !stream.planned_tracks?.includes(playlist.kind);
  if (isOnAir && isPlayed) {
    await appendSnapshot(data, stream, playlist, { snapshot, from, now });
    if (stream.stream_backend === 'manifest') await allowPreparedLooks(data, stream, now);
    await refreshSound(data, stream, { now, ...requesting });
  }
}

/** Locks a playlist with its stream. Null: one of them is deleted, so there is nothing to publish. */
async function lockForPublish(data: Database, playlistID: string) {
  const { stream = null, playlist } = (await lockWithStream(data, playlistID)) ?? {};
  return stream && playlist ? { stream, playlist } : null;
}

/** Requests the preparation of a snapshot. @returns false until it is ready. A failure ends the request. */
async function isPrepared(
  data: Database,
  locked: { readonly stream: Locked<Stream>; readonly playlist: Playlist },
  snapshot: ReturnType<typeof snapshotOfPlaylist>,
  limitFactor: number,
): Promise<boolean> {
  const { stream, playlist } = locked;
  const items = itemsPlayed(snapshot);
  const requesting = { retries: 'never', limitFactor } as const;
  const format = await formatOf(data, stream);
  const ofKind = playlist.kind === 'audio' ? 'sound' : format;
  const wanted = { userID: playlist.user_id, wanted: itemsInFormat(items, ofKind) };
  const [reached] = await recordToPrepare(data, limitFactor, [wanted]);
  if (reached) {
    await fail(data, locked, wordsOf(reached), 'limit_reached');
    return false;
  }
  await saveDrawingsOfList(data, snapshot);
  const preparation = await requestPreparation(data, { track: playlist.kind, items, format }, requesting);
  await requestSound(data, playlist.user_id, soundsOf(stream, items), requesting);
  if (preparation === 'failed') {
    const remedy = await remedyFor(data, items, ofKind, 'Replace its uploads.');
    await fail(data, locked, `No item of the playlist could be prepared. ${remedy}`);
  }
  return preparation === 'ready';
}

/** Ends a request to publish a draft after a failure by our fault. */
export async function failPublishing(data: Database, playlistID: string, request: number): Promise<void> {
  const locked = await lockForPublish(data, playlistID);
  if (!locked || locked.playlist.publish_request !== request || locked.playlist.publish_status !== 'PREPARING') return;
  await data.playlists.failPublish(playlistID, notPublished);
  await updateStream(data, locked.stream);
}

async function fail(
  data: Database,
  { stream, playlist }: { readonly stream: Locked<Stream>; readonly playlist: Playlist },
  detail: string,
  code = 'playlist_not_playable',
): Promise<void> {
  await data.playlists.failPublish(playlist.id, { code, detail });
  await updateStream(data, stream);
}

/** The format of the present run, or of a start now. */
async function formatOf(data: Database, stream: Stream): Promise<PictureFormat> {
  return isLive(stream.state) ? formatOfRun(stream) : formatOfStart(stream, (await data.users.find(stream.user_id))!);
}

/** Updates the stream of a playlist after a publish. A failed publish makes an idle stream `invalid`. */
async function updateStream(data: Database, stream: Locked<Stream>): Promise<void> {
  await data.streamParts.updateProcessingState(stream.id);
  await judgeParts(data, stream);
}

interface NextSnapshot {
  readonly snapshot: TimelineSnapshot;
  /** Absent: `continue`. */
  readonly from: Continuation | undefined;
  readonly now: Date;
}

/** Appends the new snapshot to the timeline of a running stream. */
async function appendSnapshot(
  data: Database,
  stream: Locked<Stream>,
  playlist: Playlist,
  { snapshot, from, now }: NextSnapshot,
): Promise<void> {
  const track = playlist.kind;
  // A run without an anchor has sent nothing yet: it begins with the new snapshot.
  if (stream.anchored_at === null) {
    await data.timelines.append(stream.id, track, { playlistID: playlist.id, snapshot, offsetSeconds: 0 });
    return updateCosts(data, stream);
  }
  const timeline = (await timelinesAhead(data, stream, now))[track];
  await data.timelines.append(stream.id, track, nextEntry(stream, timeline, { ...playlist, snapshot, from, now }));
  await updateCosts(data, stream);
}

/** The entry that continues a run with the snapshot of a playlist, from the next boundary on. */
export function nextEntry(
  stream: Stream,
  timeline: readonly TimelineEntry[],
  { id: playlistID, snapshot, from, now }: NextSnapshot & Pick<Playlist, 'id'>,
): Omit<TimelineEntry, 'number'> {
  const fps = framesPerSecond[stream.run_framerate!];
  const offsetSeconds = nextBoundarySeconds(stream, timeline, now);
  const seed = seedAfter(timeline.at(-1)!.snapshot.seed);
  const next = following(timeline, Math.round(offsetSeconds * fps), fps, { ...snapshot, seed }, from);
  return { playlistID, offsetSeconds, snapshot: next };
}

/**
 * The next time at which a run can begin another snapshot, in seconds after its anchor: after queued items that begin
 * there, and the rest behind the last one.
 */
export function nextBoundarySeconds(stream: Stream, timeline: readonly TimelineEntry[], now: Date): number {
  const fps = framesPerSecond[stream.run_framerate!];
  const aheadSeconds = elapsedSecondsOf(stream.anchored_at, now) + effectiveAheadSeconds;
  const frame = boundaryAfter(timeline, Math.ceil(nextCopySeconds(timeline, aheadSeconds) * fps), fps);
  return endOfQueue(timeline, frame, fps) / fps;
}
