// Loads the timelines of a prepared stream, with the renditions and joins that exist.
import type { Database } from '../../data/database.ts';
import type { Recent, RunTime, Track } from '../../data/playout/timelines.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import { slateFormat } from '../../domain/live/slate.ts';
import type { TakeoverInterval } from '../../domain/live/takeover-intervals.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import { mixesSoundUnder } from '../../domain/playout/mixed-sound.ts';
import { stillSeconds, uploadsByFormat } from '../../domain/playout/rendition.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { hasJoins } from '../../domain/playout/item-joins.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { showsSoundTitles } from '../../domain/playout/sound-titles.ts';
import type { SlateMedia } from './slate-playing.ts';
import type { PreparedTimeline } from './track-reader.ts';

/** Both tracks of a stream's run. */
export type PreparedTimelines = Readonly<Record<Track, PreparedTimeline>>;

/**
 * Loads the timelines of a stream's run.
 * @param format the format of its pictures, without framing and drawing
 * @param time the part of the run: a publisher needs the recent one
 */
export async function loadPreparedTimelines(
  data: Pick<Database, 'timelines' | 'joins' | 'looks' | 'renditions' | 'takeovers' | 'slates'>,
  streamID: string,
  format: PictureFormat,
  time: RunTime | Recent = 'recent',
): Promise<PreparedTimelines> {
  const { video, audio } = await data.timelines.ofStream(streamID, time);
  const isTitled = showsSoundTitles(video);
  const isMixed = mixesSoundUnder(video, audio);
  const rate = framesPerSecond[format.framerate];
  const hasAny = isTitled || isMixed || hasJoins(video, rate) || hasJoins(audio, rate);
  const joins = hasAny ? await data.joins.ofRun(streamID) : new Map<string, number>();
  const isDrawnOver = video.some(({ snapshot }) => snapshot.overlays);
  const looks = isDrawnOver ? await data.looks.ofRun(streamID) : new Map<string, number>();
  const pictures = { ...(await withPrepared(data, video, format)), joins, looks, ...(isTitled && { heard: audio }) };
  const under = isMixed && { under: { pictures, format } };
  const takeovers = await data.takeovers.intervalsOf(streamID);
  const slates = await slatesOf(data, streamID, takeovers, format);
  const taken = takeovers.length > 0 && { takeovers, pictureEntries: video, slates };
  return {
    video: { ...pictures, ...taken },
    audio: { ...(await withPrepared(data, audio, 'sound')), joins, ...under, ...taken },
  };
}

/** The prepared slates of takeovers, by upload. */
async function slatesOf(
  { slates }: Pick<Database, 'slates'>,
  streamID: string,
  takeovers: readonly TakeoverInterval[],
  format: PictureFormat,
): Promise<ReadonlyMap<string, SlateMedia>> {
  const uploadIDs = [...new Set(takeovers.flatMap(({ slate }) => slate?.uploadID ?? []))];
  const prepared = uploadIDs.length === 0 ? [] : await slates.prepared(streamID, uploadIDs, slateFormat(format));
  return new Map(
    prepared.map((upload) => {
      const { id: uploadID, name, object_key: objectKey, content_hash: contentHash } = upload;
      const { durationSeconds, ...facts } = contentFacts(upload);
      const item = {
        itemID: uploadID,
        uploadID,
        name,
        objectKey,
        ...facts,
        durationSeconds: durationSeconds ?? stillSeconds,
      };
      return [uploadID, { item, contentHash }];
    }),
  );
}

async function withPrepared(
  { renditions }: Pick<Database, 'renditions'>,
  entries: readonly TimelineEntry[],
  wanted: RenditionFormat,
): Promise<PreparedTimeline> {
  const items = entries.flatMap(({ snapshot }) => itemsPlayed(snapshot));
  const formats = [wanted, ...uploadsByFormat(items, wanted).map(({ format }) => format)];
  const uploadIDs = items.map(({ uploadID }) => uploadID);
  return { entries, ...(await renditions.prepared(uploadIDs, formats)) };
}
