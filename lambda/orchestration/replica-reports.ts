// Turns what an agent observed of a replica into the state of its stream: evidence, not hope.
import type { Database } from '../data/database.ts';
import type { ReplicaFigures } from '../data/figures.ts';
import type { Claim, ReplicaState } from '../data/replicas.ts';
import type { StateReason } from '../data/streams.ts';
import { meterStream } from './meter.ts';
import { settleStopping } from './stop-stream.ts';

export interface ReplicaReport {
  readonly streamID: string;
  readonly claim: Claim;
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  /** Nothing that is retried can help any more: the stream fails. */
  readonly hopeless?: boolean;
  /** The last ones of what ends with this report, or the first of what begins. */
  readonly figures?: ReplicaFigures;
  /** When it was observed. */
  readonly now: Date;
}

/**
 * Writes one report and moves the stream by it, in the caller's transaction.
 * @returns false when the agent holds the replica no more: it must stop at once
 */
export async function reportReplica(data: Database, report: ReplicaReport): Promise<boolean> {
  const { streamID, claim, state, reason, hopeless = false, figures, now } = report;
  const stream = await data.streams.lockAny(streamID);
  if (!stream) return false;
  if (figures) await data.figures.keep(claim.agent_id!, figures);
  if (!(await data.replicas.report(claim, state, reason))) {
    const isSuccessor = await data.replicas.reportSuccessor(claim, state);
    // Of a successor only that counts which makes it the holder.
    if (!isSuccessor || state !== 'live') return isSuccessor;
  }

  if (state === 'live') {
    const first = stream.started_at === null;
    const moved = await data.streams.move(stream, 'media_accepted');
    if (moved && first) {
      await data.streams.markStarted(streamID);
      await data.dueTimes.set(streamID, 'activation_timeout', null);
      if (stream.stream_duration_seconds) {
        await data.dueTimes.set(
          streamID,
          'duration_over',
          new Date(now.getTime() + stream.stream_duration_seconds * 1000),
        );
      }
      if (stream.destination_id !== null) await data.destinations.markUsed(stream.destination_id);
    }
  }

  if (state === 'failing') {
    const replicas = await data.replicas.ofStream(streamID);
    const anyLive = replicas.some((replica) => replica.state === 'live');
    const interrupted = !anyLive && (await data.streams.move(stream, 'media_interrupted', reason));
    if (!anyLive && !interrupted && (stream.state === 'activating' || stream.state === 'failing')) {
      await data.streams.setReason(streamID, reason);
    }
  }

  if (hopeless) await giveUp(data, streamID, reason);
  await meterStream(data, stream, now);
  if (state === 'ended') await settleStopping(data, stream);
  return true;
}

/** For a run that is over, of which nobody could be told then: the agent that holds the replica reports its end. */
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

/** A stream that never became active fails as well, without waiting for the time that activation may take. */
async function giveUp(data: Database, streamID: string, reason: StateReason | null): Promise<void> {
  const stream = (await data.streams.lockAny(streamID))!;
  const failing = (await data.streams.move(stream, 'no_evidence', reason)) ?? stream;
  if (!(await data.streams.move(failing, 'hopeless', reason))) return;
  await data.dueTimes.clear(streamID);
  await data.replicas.endAll(streamID);
}
