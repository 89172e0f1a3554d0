// Hands a stream that is ready to the agents.
// It writes the replicas, the command that tells agents of them, and the time by which the stream has to be live.
import type { Database } from '../data/database.ts';
import { newID } from '../data/new-id.ts';
import type { ReplicaRole } from '../data/replicas.ts';
import type { Stream } from '../data/streams.ts';
import { slotsOf } from '../domain/video-format.ts';
import { wantsBackup } from './stream-parts.ts';

/** A stream is `failing` where no agent has reported for so long that its destination takes the media. */
const activationTimeoutSeconds = 30;

/** Launches a stream in `activating`, which the caller has locked and whose run has begun. */
export async function launchStream(data: Database, stream: Stream, now: Date): Promise<void> {
  const backend = stream.stream_backend ?? 'ffmpeg';
  const slots = slotsOf(backend, stream.run_quality!, stream.run_framerate!);
  const insertReplica = (role: ReplicaRole) =>
    data.replicas.insert({ id: newID('rep', now), streamID: stream.id, role, backend, slots });
  await insertReplica('primary');
  if (wantsBackup(stream)) await insertReplica('backup');
  else await data.replicas.deleteRole(stream.id, 'backup');
  await data.dueTimes.set(stream.id, 'activation_timeout', new Date(now.getTime() + activationTimeoutSeconds * 1000));
  await data.outbox.send({ queue: `publish-${backend}`, body: { streamID: stream.id } });
}
