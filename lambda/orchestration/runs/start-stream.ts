// Starts a stream, in the transaction of the caller.
// It checks readiness, publishes changed drafts, and writes the timeline, the replicas and the command to the agents.
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { Database } from '../../data/database.ts';
import type { UploadInFormat } from '../../data/media/prepared-uploads.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { costOf, slotsOfCost } from '../../domain/fleet/capacity.ts';
import { withNext } from '../../domain/playout/drawings.ts';
import type { Use } from '../../domain/shared/limits.ts';
import { isPending } from '../../domain/readiness/readiness.ts';
import { isBlocking } from '../../domain/readiness/readiness-issues.ts';
import type { ReadinessIssue } from '../../domain/readiness/readiness-issues.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { launchStream } from './launch-stream.ts';
import { limitReached } from '../shared/limits.ts';
import { itemsInFormat } from '../media/preparation-limit.ts';
import { prepareAndLaunch } from './start-prepared.ts';
import { requestDraftPublish } from '../playout/publish-draft.ts';
import { refreshSound } from '../playout/apply-sound.ts';
import { issuesOf, loadParts, uploadFacts, wantsBackup } from '../streams/stream-parts.ts';
import type { StreamingSettings, StreamParts } from '../streams/stream-parts.ts';
import { saveDrawings } from '../playout/prepared-looks.ts';
import { snapshotsOf, withLiveDraft } from '../playout/timeline-snapshots.ts';
import type { TrackSnapshot } from '../playout/timeline-snapshots.ts';
import type { Locked } from '../../data/shared/locked.ts';

export interface StartOptions {
  readonly settings: StreamingSettings;
  readonly now: Date;
  readonly newID: (prefix: string) => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** The started stream; or all issues, if one of them blocks the start; or the limit that blocks it. */
export type StartResult = { readonly issues: ReadinessIssue[] } | { readonly limit: Use } | { readonly stream: Stream };

/**
 * Moves a stream to `activating`, or on to `preparing`. Its state is one that it can start from. If it is not ready,
 * nothing is written.
 */
export async function startStream(
  data: Database,
  stream: Locked<Stream>,
  cause: 'start' | 'schedule_start',
  options: StartOptions,
): Promise<StartResult> {
  const { settings, now, random } = options;
  // A transaction that puts the account to rest waits for this start, and then stops the stream.
  await data.users.lockRest(stream.user_id);
  // With the locks, a concurrent edit or publish of a draft happens before or after this start.
  await data.playlists.lockMany(stream.user_id, stream.playlist_ids);
  const found = await loadParts(data, stream);
  const issues = issuesOf(found, settings, now);
  if (issues.some(isBlocking)) return { issues };
  const parts = { ...found, playlists: found.playlists.map((playlist) => playlist && withLiveDraft(playlist, now)) };
  const snapshots = snapshotsOf(parts, Math.floor(random() * 2 ** 31));
  const toPrepare = stream.stream_backend === 'manifest' ? whatToPrepare(snapshots, parts.format) : [];
  const limit = await limitReached(data, stream.user_id, settings.limitFactor, {
    runningStreams: 1,
    runningSlots: slotsOfStart(found, snapshots),
    preparedSeconds: toPrepare.length > 0 ? await data.preparedUploads.unrecordedSeconds(toPrepare) : 0,
  });
  if (limit) return { limit };

  if (toPrepare.length > 0) await data.preparedUploads.record(toPrepare);
  await publishChangedDrafts(data, found, parts.playlists);
  const moved = await data.streamMoves.move(stream, cause);
  if (!moved) throw new Error(`stream ${stream.id} cannot start from ${stream.state}`);
  await publishDraftsOncePlayable(data, moved, parts, settings.limitFactor);
  for (const { snapshot } of snapshots)
    if (snapshot.overlays) await saveDrawings(data, snapshot.overlays, withNext(itemsPlayed(snapshot), snapshot.mode));
  await data.streams.beginRun(stream.id, parts.format);
  await data.timelines.begin(stream.id, snapshots);
  await data.dueTimes.clear(stream.id);
  await data.dueTimes.set(stream.id, 'schedule_end', stream.schedule_end_at);
  const begun = (await data.streams.lockAny(stream.id))!;
  await (stream.stream_backend === 'manifest' ? prepareAndLaunch : launchStream)(data, begun, now);
  await refreshSound(data, begun, { now, retries: 'at once', limitFactor: settings.limitFactor });
  return { stream: (await data.streams.find(stream.user_id, stream.id))! };
}

/** The slots of all replicas of a start now, rounded. */
function slotsOfStart({ stream, format }: StreamParts, snapshots: readonly TrackSnapshot[]): number {
  const pictures = snapshots.find(({ track }) => track === 'video');
  const cost = costOf({
    ...format,
    backend: stream.stream_backend ?? 'ffmpeg',
    hasSoundTrack: snapshots.some(({ track }) => track === 'audio'),
    url: null,
    decodeCost: Math.max(0, ...itemsPlayed(pictures?.snapshot).map(({ decodeCost }) => decodeCost ?? 0)) || null,
  });
  return Math.round(slotsOfCost(cost) * (wantsBackup(stream) ? 2 : 1));
}

/** The uploads of the tracks of a run, in the formats in which they are prepared. */
function whatToPrepare(snapshots: readonly TrackSnapshot[], format: PictureFormat): UploadInFormat[] {
  return snapshots.flatMap(({ track, snapshot }) =>
    itemsInFormat(itemsPlayed(snapshot), track === 'audio' ? 'sound' : format),
  );
}

async function publishChangedDrafts(
  data: Database,
  { stream, playlists: before }: StreamParts,
  playlists: StreamParts['playlists'],
): Promise<void> {
  for (const [index, playlist] of playlists.entries())
    if (playlist?.live && playlist !== before[index]) await data.playlists.finishPublish(playlist.id, playlist.live);
  await data.streamParts.updateProcessingState(stream.id);
}

/**
 * Requests another publish of drafts with items that are still being probed. The start plays them without these items,
 * and the running stream plays the items when their probe is done.
 */
async function publishDraftsOncePlayable(
  data: Database,
  stream: Locked<Stream>,
  { playlists, uploads }: StreamParts,
  limitFactor: number,
): Promise<void> {
  for (const playlist of playlists) {
    const pending = playlist?.draft.items.some((item) => isPending(uploadFacts(uploads.get(item.uploadID))));
    if (playlist && pending) await requestDraftPublish(data, stream, playlist, limitFactor);
  }
}
