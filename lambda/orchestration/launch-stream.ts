// Hands a stream that is ready to the agents.
// It writes the replicas, the command that tells agents of them, and the time by which the stream has to be live.
import type { Database } from '../data/database.ts';
import { newID } from '../data/new-id.ts';
import type { ReplicaRole } from '../data/replicas.ts';
import type { Stream } from '../data/streams.ts';
import { formatOfRun } from '../data/streams.ts';
import { costOf } from '../domain/capacity.ts';
import type { StreamCost } from '../domain/capacity.ts';
import { slotsOf } from '../domain/video-format.ts';
import { wantsBackup } from './stream-parts.ts';

/** A stream is `failing` where no agent has reported for so long that its destination takes the media. */
const activationTimeoutSeconds = 30;

/** Launches a stream in `activating`, which the caller has locked and whose run has begun. */
export async function launchStream(data: Database, stream: Stream, now: Date): Promise<void> {
  const backend = backendOf(stream);
  const format = formatOfRun(stream);
  const slots = slotsOf(backend, format.quality, format.framerate);
  for (const [role, cost] of await costsOf(data, stream))
    await data.replicas.insert({ id: newID('rep', now), streamID: stream.id, role, backend, slots, cost });
  if (!wantsBackup(stream)) await data.replicas.deleteRole(stream.id, 'backup');
  await data.dueTimes.set(stream.id, 'activation_timeout', new Date(now.getTime() + activationTimeoutSeconds * 1000));
  await data.outbox.send({ queue: `publish-${backend}`, body: { streamID: stream.id } });
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
  const destination =
    stream.destination_id === null ? null : await data.destinations.find(stream.user_id, stream.destination_id);
  const roles: readonly ReplicaRole[] = wantsBackup(stream) ? ['primary', 'backup'] : ['primary'];
  return roles.map((role) => {
    const rtmpURL = (role === 'backup' ? destination?.backup_rtmp_url : destination?.rtmp_url) ?? null;
    return [role, costOf({ ...formatOfRun(stream), ...sources, backend: backendOf(stream), rtmpURL })];
  });
}

const backendOf = (stream: Stream) => stream.stream_backend ?? 'ffmpeg';
