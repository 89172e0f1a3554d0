// Has the joins prepared that streams are to send in the next minutes, and lets them send what is there.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { WantedJoin } from '../../data/playout/joins.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { contentsOfMix, hearsUnder, mixedSoundWithin } from '../../domain/playout/mixed-sound.ts';
import type { PlacedMix } from '../../domain/playout/mixed-sound.ts';
import { pictureJoinsAt } from '../../domain/playout/picture-joins.ts';
import type { PlacedPictureJoin } from '../../domain/playout/picture-joins.ts';
import type { Variant } from '../../domain/playout/drawings.ts';
import { effectiveAheadSeconds, occurrencesFrom } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry } from '../../domain/playout/play-out.ts';
import { formatName, uploadsByFormat } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import { contentsOfJoin, hasJoins, joinsAt } from '../../domain/playout/sound-joins.ts';
import type { JoinedTrack, PlacedJoin } from '../../domain/playout/sound-joins.ts';
import { tellsOfSound } from '../../domain/playout/sound-titles.ts';
import type { FrameStretch } from '../../domain/playout/sound-titles.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { titledPicturesWithin } from '../../domain/playout/titled-pictures.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { forLiveStreams, forLiveStreamsPlaying } from '../shared/live-streams.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** Joins are prepared so long ahead, so that also those of a shuffled order are few. */
const aheadSeconds = 600;
/** What began so long ago may still be sent. */
const behindSeconds = 30;
/** So many items a look goes ahead at most: items of a second have as many joins as songs of minutes. */
const itemsAhead = 60;
/** So many joins are made for a stream at a time, the next ones first, however often its sound is changed. */
const mostPreparing = 30;
/** The next look comes in time for what this one has not seen, or has left to it. */
const looksAgainAfterSeconds = 300;
const looksAfterLeavingSeconds = 60;

/** Looks at what a stream plays next. */
export async function refreshJoins(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  if (stream.stream_backend !== 'manifest' || !isLive(stream.state) || stream.state === 'stopping') return;
  const { video, audio } = await data.timelines.ofStream(stream.id);
  const [isTitled, isMixed] = [tellsOfSound(video), hearsUnder(video, audio)];
  if (!isTitled && !isMixed && !hasJoins([...video, ...audio])) {
    if (stream.pending_joins === null) return;
    await data.dueTimes.set(stream.id, 'joins', null);
    return data.joins.scheduleFinished(stream.id, 0, false);
  }
  const format = formatOfRun(stream);
  const rate = framesPerSecond[format.framerate];
  const pictures = { ...(await joinedTrack(data, video, format)), ...(isTitled && { heard: audio }) };
  const sound = { ...(await joinedTrack(data, audio, 'sound')), ...(isMixed && { under: { pictures, format } }) };
  const tracks = { video: pictures, audio: sound };
  const elapsedSeconds = elapsedSecondsOf(stream, now);
  const stretch = stretchAhead(elapsedSeconds, rate);
  const ahead = [
    ...joinsAhead(tracks.audio, stretch, rate, (occurrence) => joinsAt(tracks.audio, occurrence, rate)),
    ...joinsAhead(tracks.video, stretch, rate, (occurrence) => pictureJoinsAt(tracks.video, occurrence, format)),
    ...(isTitled ? titledPicturesWithin(pictures, stretch, format).map(wantedOf) : []),
    ...(isMixed ? mixedSoundWithin(sound, stretch, rate).map(wantedOf) : []),
  ].toSorted((one, other) => one.startFrame - other.startFrame);
  const states = await data.joins.statesOf(ahead.map(({ name }) => name));
  let preparing = 0;
  const wanted = ahead.filter(
    ({ name }) => ['ready', 'failed'].includes(states.get(name) ?? '') || preparing++ < mostPreparing,
  );
  const drawings = wanted.flatMap((each) => each.drawings);
  if (drawings.length > 0) await data.looks.saveDrawings(drawings);
  const asked = await data.joins.request(
    stream.id,
    wanted.map(({ name, recipe, content_hashes }) => ({ name, recipe, content_hashes })),
  );
  const uploads = [...tracks.video.contentHashes, ...tracks.audio.contentHashes];
  const uploadOf = new Map(uploads.map(([uploadID, contentHash]) => [contentHash, uploadID]));
  const commands = wanted.flatMap(({ name, recipe: { item } }) =>
    asked.has(name) ? [{ task: 'make_join', name, uploadID: uploadOf.get(item.contentHash)! } as const] : [],
  );
  await data.outbox.sendAll('media', commands);
  await takeUpJoins(data, stream, now);
  const afterSeconds = preparing > mostPreparing ? looksAfterLeavingSeconds : looksAgainAfterSeconds;
  await data.dueTimes.set(stream.id, 'joins', new Date(now.getTime() + afterSeconds * 1000));
}

/**
 * The streams that play a content have joins of it made, now that it is prepared: those of an item that is not are left
 * out.
 */
export async function refreshJoinsOf(pool: Pool, contentHash: string): Promise<void> {
  await forLiveStreamsPlaying(pool, contentHash, refreshJoins);
}

/** The streams that wait for a join send it from now on. */
export async function settleJoin(pool: Pool, name: string): Promise<void> {
  const ids = await inTransaction(pool, (data) => data.joins.waitingFor(name));
  await forLiveStreams(pool, ids, takeUpJoins);
}

/** What takes effect does so far enough ahead that all agents know it. */
async function takeUpJoins(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  await data.joins.scheduleFinished(stream.id, elapsedSecondsOf(stream, now) + effectiveAheadSeconds, true);
}

/** A track with the contents of what it plays, as far as that is prepared. */
async function joinedTrack(data: Database, entries: readonly TimelineEntry[], format: RenditionFormat) {
  const items = entries.flatMap(({ snapshot }) => snapshot.items);
  const uploadIDs = [...new Set(items.map(({ uploadID }) => uploadID))];
  const formats = new Set([formatName(format), ...uploadsByFormat(items, format).keys()]);
  return { entries, contentHashes: (await data.renditions.prepared(uploadIDs, [...formats])).contentHashes };
}

interface JoinAhead extends WantedJoin {
  /** Where it is sent first. */
  readonly startFrame: number;
  readonly drawings: readonly Variant[];
}

/** What is sent in the next minutes. */
function stretchAhead(elapsedSeconds: number, rate: number): FrameStretch {
  const startFrame = Math.max(0, Math.floor((elapsedSeconds - behindSeconds) * rate));
  return { startFrame, frameCount: Math.ceil((elapsedSeconds + aheadSeconds) * rate) - startFrame };
}

/** The joins of the next minutes, each once. */
function joinsAhead(
  { entries }: JoinedTrack,
  { startFrame, frameCount }: FrameStretch,
  rate: number,
  joinsOf: (occurrence: ItemOccurrence) => readonly (PlacedJoin | PlacedPictureJoin)[],
): JoinAhead[] {
  if (!hasJoins(entries)) return [];
  const wanted = new Map<string, JoinAhead>();
  for (const occurrence of occurrencesFrom(entries, startFrame, rate).take(itemsAhead)) {
    if (occurrence.startFrame > startFrame + frameCount) break;
    for (const join of joinsOf(occurrence)) if (!wanted.has(join.name)) wanted.set(join.name, wantedOf(join));
  }
  return [...wanted.values()];
}

function wantedOf(join: PlacedJoin | PlacedPictureJoin | PlacedMix): JoinAhead {
  const { name, recipe, startFrame } = join;
  const drawings = 'drawings' in join ? join.drawings : [];
  return { name, recipe, content_hashes: contentsOf(recipe), startFrame, drawings };
}

function contentsOf(recipe: WantedJoin['recipe']): string[] {
  if (recipe.shape === 'mix') return contentsOfMix(recipe);
  return contentsOfJoin('sound' in recipe ? recipe.sound : recipe);
}

function elapsedSecondsOf({ anchored_at: anchoredAt }: Stream, now: Date): number {
  return anchoredAt === null ? 0 : (now.getTime() - anchoredAt.getTime()) / 1000;
}
