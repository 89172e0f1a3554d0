// Hands a stream that is ready to the agents: the replicas, the command that wakes them up, and how long they may take.
import type { Database } from '../data/database.ts';
import { newID } from '../data/new-id.ts';
import type { Stream } from '../data/streams.ts';
import { slotsOf } from '../domain/video-format.ts';
import { wantsBackup } from './stream-parts.ts';

/** A start without evidence of media for this long is `failing` (operations, part 5). */
const activationTimeoutSeconds = 30;

/** For a stream in `activating` that the caller has locked, with its run begun. */
export async function launchStream(data: Database, stream: Stream, now: Date): Promise<void> {
  const backend = stream.stream_backend ?? 'ffmpeg';
  const slots = slotsOf(backend, stream.run_quality!, stream.run_framerate!);
  await data.replicas.insert({ id: newID('rep', now), streamID: stream.id, role: 'primary', backend, slots });
  if (wantsBackup(stream))
    await data.replicas.insert({ id: newID('rep', now), streamID: stream.id, role: 'backup', backend, slots });
  else await data.replicas.deleteRole(stream.id, 'backup');
  await data.dueTimes.set(stream.id, 'activation_timeout', new Date(now.getTime() + activationTimeoutSeconds * 1000));
  await data.outbox.send({ queue: `publish-${backend}`, body: { streamID: stream.id } });
}
