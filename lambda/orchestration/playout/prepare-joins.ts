// Prepares the joins of the next minutes of streams, and lets streams send the finished ones.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { contentsOf } from '../../domain/playout/composition-parts.ts';
import { hasJoins } from '../../domain/playout/item-joins.ts';
import { mixesSoundUnder } from '../../domain/playout/mixed-sound.ts';
import { partsWithin } from '../../domain/playout/parts-within.ts';
import { effectiveAheadSeconds, itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import { uploadsByFormat } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import { showsSoundTitles } from '../../domain/playout/sound-titles.ts';
import type { FrameStretch } from '../../domain/playout/sound-titles.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { forLiveStreams, forLiveStreamsPlaying } from '../shared/live-streams.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** How far ahead joins are prepared. With this limit, a shuffled order has few joins too. */
const aheadSeconds = 600;
/** How far back joins are prepared: parts that began this long ago may still be sent. */
const behindSeconds = 30;
/** The most items ahead: items of a second have as many joins as songs of minutes. */
const itemsAhead = 60;
/** The most unfinished joins of a stream at a time, the next ones first. */
const mostPreparing = 30;
/** The delays until the next call, in time for later joins; shorter if this call left some. */
const againAfterSeconds = 300;
const againAfterLeavingSeconds = 60;

/** Whether parts of a run are composed from several items, or drawn over by the titles of its sound. */
export function needsJoins({ video, audio }: Timelines, rate: number): boolean {
  return showsSoundTitles(video) || mixesSoundUnder(video, audio) || hasJoins(video, rate) || hasJoins(audio, rate);
}

/** Requests the joins of the next minutes of a stream, and schedules the next call. */
export async function refreshJoins(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  if (stream.stream_backend !== 'manifest' || !isLive(stream.state) || stream.state === 'stopping') return;
  const fromSeconds = elapsedSecondsOf(stream.anchored_at, now) - behindSeconds;
  const timelines = await data.timelines.ofStream(stream.id, { fromSeconds, toSeconds: Infinity });
  const { video: pictures, audio: sound } = timelines;
  const [isTitled, isMixed] = [showsSoundTitles(pictures), mixesSoundUnder(pictures, sound)];
  const format = formatOfRun(stream);
  const rate = framesPerSecond[format.framerate];
  if (!needsJoins(timelines, rate)) {
    if (stream.pending_joins === null) return;
    await data.dueTimes.set(stream.id, 'joins', null);
    return data.joins.scheduleFinished(stream.id, 0, false);
  }
  const video = { ...(await composedTrack(data, pictures, format)), ...(isTitled && { heard: sound }) };
  const under = isMixed && { under: { pictures: video, format } };
  const audio = { ...(await composedTrack(data, sound, 'sound')), ...under };
  const stretch = stretchAhead(elapsedSecondsOf(stream.anchored_at, now), rate);
  const ahead = partsWithin({ video, audio }, stretch, format, itemsAhead);
  const states = await data.joins.statesOf(ahead.map(({ name }) => name));
  const isFinished = ({ name }: { readonly name: string }) => ['ready', 'failed'].includes(states.get(name) ?? '');
  const unfinished = ahead.filter((join) => !isFinished(join));
  const preparing = new Set(unfinished.slice(0, mostPreparing));
  const wanted = ahead.filter((join) => isFinished(join) || preparing.has(join));
  const asked = await data.joins.request(
    stream.id,
    wanted.map(({ name, part }) => ({ name, part, content_hashes: contentsOf(part) })),
  );
  const uploads = [...video.contentHashes, ...audio.contentHashes];
  const uploadOf = new Map(uploads.map(([uploadID, contentHash]) => [contentHash, uploadID]));
  const commands = wanted.flatMap(({ name, part }) =>
    asked.has(name) ? [{ task: 'make_join', name, uploadID: uploadOf.get(part.rendition.contentHash)! } as const] : [],
  );
  await data.outbox.sendAll('media', commands);
  await allowFinishedJoins(data, stream, now);
  const afterSeconds = unfinished.length > mostPreparing ? againAfterLeavingSeconds : againAfterSeconds;
  await data.dueTimes.set(stream.id, 'joins', new Date(now.getTime() + afterSeconds * 1000));
}

/**
 * Requests the joins of streams that play a content which has just been prepared. Joins of unprepared items are left
 * out.
 */
export async function refreshJoinsOf(pool: Pool, contentHash: string): Promise<void> {
  await forLiveStreamsPlaying(pool, contentHash, refreshJoins);
}

/** Lets the streams that wait for a join send it. */
export async function allowFinishedJoin(pool: Pool, name: string): Promise<void> {
  const ids = await inTransaction(pool, (data) => data.joins.waitingFor(name));
  await forLiveStreams(pool, ids, allowFinishedJoins);
}

/** Lets a stream send its finished joins, so far ahead that all agents read them in time. */
async function allowFinishedJoins(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  const fromSeconds = elapsedSecondsOf(stream.anchored_at, now) + effectiveAheadSeconds;
  await data.joins.scheduleFinished(stream.id, fromSeconds, true);
}

/** A track with the contents of its prepared items. */
async function composedTrack(data: Database, entries: readonly TimelineEntry[], format: RenditionFormat) {
  const items = entries.flatMap(({ snapshot }) => itemsPlayed(snapshot));
  const uploadIDs = [...new Set(items.map(({ uploadID }) => uploadID))];
  const formats = [format, ...uploadsByFormat(items, format).map((each) => each.format)];
  return { entries, contentHashes: (await data.renditions.prepared(uploadIDs, formats)).contentHashes };
}

/** The frames of the next minutes. */
function stretchAhead(elapsedSeconds: number, rate: number): FrameStretch {
  const startFrame = Math.max(0, Math.floor((elapsedSeconds - behindSeconds) * rate));
  return { startFrame, frameCount: Math.ceil((elapsedSeconds + aheadSeconds) * rate) - startFrame };
}
