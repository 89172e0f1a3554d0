// Hands a stream that is ready to the agents.
// It writes the replicas, the command that tells agents of them, and the time by which the stream has to be live.
import type { Database } from '../data/database.ts';
import { newID } from '../data/new-id.ts';
import type { ReplicaRole } from '../data/replicas.ts';
import type { Stream } from '../data/streams.ts';
import { formatOfRun } from '../data/streams.ts';
import { costOf } from '../domain/capacity.ts';
import { slotsOf } from '../domain/video-format.ts';
import { wantsBackup } from './stream-parts.ts';

/** A stream is `failing` where no agent has reported for so long that its destination takes the media. */
const activationTimeoutSeconds = 30;

/** Launches a stream in `activating`, which the caller has locked and whose run has begun. */
export async function launchStream(data: Database, stream: Stream, now: Date): Promise<void> {
  const backend = stream.stream_backend ?? 'ffmpeg';
  const format = formatOfRun(stream);
  const slots = slotsOf(backend, format.quality, format.framerate);
  const hasSoundTrack = await data.timelines.hasSoundTrack(stream.id);
  const destination =
    stream.destination_id === null ? null : await data.destinations.find(stream.user_id, stream.destination_id);
  const insertReplica = (role: ReplicaRole) => {
    const rtmpURL = (role === 'backup' ? destination?.backup_rtmp_url : destination?.rtmp_url) ?? null;
    const cost = costOf({ ...format, backend, hasSoundTrack, rtmpURL });
    return data.replicas.insert({ id: newID('rep', now), streamID: stream.id, role, backend, slots, cost });
  };
  await insertReplica('primary');
  if (wantsBackup(stream)) await insertReplica('backup');
  else await data.replicas.deleteRole(stream.id, 'backup');
  await data.dueTimes.set(stream.id, 'activation_timeout', new Date(now.getTime() + activationTimeoutSeconds * 1000));
  await data.outbox.send({ queue: `publish-${backend}`, body: { streamID: stream.id } });
}
