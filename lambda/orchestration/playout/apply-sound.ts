// Applies the loudness of settings to streams, after it is measured and prepared, from their next items on.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { ItemLevel } from '../../data/playout/stream-sounds.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { effectiveAheadSeconds, itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../domain/playout/play-out.ts';
import { soundAt } from '../../domain/playout/rendition.ts';
import { isSameLevel, levelFor, targetOf } from '../../domain/playout/sound.ts';
import type { SoundLevel } from '../../domain/playout/sound.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';
import { forLiveStreams, forLiveStreamsPlaying } from '../shared/live-streams.ts';
import type { StreamWork } from '../shared/live-streams.ts';
import { refreshJoins } from './prepare-joins.ts';
import { updateCosts } from '../destinations/reconcile-outputs.ts';
import { requestWithinLimit, requestWithinLimits } from '../media/request-renditions.ts';
import type { RequestOptions, WantedRendition } from '../media/request-renditions.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** An upload with its target loudness; null: unchanged. */
interface WantedSound {
  readonly uploadID: string;
  readonly targetLUFS: number | null;
}

interface WantedLevel extends WantedSound {
  /** Null: unchanged. Undefined: not measured yet. */
  readonly level: SoundLevel | null | undefined;
  readonly contentHash: string | null;
}

/** The target loudness of the items of a stream. */
export function soundsOf({ sound }: Pick<Stream, 'sound'>, items: readonly TimelineItem[]): WantedSound[] {
  return items.map((item) => {
    return { uploadID: item.uploadID, targetLUFS: item.hasAudio ? targetOf(item.sound, sound) : null };
  });
}

/** The levels of sounds, in their order. */
async function levelsOf(data: Database, sounds: readonly WantedSound[]): Promise<WantedLevel[]> {
  const ids = new Set(sounds.flatMap(({ uploadID, targetLUFS }) => (targetLUFS === null ? [] : [uploadID])));
  const measured = ids.size === 0 ? [] : await data.streamSounds.measured([...ids]);
  const byID = new Map(measured.map((upload) => [upload.upload_id, upload]));
  return sounds.map((sound) => {
    if (sound.targetLUFS === null) return { ...sound, level: null, contentHash: null };
    const upload = byID.get(sound.uploadID);
    const level = upload && levelFor(upload.loudness, sound.targetLUFS);
    return { ...sound, level, contentHash: upload?.content_hash ?? null };
  });
}

/** The renditions of sound at its levels. */
function renditionsOf(levels: readonly WantedLevel[]): WantedRendition[] {
  return levels.flatMap(({ uploadID, contentHash, level }) =>
    level ? [{ upload_id: uploadID, content_hash: contentHash, format: soundAt(level.targetLUFS) }] : [],
  );
}

/** Requests sound of a user at its target loudness, if it is measured. Sound that has it needs no request. */
export async function requestSound(
  data: Database,
  userID: string,
  sounds: readonly WantedSound[],
  options: RequestOptions,
): Promise<void> {
  const wanted = renditionsOf(await levelsOf(data, sounds));
  if (wanted.length > 0) await requestWithinLimit(data, userID, wanted, options);
}

/** The first levels of a run, and the number of its items without a known level. */
export interface SoundAtStart {
  readonly levels: readonly ItemLevel[];
  readonly pending: number;
}

/** A run that begins, with its timelines. */
export interface BegunRun {
  readonly stream: Stream;
  readonly timelines: Timelines;
}

/**
 * The first sound of runs, in their order. For runs of the prepared backend, it requests sound that is not prepared.
 */
export async function soundsAtStart(
  data: Database,
  runs: readonly BegunRun[],
  options: RequestOptions,
): Promise<SoundAtStart[]> {
  const items = runs.map(({ timelines }) => soundItems(timelines, 0));
  const levels = await levelsOf(
    data,
    runs.flatMap(({ stream }, index) => soundsOf(stream, items[index]!)),
  );
  const levelsOfRuns = items.map((own) => levels.splice(0, own.length));
  const isPrepared = (index: number) => runs[index]!.stream.stream_backend === 'manifest';
  const ofPrepared = levelsOfRuns.flatMap((own, index) => (isPrepared(index) ? own : []));
  const requests = levelsOfRuns.flatMap((own, index) => {
    const wanted = isPrepared(index) ? renditionsOf(own) : [];
    return wanted.length === 0 ? [] : [{ userID: runs[index]!.stream.user_id, wanted }];
  });
  if (requests.length > 0) await requestWithinLimits(data, requests, options);
  const isReady = await preparedLevels(data, { stream_backend: 'manifest' }, ofPrepared);
  return items.map((own, index) => {
    const isThere = isPrepared(index) ? isReady : () => true;
    const ofRun = levelsOfRuns[index]!;
    return {
      levels: own.flatMap(({ itemID, uploadID }, place) => {
        const { level } = ofRun[place]!;
        return level && isThere(uploadID, level) ? [{ itemID, uploadID, fromSeconds: 0, level }] : [];
      }),
      pending: ofRun.filter(({ uploadID, level }) => level === undefined || !isThere(uploadID, level)).length,
    };
  });
}

/** Requests the sound of a stream, and applies the prepared part. */
export async function refreshSound(
  data: Database,
  stream: Locked<Stream>,
  { now, ...options }: RequestOptions & { readonly now: Date },
): Promise<void> {
  if (stream.stream_backend === 'manifest') {
    const items = await itemsOf(data, stream, now);
    await requestSound(data, stream.user_id, soundsOf(stream, items), options);
  }
  await applySound(data, stream, now);
}

/** Applies the prepared sound of a content to the streams on the air that play it. */
export async function applySoundOf(pool: Pool, contentHash: string): Promise<void> {
  await forLiveStreamsPlaying(pool, contentHash, unlessStopping(applySound));
}

/** Requests and applies the sound of a measured content for the streams on the air that play it. */
export async function refreshSoundOf(pool: Pool, contentHash: string, options: RequestOptions): Promise<void> {
  await forLiveStreamsPlaying(pool, contentHash, refreshes(options));
}

/** The most streams of one call. */
const pendingAtOnce = 100;

/**
 * Requests and applies the sound of streams with items without levelled sound, as a worker may have died before it did
 * so.
 */
export async function refreshPendingSound(pool: Pool, options: RequestOptions): Promise<void> {
  const ids = await inTransaction(pool, (data) => data.streamSounds.withPending(pendingAtOnce));
  await forLiveStreams(pool, ids, refreshes(options));
}

function refreshes(options: RequestOptions): StreamWork {
  return unlessStopping((data, stream, now) => refreshSound(data, stream, { now, ...options }));
}

/** The work, except for streams in `stopping`, which have no next item. */
function unlessStopping(work: StreamWork): StreamWork {
  return async (data, stream, now) => {
    if (stream.state !== 'stopping') await work(data, stream, now);
  };
}

/**
 * Records the levels of items from the next item of a stream on, and the number of items without levelled sound.
 */
async function applySound(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  const elapsedSeconds = elapsedSecondsOf(stream.anchored_at, now);
  // Publishers that are late still play the items of a minute ago.
  const time = { fromSeconds: elapsedSeconds - 60, toSeconds: Infinity };
  const timelines = await data.timelines.ofStream(stream.id, time);
  const items = soundItems(timelines, elapsedSeconds);
  const levels = await levelsOf(data, soundsOf(stream, items));
  const isThere = await preparedLevels(data, stream, levels);
  const fromSeconds = stream.anchored_at === null ? 0 : elapsedSeconds + effectiveAheadSeconds;
  const changed = items.flatMap(({ itemID, uploadID, levels: before = [] }, index): ItemLevel[] => {
    const { level } = levels[index]!;
    const isSame = isSameLevel(level ?? null, before.at(-1)?.level ?? null);
    return level === undefined || isSame || !isThere(uploadID, level) ? [] : [{ itemID, uploadID, fromSeconds, level }];
  });
  if (changed.length > 0) {
    const known = [...timelines.video, ...timelines.audio].flatMap(({ snapshot }) => itemsPlayed(snapshot));
    await data.streamSounds.addLevels(stream.id, changed, [...new Set(known.map(({ itemID }) => itemID))]);
    await updateCosts(data, stream);
  }
  const pending = levels.filter(({ uploadID, level }) => level === undefined || !isThere(uploadID, level));
  await data.streamSounds.setPending(stream.id, pending.length);
  // The sources of joins have levels.
  await refreshJoins(data, stream, now);
}

/** @returns a function that tells if an upload can be sent at a level */
async function preparedLevels(
  data: Database,
  { stream_backend: backend }: Pick<Stream, 'stream_backend'>,
  wanted: readonly WantedLevel[],
): Promise<(uploadID: string, level: SoundLevel | null) => boolean> {
  if (backend !== 'manifest') return () => true;
  const levelled = wanted.flatMap(({ uploadID, level }) =>
    level ? [{ uploadID, format: soundAt(level.targetLUFS) }] : [],
  );
  const uploads = await data.renditions.lockOfUploads(levelled);
  const prepared = new Set(
    uploads.flatMap(({ upload_id: id, format, state }) => (state === 'ready' ? [`${id}/${format}`] : [])),
  );
  return (uploadID, level) => level === null || prepared.has(`${uploadID}/${soundAt(level.targetLUFS)}`);
}

async function itemsOf(data: Database, stream: Stream, now: Date): Promise<TimelineItem[]> {
  const elapsedSeconds = elapsedSecondsOf(stream.anchored_at, now);
  const sinceNow = { fromSeconds: elapsedSeconds, toSeconds: Infinity };
  return soundItems(await data.timelines.ofStream(stream.id, sinceNow), elapsedSeconds);
}

/** The items with sound of a run from a time on, each once. */
export function soundItems({ video, audio }: Timelines, elapsedSeconds: number): TimelineItem[] {
  const comingOf = (entries: readonly TimelineEntry[]) => {
    const current = entries.findLastIndex(({ offsetSeconds }) => offsetSeconds <= elapsedSeconds);
    return entries.slice(Math.max(0, current)).flatMap(({ snapshot }) => itemsPlayed(snapshot));
  };
  const shown = comingOf(video);
  const items = audio.length > 0 ? [...comingOf(audio), ...shown.filter(({ under }) => under?.enabled)] : shown;
  return [...new Map(items.map((item) => [`${item.itemID}/${item.uploadID}`, item])).values()];
}
