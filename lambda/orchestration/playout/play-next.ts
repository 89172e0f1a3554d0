// Plays an upload once between two items of a list on the air, which then continues. Decision D265.
import type { Database } from '../../data/database.ts';
import type { Upload } from '../../data/media/uploads.ts';
import type { Timelines, Track } from '../../data/playout/timelines.ts';
import type { Locked } from '../../data/shared/locked.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { shareOf } from '../../domain/fleet/capacity.ts';
import { lookUploads } from '../../domain/playout/look.ts';
import { orderOfLap } from '../../domain/playout/lap-order.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineSnapshot } from '../../domain/playout/play-out.ts';
import { entriesBehind, queuedFrom } from '../../domain/playout/queued-items.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import type { Use } from '../../domain/shared/limits.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { elapsedSecondsOf, runClock } from '../../domain/streams/run-clock.ts';
import { costOfStream } from '../destinations/output-targets.ts';
import { updateCosts } from '../destinations/reconcile-outputs.ts';
import { itemsInFormat, recordToPrepare } from '../media/preparation-limit.ts';
import { requestPreparation } from '../media/prepare-media.ts';
import { refreshSound, requestSound, soundsOf } from './apply-sound.ts';
import { mainTrackOf } from './on-air-rows.ts';
import { allowPreparedLooks, saveDrawingsOfList } from './prepared-looks.ts';
import { nextBoundarySeconds } from './publish-draft.ts';
import { listFrom } from './replace-upcoming-items.ts';
import { snapshotOfPlaylist } from './timeline-snapshots.ts';

export interface ItemToPlay {
  readonly itemID: string;
  /** Its row is locked. */
  readonly upload: Upload;
  readonly track: Track;
  /** From `timelinesAhead`. */
  readonly timelines: Timelines;
}

export interface PlayNextOptions {
  /** By the clock of the database. */
  readonly now: Date;
  /** The factor of the stage for all limits. */
  readonly limitFactor: number;
}

/** The start of an item, or the reason why it cannot be played yet. */
export type PlayNextResult =
  | { readonly startsAt: Date }
  | { readonly refusal: 'planned' | 'nothing_played' | 'queue_full' | 'too_costly' | 'preparing' | 'failed' }
  | { readonly limit: Use };

/** The main track of a stream with an anchor: an upload plays on it if its user names none. */
export function trackToPlayOn(timelines: Timelines, stream: Stream, now: Date): Track {
  return mainTrackOf(timelines, elapsedSecondsOf(stream.anchored_at, now), stream.planned_tracks);
}

/**
 * Plays an upload once on a track of a stream with an anchor: after the item that plays in 10 seconds, and after the
 * items that were queued before. A stream of the prepared backend requests its preparation, and plays it only once that
 * is done: a later request finds it prepared.
 */
export async function playNext(
  data: Database,
  stream: Locked<Stream>,
  item: ItemToPlay,
  options: PlayNextOptions,
): Promise<PlayNextResult> {
  const { track, timelines } = item;
  if (stream.planned_tracks?.includes(track)) return { refusal: 'planned' };
  const rate = framesPerSecond[stream.run_framerate!];
  const fromSeconds = elapsedSecondsOf(stream.anchored_at, options.now);
  const timeline = timelines[track];
  if (itemsPlayed(timeline[0]?.snapshot).length === 0) return { refusal: 'nothing_played' };
  if (queuedFrom(timeline, fromSeconds).length >= bounds.queuedItemsPerList) return { refusal: 'queue_full' };
  if (await fitsNowhere(data, stream, item)) return { refusal: 'too_costly' };
  const frame = Math.round(nextBoundarySeconds(stream, timeline, options.now) * rate);
  const list = listFrom(timeline, frame, rate);
  const queued = await snapshotOf(data, stream, item, list);
  const waits = await prepare(data, stream, { track, snapshot: queued }, options.limitFactor);
  if (waits) return waits;
  const { playlistID } = timeline.at(-1)!;
  const entries = entriesBehind(frame, [queued], { playlistID, snapshot: list }, rate);
  await data.timelines.replaceFrom(stream.id, track, frame / rate, entries);
  await updateCosts(data, stream);
  if (stream.stream_backend === 'manifest') await allowPreparedLooks(data, stream, options.now);
  await refreshSound(data, stream, { ...options, retries: 'never' });
  return { startsAt: runClock(stream.anchored_at!, rate).timeOf(frame) };
}

/**
 * Whether an encoded stream would cost more with an item than any agent has in all: then it would go off the air, and
 * wait for ever. Decision D291.
 */
async function fitsNowhere(data: Database, stream: Stream, { upload, track, timelines }: ItemToPlay): Promise<boolean> {
  const { decode_cost: decodeCost } = upload;
  if (stream.stream_backend !== 'ffmpeg' || track !== 'video' || decodeCost === null) return false;
  const sources = { hasSoundTrack: timelines.audio.length > 0, decodeCost };
  const cost = costOfStream(stream, formatOfRun(stream), sources)(null, false);
  const takers = await data.agents.takers('ffmpeg');
  return takers.length > 0 && takers.every(({ capacity }) => shareOf(cost, capacity) > 1);
}

/** The snapshot of an item, with its look, and the join and the title of the item of the list behind it. */
async function snapshotOf(
  data: Database,
  stream: Stream,
  { itemID, upload, track, timelines }: ItemToPlay,
  list: TimelineSnapshot,
): Promise<TimelineSnapshot> {
  // Between two laps, nothing is left of the lap that was begun.
  const first = orderOfLap(list, 0)[0] ?? orderOfLap(list, 1)[0]!;
  const others = await data.uploads.ofUser(stream.user_id, [first.uploadID, ...lookUploads(stream.look)]);
  const uploads = new Map([...others, upload].map((each) => [each.id, each]));
  const listed = [
    { id: itemID, uploadID: upload.id },
    { id: first.itemID, uploadID: first.uploadID },
  ];
  const spec = { mode: 'sequential', items: listed } as const;
  const hasSoundTrack = timelines.audio.length > 0;
  const snapshot = snapshotOfPlaylist(stream, track, spec, { uploads, hasSoundTrack, seed: list.seed });
  return { ...snapshot, items: itemsPlayed(snapshot).slice(0, 1), isQueued: true };
}

/** Requests the preparation of an item. @returns null once it is ready, as it always is for the encoded backend */
async function prepare(
  data: Database,
  stream: Stream,
  { track, snapshot }: { readonly track: Track; readonly snapshot: TimelineSnapshot },
  limitFactor: number,
): Promise<Exclude<PlayNextResult, { startsAt: Date }> | null> {
  if (stream.stream_backend !== 'manifest') return null;
  const items = itemsPlayed(snapshot);
  const format = formatOfRun(stream);
  const wanted = { userID: stream.user_id, wanted: itemsInFormat(items, track === 'audio' ? 'sound' : format) };
  const [reached] = await recordToPrepare(data, limitFactor, [wanted]);
  if (reached) return { limit: reached };
  await saveDrawingsOfList(data, snapshot);
  const preparation = await requestPreparation(data, { track, items, format }, { retries: 'at once' });
  await requestSound(data, stream.user_id, soundsOf(stream, items), { retries: 'at once', limitFactor });
  if (preparation === 'ready') return null;
  return { refusal: preparation === 'failed' ? 'failed' : 'preparing' };
}
