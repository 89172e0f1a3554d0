// Launches a stream: writes its replicas for the agents, and the deadline to be live.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import { isRoomFor, machineStart } from '../../domain/fleet/machine-start.ts';
import { reconcileOutputs } from '../destinations/reconcile-outputs.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The time without a report of accepted media after which a stream is `failing`. */
const activationTimeoutSeconds = 30;

/** The multiple of the start time of a machine after which a stream that waits for one is `failing`. */
const machinePatience = 2;

const awaited = {
  code: 'platform_awaited',
  detail: 'The platform has not said yet where to stream to. The field mirror says how far that is.',
};

/**
 * Launches a stream in `activating` whose run has begun. A managed stream waits in this state until its ingest is
 * known.
 */
export async function launchStream(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  const isManaged = stream.stream_destination === 'managed';
  if (isManaged && !(await data.managedStreams.channel(stream.id))?.ingest) {
    await data.streams.setReason(stream.id, awaited);
    return;
  }
  await data.replicas.deleteAll(stream.id);
  await reconcileOutputs(data, stream, now);
  const machineSeconds = await awaitedMachineSeconds(data, stream);
  if (machineSeconds !== null) await data.streams.setReason(stream.id, machineStart(machineSeconds));
  const patienceSeconds = machineSeconds === null ? activationTimeoutSeconds : machinePatience * machineSeconds;
  await data.dueTimes.set(stream.id, 'activation_timeout', new Date(now.getTime() + patienceSeconds * 1000));
}

/** The start time of the machine that the stream waits for, in seconds; null: it does not wait, or none starts. */
async function awaitedMachineSeconds(data: Database, stream: Stream): Promise<number | null> {
  if (stream.stream_backend === 'manifest') return null;
  const machineSeconds = await data.agents.machineSeconds();
  if (machineSeconds === null) return null;
  const takers = await data.agents.takers('ffmpeg');
  const waiting = (await data.replicas.ofStream(stream.id)).filter(({ wanted }) => wanted !== 'ended');
  return waiting.every((replica) => isRoomFor(costOfReplica(replica), takers)) ? null : machineSeconds;
}

/** Launches a stream that waited for its ingest, after the caller's transaction has stored it. */
export async function launchOnIngest(data: Database, streamID: string): Promise<void> {
  const stream = await data.streams.lockAny(streamID);
  if (stream?.state !== 'activating') return;
  const replicas = await data.replicas.ofStream(streamID);
  if (replicas.some(({ wanted }) => wanted !== 'ended')) return;
  await data.streams.setReason(streamID, null);
  await launchStream(data, stream, await data.now());
}
