// Brings what streams play to the loudness that is wished, once it is measured and prepared, from their next items on.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { ItemLevel } from '../../data/playout/stream-sounds.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { effectiveAheadSeconds, itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../domain/playout/play-out.ts';
import { soundAt } from '../../domain/playout/rendition.ts';
import { isSameLevel, levelFor, targetOf } from '../../domain/playout/sound.ts';
import type { SoundLevel } from '../../domain/playout/sound.ts';
import { forLiveStreams, forLiveStreamsPlaying } from '../shared/live-streams.ts';
import type { StreamWork } from '../shared/live-streams.ts';
import { refreshJoins } from './settle-joins.ts';
import { updateCosts } from '../destinations/reconcile-outputs.ts';
import { requestWithinLimit } from '../media/request-renditions.ts';
import type { RequestOptions } from '../media/request-renditions.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** An upload that is to be played at a loudness; null: as it is. */
interface WantedSound {
  readonly uploadID: string;
  readonly targetLUFS: number | null;
}

interface WantedLevel extends WantedSound {
  /** Null: it is to play as it is. Undefined: that is not known yet. */
  readonly level: SoundLevel | null | undefined;
  readonly contentHash: string | null;
}

/** What the items of a stream are to sound like. */
export function soundsOf({ sound }: Pick<Stream, 'sound'>, items: readonly TimelineItem[]): WantedSound[] {
  return items.map((item) => {
    return { uploadID: item.uploadID, targetLUFS: item.hasAudio ? targetOf(item.sound, sound) : null };
  });
}

/** In the order of what is wanted. */
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

/** Has sound of a user prepared at its loudness, as far as it is measured. What is right already needs nothing. */
export async function requestSound(
  data: Database,
  userID: string,
  sounds: readonly WantedSound[],
  options: RequestOptions,
): Promise<void> {
  const wanted = (await levelsOf(data, sounds)).flatMap(({ uploadID, contentHash, level }) =>
    level ? [{ upload_id: uploadID, content_hash: contentHash, format: soundAt(level.targetLUFS) }] : [],
  );
  if (wanted.length > 0) await requestWithinLimit(data, userID, wanted, options);
}

/** Has the sound prepared that a stream is to play, and takes up what is there. */
export async function refreshSound(
  data: Database,
  stream: Locked<Stream>,
  { now, ...options }: RequestOptions & { readonly now: Date },
): Promise<void> {
  if (stream.stream_backend === 'manifest') {
    const items = await itemsOf(data, stream, now);
    await requestSound(data, stream.user_id, soundsOf(stream, items), options);
  }
  await settleSound(data, stream, now);
}

/** The streams that are sent and play a content take up what is there of its sound. */
export async function settleSoundOf(pool: Pool, contentHash: string): Promise<void> {
  await forLiveStreamsPlaying(pool, contentHash, unlessStopping(settleSound));
}

/** The same for a content that has been measured, whose sound is then asked for. */
export async function refreshSoundOf(pool: Pool, contentHash: string, options: RequestOptions): Promise<void> {
  await forLiveStreamsPlaying(pool, contentHash, refreshes(options));
}

/** So many streams a call looks at. */
const unsettledAtOnce = 100;

/**
 * Looks at streams with items that are sent as they are meanwhile: another release has started them, or whoever has
 * measured or prepared their sound died before it looked.
 */
export async function refreshUnsettledSound(pool: Pool, options: RequestOptions): Promise<void> {
  const ids = await inTransaction(pool, (data) => data.streamSounds.withPending(unsettledAtOnce));
  await forLiveStreams(pool, ids, refreshes(options));
}

function refreshes(options: RequestOptions): StreamWork {
  return unlessStopping((data, stream, now) => refreshSound(data, stream, { now, ...options }));
}

/** What stops has no next item. */
function unlessStopping(work: StreamWork): StreamWork {
  return async (data, stream, now) => {
    if (stream.state !== 'stopping') await work(data, stream, now);
  };
}

/**
 * Notes which items a stream is to send at which level from its next item on, and how many it sends as they are
 * meanwhile.
 */
async function settleSound(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  const items = await itemsOf(data, stream, now);
  const levels = await levelsOf(data, soundsOf(stream, items));
  const isThere = await whatIsPrepared(data, stream, levels);
  const elapsedSeconds = elapsedSecondsOf(stream, now);
  const fromSeconds = elapsedSeconds === null ? 0 : elapsedSeconds + effectiveAheadSeconds;
  const changed = items.flatMap(({ itemID, uploadID, levels: before = [] }, index): ItemLevel[] => {
    const { level } = levels[index]!;
    const isSame = isSameLevel(level ?? null, before.at(-1)?.level ?? null);
    return level === undefined || isSame || !isThere(uploadID, level) ? [] : [{ itemID, uploadID, fromSeconds, level }];
  });
  if (changed.length > 0) {
    await data.streamSounds.addLevels(stream.id, changed);
    await updateCosts(data, stream);
  }
  const pending = levels.filter(({ uploadID, level }) => level === undefined || !isThere(uploadID, level));
  await data.streamSounds.setPending(stream.id, pending.length);
  // What a join is made of has levels.
  await refreshJoins(data, stream, now);
}

/** @returns whether an upload can be sent at a level */
async function whatIsPrepared(
  data: Database,
  { stream_backend: backend }: Stream,
  wanted: readonly WantedLevel[],
): Promise<(uploadID: string, level: SoundLevel | null) => boolean> {
  if (backend !== 'manifest') return () => true;
  const levelled = wanted.filter(({ level }) => level);
  const prepared = new Set<string>();
  for (const [targetLUFS, sounds] of Map.groupBy(levelled, (sound) => sound.targetLUFS!)) {
    const format = soundAt(targetLUFS);
    const uploads = await data.renditions.lockOfUploads(
      sounds.map(({ uploadID }) => uploadID),
      format,
    );
    for (const { upload_id: id, state } of uploads) if (state === 'ready') prepared.add(`${id}/${format}`);
  }
  return (uploadID, level) => level === null || prepared.has(`${uploadID}/${soundAt(level.targetLUFS)}`);
}

/** What a run plays the sound of, from now on, once each. */
async function itemsOf(data: Database, stream: Stream, now: Date): Promise<TimelineItem[]> {
  const { video, audio } = await data.timelines.ofStream(stream.id);
  const elapsedSeconds = elapsedSecondsOf(stream, now) ?? 0;
  const comingOf = (entries: readonly TimelineEntry[]) => {
    const current = entries.findLastIndex(({ offsetSeconds }) => offsetSeconds <= elapsedSeconds);
    return entries.slice(Math.max(0, current)).flatMap(({ snapshot }) => itemsPlayed(snapshot));
  };
  const shown = comingOf(video);
  const items = audio.length > 0 ? [...comingOf(audio), ...shown.filter(({ under }) => under?.enabled)] : shown;
  return [...new Map(items.map((item) => [`${item.itemID}/${item.uploadID}`, item])).values()];
}

/** Null before the first frame of a run. */
function elapsedSecondsOf({ anchored_at: anchoredAt }: Stream, now: Date): number | null {
  return anchoredAt === null ? null : (now.getTime() - anchoredAt.getTime()) / 1000;
}
