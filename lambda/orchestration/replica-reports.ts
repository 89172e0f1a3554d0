// Turns what an agent observed of a replica into the state of its stream, which follows only from what was observed.
import type { Database } from '../data/database.ts';
import type { ReplicaFigures } from '../data/figures.ts';
import type { Claim, ReplicaState } from '../data/replicas.ts';
import type { StateReason, Stream } from '../data/streams.ts';
import { meterStream } from './meter.ts';
import { settleStopping } from './stop-stream.ts';

export interface ReplicaReport {
  readonly streamID: string;
  readonly claim: Claim;
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  /** No further attempt can help, so the stream fails. */
  readonly hopeless?: boolean;
  /** The last figures of what ends with this report, or the first ones of what begins. */
  readonly figures?: ReplicaFigures;
  /** When the agent observed it, by the database's clock. */
  readonly now: Date;
}

/**
 * Writes one report and moves the stream by it, in the caller's transaction.
 * @returns false when the agent holds the replica no more, so that it must stop sending at once
 */
export async function reportReplica(data: Database, report: ReplicaReport): Promise<boolean> {
  const { streamID, claim, state, reason, hopeless = false, figures, now } = report;
  const stream = await data.streams.lockAny(streamID);
  if (!stream) return false;
  if (figures) await data.figures.keep(claim.agent_id!, figures);
  if (!(await data.replicas.report(claim, state, reason))) {
    const isSuccessor = await data.replicas.reportSuccessor(claim, state);
    // During a hand-over the successor reports as well. Of its reports only
    // `live` counts, by which it becomes the holder.
    if (!isSuccessor || state !== 'live') return isSuccessor;
  }

  if (state === 'live') await moveByLive(data, stream, now);
  if (state === 'failing') await moveByFailing(data, stream, reason);
  if (hopeless) await giveUp(data, streamID, reason);
  await meterStream(data, stream, now);
  if (state === 'ended') await settleStopping(data, stream);
  return true;
}

async function moveByLive(data: Database, stream: Stream, now: Date): Promise<void> {
  const isFirstTime = stream.started_at === null;
  const moved = await data.streams.move(stream, 'media_accepted');
  if (!moved || !isFirstTime) return;
  await data.streams.markStarted(stream.id);
  await data.dueTimes.set(stream.id, 'activation_timeout', null);
  if (stream.stream_duration_seconds) {
    const overAt = new Date(now.getTime() + stream.stream_duration_seconds * 1000);
    await data.dueTimes.set(stream.id, 'duration_over', overAt);
  }
  if (stream.destination_id !== null) await data.destinations.markUsed(stream.destination_id);
}

/** The stream stays as it is while another replica of it is live. */
async function moveByFailing(data: Database, stream: Stream, reason: StateReason | null): Promise<void> {
  const replicas = await data.replicas.ofStream(stream.id);
  if (replicas.some((replica) => replica.state === 'live')) return;
  if (await data.streams.move(stream, 'media_interrupted', reason)) return;
  if (stream.state === 'activating' || stream.state === 'failing') await data.streams.setReason(stream.id, reason);
}

/**
 * Reports that a replica has ended, later than it did, by the agent that holds
 * it and could not reach the database then.
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

/** A stream that never became active fails at once as well, and does not wait for the activation timeout. */
async function giveUp(data: Database, streamID: string, reason: StateReason | null): Promise<void> {
  const stream = (await data.streams.lockAny(streamID))!;
  const failing = (await data.streams.move(stream, 'no_evidence', reason)) ?? stream;
  if (!(await data.streams.move(failing, 'hopeless', reason))) return;
  await data.dueTimes.clear(streamID);
  await data.replicas.endAll(streamID);
}
