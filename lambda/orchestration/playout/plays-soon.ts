// Whether a programme on the air plays an upload soon: later, it is planned again without an upload that was deleted.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed, occurrencesFrom } from '../../domain/playout/play-out.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';

/** The time after which a deletion is in the plan, and no publisher has read the upload ahead. */
const soonSeconds = 60;

export async function playsSoon(data: Database, stream: Stream, uploadID: string, now: Date): Promise<boolean> {
  const elapsedSeconds = Math.max(0, elapsedSecondsOf(stream.anchored_at, now));
  const time = { fromSeconds: elapsedSeconds, toSeconds: elapsedSeconds + soonSeconds };
  const timelines = await data.timelines.ofStream(stream.id, time);
  const rate = framesPerSecond[stream.run_framerate!];
  return (stream.planned_tracks ?? []).some((track) => {
    const timeline = timelines[track];
    if (itemsPlayed(timeline[0]?.snapshot).length === 0) return false;
    for (const { item, startFrame } of occurrencesFrom(timeline, Math.floor(elapsedSeconds * rate), rate)) {
      if (startFrame >= time.toSeconds * rate) return false;
      if (item.uploadID === uploadID) return true;
    }
    return false;
  });
}
