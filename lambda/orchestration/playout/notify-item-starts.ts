// Notifies webhooks of the items of a stream that have begun, and schedules the next start.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { nameOfItem, titlesOfItem } from '../../domain/playout/item-title.ts';
import { itemsPlayed, occurrencesFrom, rowKindOf } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence } from '../../domain/playout/play-out.ts';
import { elapsedSecondsOf, runClock } from '../../domain/streams/run-clock.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { mainTrackOf } from './on-air-rows.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The most notifications at once: if more items have begun, only the last ones are notified. */
const mostAtOnce = 10;
/** Items that ended longer ago than this are not notified. */
const lookBackMs = 600_000;

/**
 * Notifies webhooks of items that began since `dueAt`. Without a subscription or a run, no next start is scheduled.
 * @param now by the clock of the database
 */
export async function notifyItemStarts(data: Database, stream: Locked<Stream>, dueAt: Date, now: Date): Promise<void> {
  const { id, user_id: userID, anchored_at: anchoredAt, state } = stream;
  if ((state !== 'active' && state !== 'failing') || anchoredAt === null) return;
  if (!(await data.webhooks.isAnySubscribed(userID, 'item.started'))) return;
  const since = new Date(Math.max(dueAt.getTime(), now.getTime() - lookBackMs));
  const [fromSeconds, toSeconds] = [elapsedSecondsOf(anchoredAt, since), elapsedSecondsOf(anchoredAt, now)];
  const timelines = await data.timelines.ofStream(id, { fromSeconds, toSeconds });
  const timeline = timelines[mainTrackOf(timelines, toSeconds)];
  if (itemsPlayed(timeline[0]?.snapshot).length === 0) return;
  const rate = framesPerSecond[stream.run_framerate!];
  const { frameAt, timeOf } = runClock(anchoredAt, rate);
  const begun: ItemOccurrence[] = [];
  for (const occurrence of occurrencesFrom(timeline, Math.floor(frameAt(since)), rate)) {
    const startAt = timeOf(occurrence.startFrame);
    if (startAt > now) {
      await data.dueTimes.set(id, 'item_start', startAt);
      break;
    }
    // An item that continues after a break has begun before.
    const isBegun = startAt >= dueAt && !occurrence.skippedFrames;
    if (isBegun && occurrence.planned?.kind !== 'off_air') begun.push(occurrence);
    if (begun.length > mostAtOnce) begun.shift();
  }
  const uploads = await data.runs.uploadFacts(userID, [...new Set(begun.map(({ item }) => item.uploadID))]);
  for (const occurrence of begun) {
    const { item, playlistID, startFrame, frameCount } = occurrence;
    await data.webhooks.notify(userID, 'item.started', id, {
      streamID: id,
      playlistID,
      kind: rowKindOf(occurrence),
      itemID: item.itemID,
      uploadID: item.uploadID,
      name: nameOfItem(item, uploads.get(item.uploadID)?.name, true),
      ...titlesOfItem(item, uploads.get(item.uploadID)),
      startAt: timeOf(startFrame),
      endAt: timeOf(startFrame + frameCount),
      state,
    });
  }
}
