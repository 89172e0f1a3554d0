// Starts streams, in the transaction of the caller.
// It checks readiness, publishes changed drafts, and writes timelines, replicas and commands to the agents.
import { seedOfStart } from '../../domain/playout/continuation.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { Database } from '../../data/database.ts';
import type { LiveUse, Output } from '../../data/destinations/outputs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import type { UploadInFormat } from '../../data/media/prepared-uploads.ts';
import type { Timelines, TimelineSources } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import type { Use } from '../../domain/shared/limits.ts';
import { isPending } from '../../domain/readiness/readiness.ts';
import { isBlocking } from '../../domain/readiness/readiness-issues.ts';
import type { ReadinessIssue } from '../../domain/readiness/readiness-issues.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { slotsOfTargets, targetsOfOutputs } from '../destinations/output-targets.ts';
import { launchStreams } from './launch-stream.ts';
import type { Launch } from './launch-stream.ts';
import { limitsReached } from '../shared/limits.ts';
import { itemsInFormat, preparedOfHour, secondsToPrepare } from '../media/preparation-limit.ts';
import { requestSlatesOf } from '../live/prepare-slates.ts';
import { prepareAndLaunch } from './start-prepared.ts';
import { requestDraftPublish } from '../playout/publish-draft.ts';
import { soundsAtStart } from '../playout/apply-sound.ts';
import { needsJoins, refreshJoins } from '../playout/prepare-joins.ts';
import { issuesOf } from '../streams/part-issues.ts';
import { liveUsesOf, lockPartsOfAll, playsSoundTrack } from '../streams/stream-parts.ts';
import { uploadFacts } from '../shared/upload-facts.ts';
import type { KnownParts, StreamingSettings, StreamParts } from '../streams/stream-parts.ts';
import { entriesOfTrack } from '../playout/plan-entries.ts';
import { saveDrawingsOfList } from '../playout/prepared-looks.ts';
import { snapshotsOf, timelinesOfSnapshots, withLiveDraft } from '../playout/timeline-snapshots.ts';
import type { TrackSnapshot } from '../playout/timeline-snapshots.ts';
import type { Locked } from '../../data/shared/locked.ts';

export interface StartOptions {
  readonly settings: StreamingSettings;
  readonly now: Date;
  readonly newID: (prefix: string) => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export type StartCause = 'start' | 'schedule_start';

/** The started stream; or all issues, if one of them blocks the start; or the limit that blocks it. */
export type StartResult = { readonly issues: ReadinessIssue[] } | { readonly limit: Use } | StartedStream;

/** A stream that has begun a run. */
export interface StartedStream {
  readonly stream: Stream;
  /** All its outputs, those that are switched off as well. */
  readonly outputs: readonly Output[];
  /** Its replicas; empty while it waits for its preparation or its ingest. */
  readonly replicas: readonly Replica[];
}

/** Starts one stream, as `startStreams` does. */
export async function startStream(
  data: Database,
  stream: Locked<Stream>,
  cause: StartCause,
  options: StartOptions,
): Promise<StartResult> {
  const result = (await startStreams(data, [stream], cause, options)).get(stream.id)!;
  if (!('stream' in result)) return result;
  return { ...result, stream: (await data.streams.find(stream.user_id, stream.id))! };
}

/** A stream that is ready, with all that its run begins with. */
interface Start {
  readonly stream: Locked<Stream>;
  readonly parts: StreamParts;
  /** The playlists as they are played: with changed drafts as their live versions. */
  readonly playlists: StreamParts['playlists'];
  readonly snapshots: readonly TrackSnapshot[];
  /** The timelines of these snapshots. */
  readonly timelines: Timelines;
  /** The uploads that have to be prepared before, in their formats. */
  readonly toPrepare: readonly UploadInFormat[];
}

/**
 * Moves streams to `activating`, or on to `preparing`. They are in states that they can start from. For a stream that
 * is not ready, or that its user's limits do not allow, nothing is written. The number of statements does not depend on
 * the number of streams, but for streams that need sound, joins or drafts prepared.
 * @param streams in the order in which they get what limits still allow
 * @param users of these streams, from `lockWithCredits`; absent: not locked yet
 */
export async function startStreams(
  data: Database,
  streams: readonly Locked<Stream>[],
  cause: StartCause,
  options: StartOptions,
  users?: KnownParts['users'],
): Promise<ReadonlyMap<string, StartResult>> {
  const { settings, now } = options;
  const userIDs = streams.map(({ user_id: userID }) => userID);
  // A transaction that puts an account to rest waits for these starts, and then stops the streams.
  users ??= await data.creditAccounts.lockWithCredits(userIDs);
  // With the locks, a concurrent edit or publish of a draft happens before or after these starts.
  const playlistIDs = streams.flatMap((stream) => stream.playlist_ids);
  const playlists = await data.playlists.lockMany(userIDs, playlistIDs);
  const partsOf = await lockPartsOfAll(data, streams, { users, playlists });
  const results = new Map<string, StartResult>();
  const ready = streams.flatMap((stream): Start[] => {
    const parts = partsOf.get(stream.id)!;
    return issuesOf(parts, settings, now, []).some(isBlocking) ? [] : [plannedStart(stream, parts, cause, now)];
  });
  const limits = await limitsOfStarts(data, ready, settings.limitFactor);
  // The use of the limits is locked now: of two starts of a user on one destination, the second one sees the first.
  const uses = await liveUsesOf(data, [...partsOf.values()]);
  const readyOf = new Map(ready.map((start, index) => [start.stream.id, { start, ...limits[index]! }]));
  const allowed: Start[] = [];
  for (const [id, parts] of partsOf) {
    const issues = issuesOf(parts, settings, now, uses);
    if (issues.some(isBlocking)) {
      results.set(id, { issues });
      continue;
    }
    const { start, limit: reached, seconds } = readyOf.get(id)!;
    const limit = reached ?? (await preparedOfHour(data, start.stream.user_id, seconds, settings.limitFactor));
    if (limit) results.set(id, { limit });
    else {
      allowed.push(start);
      uses.push(...usesOfStart(parts));
    }
  }
  const { begun, replicas } = await begin(data, allowed, cause, options);
  const replicasOf = Map.groupBy(replicas, ({ stream_id: streamID }) => streamID);
  for (const [id, stream] of begun)
    results.set(id, { stream, outputs: partsOf.get(id)!.allOutputs, replicas: replicasOf.get(id) ?? [] });
  return results;
}

/** The uses of destinations by a stream that starts, for the streams after it. */
function usesOfStart({ stream, outputs }: StreamParts): LiveUse[] {
  return outputs.map(({ destination_id }) => ({ ...stream, destination_id }));
}

function plannedStart(stream: Locked<Stream>, parts: StreamParts, cause: StartCause, now: Date): Start {
  const scheduledAt = cause === 'schedule_start' ? stream.schedule_start_at : null;
  const seed = seedOfStart(stream.id, scheduledAt ?? now);
  const playlists = parts.playlists.map((playlist) => playlist && withLiveDraft(playlist, now));
  const snapshots = snapshotsOf({ ...parts, playlists }, seed);
  const toPrepare = stream.stream_backend === 'manifest' ? whatToPrepare(snapshots, parts.format) : [];
  return { stream, parts, playlists, snapshots, timelines: timelinesOfSnapshots(snapshots), toPrepare };
}

/** The limit that each start would exceed, null: none; and the seconds of uploads that it has prepared. */
async function limitsOfStarts(data: Database, starts: readonly Start[], factor: number) {
  const seconds = await secondsToPrepare(
    data,
    starts.map(({ toPrepare }) => ({ wanted: toPrepare })),
  );
  const limits = await limitsReached(
    data,
    factor,
    starts.map((start, index) => ({
      userID: start.stream.user_id,
      wanted: { runningStreams: 1, runningSlots: slotsOfStart(start, false), preparedSeconds: seconds[index]! },
    })),
  );
  return limits.map((limit, index) => ({ limit, seconds: seconds[index]! }));
}

/** Begins the runs of streams. @returns the streams in their new states, by id, and their replicas */
async function begin(
  data: Database,
  starts: readonly Start[],
  cause: StartCause,
  { settings, now }: StartOptions,
): Promise<{ readonly begun: ReadonlyMap<string, Stream>; readonly replicas: readonly Replica[] }> {
  if (starts.length === 0) return { begun: new Map(), replicas: [] };
  const toPrepare = starts.flatMap((start) => start.toPrepare);
  if (toPrepare.length > 0) await data.preparedUploads.record(toPrepare);
  for (const { parts, playlists } of starts) await publishChangedDrafts(data, parts, playlists);
  const options = { retries: 'at once', limitFactor: settings.limitFactor } as const;
  const sounds = await soundsAtStart(data, starts, options);
  const soundOf = new Map(starts.map(({ stream }, index) => [stream.id, sounds[index]!]));
  const begun = await data.streamMoves.begin(
    starts.map((start) => {
      const { stream, parts } = start;
      const { pending: pendingSound, levels } = soundOf.get(stream.id)!;
      const slots = slotsOfStart(start, levels.length > 0);
      return { stream, cause, reason: null, format: parts.format, pendingSound, slots };
    }),
  );
  for (const { stream } of starts)
    if (!begun.has(stream.id)) throw new Error(`stream ${stream.id} cannot start from ${stream.state}`);
  for (const { stream, snapshots } of starts)
    if (stream.stream_backend === 'manifest')
      for (const { snapshot } of snapshots) await saveDrawingsOfList(data, snapshot);
  await data.timelines.begin(
    [...begun.keys()],
    starts.flatMap(({ stream, snapshots }) => snapshots.map((each) => ({ streamID: stream.id, ...each }))),
  );
  for (const { parts, snapshots } of starts) await beginProgrammes(data, parts, snapshots, now);
  await data.streamSounds.beginLevels(Array.from(soundOf, ([streamID, { levels }]) => ({ streamID, levels })));
  await data.dueTimes.setAll(
    [...begun.values()].flatMap(({ id, schedule_end_at: endAt }) =>
      endAt === null ? [] : [{ stream_id: id, kind: 'schedule_end', due_at: endAt }],
    ),
  );
  const launches = starts.map((start) => {
    const { id } = start.stream;
    const isLevelled = soundOf.get(id)!.levels.length > 0;
    return { stream: begun.get(id)!, timelines: start.timelines, ...launchOf(start, isLevelled) };
  });
  const isPrepared = ({ stream }: Pick<Start, 'stream'>) => stream.stream_backend === 'manifest';
  const encoded = launches.filter((launch) => !isPrepared(launch));
  const prepared = launches.filter(isPrepared);
  const replicas = [...(await launchStreams(data, encoded, now)), ...(await prepareAndLaunch(data, prepared, now))];
  const preparedStreams = prepared.map(({ stream }) => stream);
  await requestSlatesOf(data, preparedStreams, settings.limitFactor);
  for (const start of starts) {
    const stream = begun.get(start.stream.id)!;
    await publishDraftsOncePlayable(data, stream, start, settings.limitFactor);
    if (needsJoins(start.timelines, framesPerSecond[stream.run_framerate!])) await refreshJoins(data, stream, now);
  }
  return { begun, replicas };
}

/** Writes the entries of programmes behind their first ones, and the states that the next plans continue from. */
async function beginProgrammes(
  data: Database,
  { stream, programmes, playlists, uploads, format }: StreamParts,
  snapshots: readonly TrackSnapshot[],
  now: Date,
): Promise<void> {
  for (const { programme, rows, at, before } of programmes) {
    const track = programme.kind;
    const { seed } = snapshots.find((each) => each.track === track)!.snapshot;
    const options = { uploads, hasSoundTrack: playsSoundTrack(stream, playlists), seed };
    const rate = framesPerSecond[format.framerate];
    const [, ...further] = entriesOfTrack(stream, { track, rows, framesPerSecond: rate }, options);
    const [next] = further;
    if (next) await data.timelines.replaceFrom(stream.id, track, next.offsetSeconds, further);
    await data.programmes.saveState(programme.id, { at, state: before }, now);
  }
}

/** The targets of a stream that starts, and the facts that decide its cost. */
function launchOf({ parts, snapshots }: Start, isLevelled: boolean): Omit<Launch, 'stream'> {
  const { stream, outputs, destination, destinations, managed } = parts;
  const known = destination ? new Map([...destinations, [destination.id, destination]]) : destinations;
  const targets = targetsOfOutputs(stream, outputs, known, managed?.channel?.ingest ?? null);
  const { hasSoundTrack, decodeCost } = sourcesOf(parts, snapshots);
  return { targets, sources: { hasSoundTrack: hasSoundTrack || isLevelled, decodeCost } };
}

function sourcesOf({ uploads }: StreamParts, snapshots: readonly TrackSnapshot[]): TimelineSources {
  const pictures = snapshots.find(({ track }) => track === 'video');
  const costs = itemsPlayed(pictures?.snapshot).flatMap(({ uploadID }) => {
    const { duration_seconds: seconds, decode_cost: cost } = uploads.get(uploadID)!;
    return (seconds === null ? 0 : cost) ?? [];
  });
  const hasSoundTrack = snapshots.some(({ track }) => track === 'audio');
  return { hasSoundTrack, decodeCost: costs.length === 0 ? null : Math.max(...costs) };
}

/** The slots of all replicas of a start. @param isLevelled whether it sends levelled sound */
function slotsOfStart(start: Start, isLevelled: boolean): number {
  const { targets, sources } = launchOf(start, isLevelled);
  return slotsOfTargets(start.stream, targets, start.parts.format, sources);
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
  const changed = playlists.filter((playlist, index) => playlist?.live && playlist !== before[index]);
  if (changed.length === 0) return;
  for (const playlist of changed) await data.playlists.finishPublish(playlist!.id, playlist!.live!);
  await data.streamParts.updateProcessingState(stream.id);
}

/**
 * Requests another publish of drafts with items that are still being probed. The start plays them without these items,
 * and the running stream plays the items when their probe is done.
 */
async function publishDraftsOncePlayable(
  data: Database,
  stream: Locked<Stream>,
  { parts, playlists }: Start,
  limitFactor: number,
): Promise<void> {
  for (const playlist of playlists) {
    const pending = playlist?.draft.items.some((item) => isPending(uploadFacts(parts.uploads.get(item.uploadID))));
    if (playlist && pending) await requestDraftPublish(data, stream, playlist, { limitFactor });
  }
}
