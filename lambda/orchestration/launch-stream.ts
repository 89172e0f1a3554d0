// Hands a stream that is ready to the agents.
// It writes the replicas, the command that tells agents of them, and the time by which the stream has to be live.
import type { Database } from '../data/database.ts';
import { newID } from '../data/new-id.ts';
import type { ReplicaRole } from '../data/replicas.ts';
import type { Stream } from '../data/streams.ts';
import { formatOfRun } from '../data/streams.ts';
import { costOf } from '../domain/capacity.ts';
import type { StreamCost } from '../domain/capacity.ts';
import { slotsOfOldRelease } from '../domain/video-format.ts';
import { wantsBackup } from './stream-parts.ts';

/** A stream is `failing` where no agent has reported for so long that its destination takes the media. */
const activationTimeoutSeconds = 30;

const awaited = {
  code: 'platform_awaited',
  detail: 'The platform has not said yet where to stream to. The field mirror says how far that is.',
};

/**
 * Launches a stream in `activating`, which the caller has locked and whose run has begun. One that goes to a channel
 * waits in this state until its ingest there is known.
 */
export async function launchStream(data: Database, stream: Stream, now: Date): Promise<void> {
  const addresses = await addressesOf(data, stream);
  if (addresses === null) {
    await data.streams.setReason(stream.id, awaited);
    return;
  }
  const backend = backendOf(stream);
  const format = formatOfRun(stream);
  const slots = slotsOfOldRelease(backend, format.quality, format.framerate);
  await data.replicas.deleteAll(stream.id);
  for (const [role, cost] of await costsOf(data, stream))
    await data.replicas.insert({ id: newID('rep', now), streamID: stream.id, role, backend, slots, cost });
  await data.dueTimes.set(stream.id, 'activation_timeout', new Date(now.getTime() + activationTimeoutSeconds * 1000));
  await data.outbox.send({ queue: `publish-${backend}`, body: { streamID: stream.id } });
}

/** Launches a stream that has waited for its ingest, which the caller's transaction has stored. */
export async function launchOnIngest(data: Database, streamID: string): Promise<void> {
  const stream = await data.streams.lockAny(streamID);
  if (stream?.state !== 'activating') return;
  const replicas = await data.replicas.ofStream(streamID);
  if (replicas.some(({ wanted }) => wanted === 'live')) return;
  await data.streams.setReason(streamID, null);
  await launchStream(data, stream, await data.now());
}

/**
 * Notes what a live stream costs now that its timeline has changed. Its agent keeps it as it is: what is too much shows
 * by itself (publisher/agent/pressure.ts). The next agent that takes it has room for it.
 */
export async function noteCosts(data: Database, stream: Stream): Promise<void> {
  for (const [role, cost] of await costsOf(data, stream)) await data.replicas.setCost(stream.id, role, cost);
}

/** What each replica of a stream costs, whose timeline is written. */
async function costsOf(data: Database, stream: Stream): Promise<(readonly [ReplicaRole, StreamCost])[]> {
  const sources = await data.timelines.sources(stream.id);
  const addresses = await addressesOf(data, stream);
  const roles: readonly ReplicaRole[] = wantsBackup(stream) ? ['primary', 'backup'] : ['primary'];
  return roles.map((role) => {
    const url = addresses?.[role] ?? null;
    return [role, costOf({ ...formatOfRun(stream), ...sources, backend: backendOf(stream), url })];
  });
}

/** Where each replica is sent to, as far as that is known; null while a platform has not said it. */
async function addressesOf(
  data: Database,
  stream: Stream,
): Promise<Readonly<Record<ReplicaRole, string | null>> | null> {
  if (stream.stream_destination === 'managed') {
    const ingest = (await data.managedStreams.channel(stream.id))?.ingest;
    return ingest ? { primary: ingest.url, backup: ingest.backup_url } : null;
  }
  const { user_id: userID, destination_id: id } = stream;
  const destination = id === null ? null : await data.destinations.find(userID, id);
  return { primary: destination?.rtmp_url ?? null, backup: destination?.backup_rtmp_url ?? null };
}

const backendOf = (stream: Stream) => stream.stream_backend ?? 'ffmpeg';
