// Hands a stream that is ready to the agents: writes its replicas, and the time by which the stream has to be live.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import { isRoomFor, machineStart } from '../../domain/fleet/machine-start.ts';
import { reconcileOutputs } from '../destinations/reconcile-outputs.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** A stream is `failing` where no agent has reported for so long that its destination takes the media. */
const activationTimeoutSeconds = 30;

/** A stream that waits for a machine is `failing` once it has waited so many times as long as one takes. */
const machinePatience = 2;

const awaited = {
  code: 'platform_awaited',
  detail: 'The platform has not said yet where to stream to. The field mirror says how far that is.',
};

/**
 * Launches a stream in `activating` whose run has begun. One that goes to a channel
 * waits in this state until its ingest there is known.
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

/** How long the machine takes that the stream has to wait for; null where it need not, or where none would come. */
async function awaitedMachineSeconds(data: Database, stream: Stream): Promise<number | null> {
  if (stream.stream_backend === 'manifest') return null;
  const machineSeconds = await data.agents.machineSeconds();
  if (machineSeconds === null) return null;
  const takers = await data.agents.takers('ffmpeg');
  const waiting = (await data.replicas.ofStream(stream.id)).filter(({ wanted }) => wanted !== 'ended');
  return waiting.every((replica) => isRoomFor(costOfReplica(replica), takers)) ? null : machineSeconds;
}

/** Launches a stream that has waited for its ingest, which the caller's transaction has stored. */
export async function launchOnIngest(data: Database, streamID: string): Promise<void> {
  const stream = await data.streams.lockAny(streamID);
  if (stream?.state !== 'activating') return;
  const replicas = await data.replicas.ofStream(streamID);
  if (replicas.some(({ wanted }) => wanted !== 'ended')) return;
  await data.streams.setReason(streamID, null);
  await launchStream(data, stream, await data.now());
}
