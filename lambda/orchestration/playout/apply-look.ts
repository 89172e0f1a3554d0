// Applies the look of a stream's settings to its live timeline, from the next item on: framing and overlays.
import type { Database } from '../../data/database.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import { withNext } from '../../domain/playout/drawings.ts';
import type { Use } from '../../domain/shared/limits.ts';
import { lookUploads } from '../../domain/playout/look.ts';
import type { TimelineItem, TimelineOverlays } from '../../domain/playout/play-out.ts';
import { runningIn } from '../../domain/playout/running-texts.ts';
import { soundTitlesKey } from '../../domain/playout/sound-titles.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { changeJoins } from './change-joins.ts';
import { timelinesAhead } from './timelines-ahead.ts';
import { planTrackSoon } from './plan-soon.ts';
import { replaceUpcomingItems, lastItems } from './replace-upcoming-items.ts';
import { itemsInFormat, recordToPrepare } from '../media/preparation-limit.ts';
import { requestPreparation } from '../media/prepare-media.ts';
import { keepPrepared } from './keep-prepared.ts';
import { refreshJoins } from './prepare-joins.ts';
import { saveDrawings, allowPreparedLooks } from './prepared-looks.ts';
import { captionsOf, drawnOver, overlaysOf, shownAs } from './timeline-snapshots.ts';
import type { Locked } from '../../data/shared/locked.ts';

interface LookOptions {
  /** By the clock of the database. */
  readonly now: Date;
  /** The factor of the stage for all limits. */
  readonly limitFactor: number;
}

/**
 * Applies the look of its settings to a stream, from its next item on. A programme is planned again. Does nothing
 * unless the stream is live.
 * @returns the limit of its user that this would exceed, with nothing written; null if none
 */
export async function applyLookToLiveStream(
  data: Database,
  stream: Locked<Stream>,
  options: LookOptions,
): Promise<Use | null> {
  if (!isLive(stream.state) || stream.state === 'stopping') return null;
  if (stream.planned_tracks?.includes('video')) await planTrackSoon(data, stream, 'video', options.now);
  else {
    const reached = await changeLook(data, stream, options);
    if (reached) return reached;
    await changeJoins(data, stream, 'video', options.now);
  }
  await refreshJoins(data, stream, options.now);
  return null;
}

/**
 * Applies the looks of streams whose logo or stinger is this upload, after its probe. A stream keeps its look if its
 * user would exceed a limit.
 */
export async function applyLooksWithUpload(data: Database, uploadID: string, limitFactor: number): Promise<void> {
  await applyLooks(data, await data.streamParts.withInLook(uploadID), limitFactor);
}

/** Applies the captions of an upload to the streams on the air that show it with captions. */
export async function applyCaptions(data: Database, uploadID: string, limitFactor: number): Promise<void> {
  await applyLooks(data, await data.streamParts.withCaptionsOf(uploadID), limitFactor);
}

async function applyLooks(data: Database, streamIDs: readonly string[], limitFactor: number): Promise<void> {
  for (const id of streamIDs) {
    const stream = await data.streams.lockAny(id);
    if (!stream) continue;
    await applyLookToLiveStream(data, stream, { now: await data.now(), limitFactor });
    await keepPrepared(data, 'stream', id, { retries: 'at once', limitFactor });
  }
}

/**
 * Replaces the upcoming items of a stream by ones with its look, and requests their preparation. Until they are
 * prepared, the stream sends what is prepared.
 * @returns the limit of its user that this would exceed, with nothing written; null if none
 */
async function changeLook(
  data: Database,
  stream: Locked<Stream>,
  { now, limitFactor }: LookOptions,
): Promise<Use | null> {
  const timelines = await timelinesAhead(data, stream, now);
  const timeline = timelines.video;
  const last = timeline.at(-1);
  if (!last) return null;
  const before = lastItems(timeline);
  const { items, overlays } = await shown(data, stream, timelines, before);
  if (
    items.every((item, index) => isShownAs(item, before[index]!)) &&
    soundTitlesKey(overlays) === soundTitlesKey(last.snapshot.overlays) &&
    runningIn(overlays) === runningIn(last.snapshot.overlays)
  )
    return null;
  if (stream.stream_backend === 'manifest') {
    const format = formatOfRun(stream);
    const wanted = { userID: stream.user_id, wanted: itemsInFormat(items, format) };
    const [reached] = await recordToPrepare(data, limitFactor, [wanted]);
    if (reached) return reached;
    if (overlays) await saveDrawings(data, overlays, withNext(items, last.snapshot.mode));
    await requestPreparation(data, { track: 'video', items, format }, { retries: 'at once' });
  }
  const next = { items, ...(overlays && { overlays }) };
  await replaceUpcomingItems(data, { stream, track: 'video', timeline, next, now });
  if (stream.stream_backend === 'manifest') await allowPreparedLooks(data, stream, now);
  return null;
}

/** The items with the look of their settings and of the stream. An item whose upload is gone keeps its framing. */
async function shown(
  data: Database,
  stream: Stream,
  { video, audio }: Timelines,
  items: readonly TimelineItem[],
): Promise<{ readonly items: TimelineItem[]; readonly overlays: TimelineOverlays | null }> {
  const { playlistID, snapshot } = video.at(-1)!;
  const wanted = new Set([...items.map(({ uploadID }) => uploadID), ...lookUploads(stream.look)]);
  const found = await data.uploads.ofUser(stream.user_id, [...wanted]);
  const uploads = new Map(found.map((upload) => [upload.id, upload]));
  const [playlist] = playlistID === null ? [] : await data.playlists.findMany(stream.user_id, [playlistID]);
  const looks = new Map(playlist?.live?.items.map(({ id, look }) => [id, look]));
  const overlays = overlaysOf(stream, uploads, audio.length > 0);
  const captioned = items.map(({ captions, ...item }) => {
    const upload = uploads.get(item.uploadID);
    return { ...item, ...(upload ? captionsOf(upload) : captions !== undefined && { captions }) };
  });
  const named = withNext(captioned, snapshot.mode);
  const shownItems = captioned.map((before, index) => {
    const { framing, drawn: _drawn, variants: _variants, ...item } = before;
    const upload = uploads.get(item.uploadID);
    if (upload) return { ...item, ...shownAs(stream, overlays, upload, named[index]!, looks.get(item.itemID)) };
    return { ...item, ...(framing && { framing }), ...drawnOver(overlays, named[index]!) };
  });
  return { items: shownItems, overlays };
}

function isShownAs(one: TimelineItem, other: TimelineItem): boolean {
  const variants = ({ variants: names = [] }: TimelineItem) => names.join(' ');
  return one.framing === other.framing && one.drawn === other.drawn && variants(one) === variants(other);
}
