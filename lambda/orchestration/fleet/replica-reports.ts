// Applies reports of agents on replicas to their streams. The state of a stream follows only from such reports.
import type { Database } from '../../data/database.ts';
import type { ReplicaFigures } from '../../data/fleet/figures.ts';
import type { Claim, FailedAttempt, PublishedFor } from '../../data/fleet/replicas.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import { nextState } from '../../domain/streams/stream-lifecycle.ts';
import { meterStreams } from '../billing/meter.ts';
import { reconcileOutputs } from '../destinations/reconcile-outputs.ts';
import { finishStops } from '../streams/stop-stream.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { ReplicaState } from '../../domain/fleet/replica-words.ts';

export interface ReplicaReport {
  readonly streamID: string;
  readonly claim: Claim;
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  /** Whether no retry can help: the output is given up, and with the last output the stream fails. */
  readonly hopeless?: boolean;
  /** The share of its agent that the replica holds, 0 while it rests; absent: unchanged. */
  readonly share?: number;
  /** Present if it is failing. */
  readonly attempt?: FailedAttempt;
  /** Whether the destination takes pictures although the replica is failing; absent: it does not. */
  readonly takesMedia?: boolean;
  /** The last figures of a replica that ends with this report, or the first ones of one that begins. */
  readonly figures?: ReplicaFigures;
  /** The time of the observation, by the clock of the database. */
  readonly now: Date;
}

/**
 * Applies one report, in the caller's transaction.
 * @returns false if the agent no longer holds the replica: it must stop sending at once
 */
export async function reportReplica(data: Database, report: ReplicaReport): Promise<boolean> {
  const answers = await writeReports(data, [report], await data.streams.lockMany([report.streamID]));
  return answers.get(report) ?? false;
}

/**
 * Applies reports, each about another stream, as `reportReplica` does. Thousands of reports take as many statements as
 * one, except in rare cases. Reports on streams that another transaction has locked are skipped.
 * @returns the answers to the applied reports
 */
export async function reportReplicas(
  data: Database,
  reports: readonly ReplicaReport[],
): Promise<ReadonlyMap<ReplicaReport, boolean>> {
  return writeReports(data, reports, await data.streams.lockFree(reports.map(({ streamID }) => streamID)));
}

async function writeReports(
  data: Database,
  reports: readonly ReplicaReport[],
  locked: readonly Locked<Stream>[],
): Promise<ReadonlyMap<ReplicaReport, boolean>> {
  const streams = new Map(locked.map((stream) => [stream.id, stream]));
  const found = reports.flatMap((report) => {
    const stream = streams.get(report.streamID);
    return stream ? [{ ...report, stream, report }] : [];
  });
  if (found.length === 0) return new Map();
  await data.figures.keepAll(
    found.flatMap(({ claim, figures, ...report }) =>
      figures && !movesByLive(report) ? [{ ...figures, agentID: claim.agent_id! }] : [],
    ),
  );
  const held = await data.replicas.reportAll(found);
  const answers = new Map<ReplicaReport, boolean>();
  const counting: FoundReport[] = [];
  for (const each of found) {
    const { report, claim, state } = each;
    const isHolder = held.has(claim.id);
    answers.set(report, isHolder || (await data.replicaClaims.reportSuccessor(claim, state)));
    // During a hand-over the successor reports as well. Only its report `live` counts: it becomes the holder.
    if (isHolder || (answers.get(report) && state === 'live')) counting.push(each);
  }

  const used = await moveByLive(
    data,
    counting.filter(({ state }) => state === 'live'),
    held,
  );
  const failing = counting.filter(({ state }) => state === 'failing');
  await moveByFailing(data, failing);
  await updateWarnings(data, counting);
  for (const { hopeless, streamID, reason, claim } of counting)
    if (hopeless) await giveUp(data, streamID, held.get(claim.id)?.output_id ?? null, reason);
  if (failing.length > 0) await data.liveIntervals.recordTaking(failing);
  await meterStreams(
    data,
    counting.map(({ stream, now }) => ({ stream, at: now })),
  );
  // Last, as many streams of a user often start at one destination.
  if (used.outputIDs.length > 0) await data.destinations.markUsedByOutputs(used.outputIDs);
  if (used.streamIDs.length > 0) await data.destinations.markUsedBy(used.streamIDs);
  const ended = counting.filter(({ state }) => state === 'ended');
  await finishStops(
    data,
    ended.map(({ stream }) => stream),
  );
  for (const { stream, now } of ended) await reconcileOutputs(data, stream, now);
  return answers;
}

interface FoundReport extends ReplicaReport {
  /** The stream as it was locked. */
  readonly stream: Locked<Stream>;
}

function movesByLive({ stream, state }: Pick<FoundReport, 'stream' | 'state'>): boolean {
  return state === 'live' && nextState(stream.state, 'media_accepted') !== null;
}

/** Outputs that went live: further ones, and the first ones of streams whose runs were never live before. */
interface GoneLive {
  readonly outputIDs: readonly string[];
  readonly streamIDs: readonly string[];
}

/** @param held the outputs and roles of the held replicas, by id */
async function moveByLive(
  data: Database,
  reports: readonly FoundReport[],
  held: ReadonlyMap<string, PublishedFor>,
): Promise<GoneLive> {
  const movedIDs = await data.streamMoves.moveAll(
    reports.map(({ stream, claim, figures }) => {
      const { role, output_id: outputID = null } = held.get(claim.id) ?? {};
      const isKept = role !== undefined && outputID === null && figures;
      const kept = { primary: null, backup: null, ...(isKept && { [role]: JSON.stringify(figures.stats) }) };
      return { stream, cause: 'media_accepted', reason: null, figures: kept };
    }),
  );
  const outputIDs = reports.flatMap(({ claim }) => held.get(claim.id)?.output_id ?? []);
  const started = reports.filter(({ stream }) => stream.started_at === null && movedIDs.has(stream.id));
  const streamIDs = started.map(({ streamID }) => streamID);
  await data.dueTimes.disarm(streamIDs.map((id) => ({ stream_id: id, kind: 'activation_timeout' })));
  await data.dueTimes.setAll(
    started.flatMap(({ stream: { id, stream_duration_seconds: seconds }, now }) =>
      seconds ? [{ stream_id: id, kind: 'duration_over', due_at: new Date(now.getTime() + seconds * 1000) }] : [],
    ),
  );
  return { outputIDs, streamIDs };
}

/** Sets the reason of an active stream to a warning of any of its live replicas. */
async function updateWarnings(data: Database, reports: readonly FoundReport[]): Promise<void> {
  const warned = ({ stream, state, reason }: FoundReport) =>
    (state === 'live' && reason !== null) || (stream.state === 'active' && stream.state_reason !== null);
  const streamIDs = reports.filter(warned).map(({ streamID }) => streamID);
  if (streamIDs.length === 0) return;
  const live = (await data.replicas.ofStreams(streamIDs)).filter(({ state }) => state === 'live');
  for (const id of streamIDs) {
    const reason = live.find((replica) => replica.stream_id === id && replica.reason !== null)?.reason ?? null;
    await data.streams.warn(id, reason);
  }
}

/** Moves streams to `failing`, unless another replica of any output is live. */
async function moveByFailing(data: Database, reports: readonly FoundReport[]): Promise<void> {
  if (reports.length === 0) return;
  const replicas = await data.replicas.ofStreams(reports.map(({ streamID }) => streamID));
  const live = new Set(replicas.filter(({ state }) => state === 'live').map(({ stream_id: streamID }) => streamID));
  const dark = reports.filter(({ streamID }) => !live.has(streamID));
  const movedIDs = await data.streamMoves.moveAll(
    dark.map(({ stream, reason }) => ({ stream, cause: 'media_interrupted', reason })),
  );
  for (const { stream, reason } of dark) {
    if (movedIDs.has(stream.id)) continue;
    if (stream.state === 'activating' || stream.state === 'failing') await data.streams.setReason(stream.id, reason);
  }
}

/**
 * Reports later that a replica has ended, for its holder, which could not reach the database in time.
 */
export async function reportEnded(data: Database, replicaID: string, agentID: string): Promise<void> {
  const replica = await data.replicas.find(replicaID);
  if (!replica || replica.agent_id !== agentID) return;
  await reportReplica(data, {
    streamID: replica.stream_id,
    claim: replica,
    state: 'ended',
    reason: null,
    now: await data.now(),
  });
}

/**
 * Gives an output up; with the last output the stream fails. A stream that never became active fails at once as well,
 * without a wait for the activation timeout.
 */
async function giveUp(
  data: Database,
  streamID: string,
  outputID: string | null,
  reason: StateReason | null,
): Promise<void> {
  const replicas = await data.replicas.ofStream(streamID);
  if (replicas.some(({ output_id: id, wanted }) => id !== outputID && wanted !== 'ended')) {
    await data.replicas.giveUp(streamID, outputID, reason);
    return;
  }
  const stream = (await data.streams.lockAny(streamID))!;
  const failing = (await data.streamMoves.move(stream, 'no_evidence', reason)) ?? stream;
  if (!(await data.streamMoves.move(failing, 'hopeless', reason))) return;
  await data.replicas.endAll([streamID]);
}
