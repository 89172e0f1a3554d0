// Launches streams: writes their replicas for the agents, and the deadlines to be live.
import type { Database } from '../../data/database.ts';
import type { NewReplica } from '../../data/fleet/replicas.ts';
import type { TimelineSources } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { wokenAgents } from '../../domain/fleet/claim-share.ts';
import { isRoomFor, machineStart } from '../../domain/fleet/machine-start.ts';
import { streamBackends } from '../../domain/streams/stream-words.ts';
import { loadTargets, replicasOf } from '../destinations/output-targets.ts';
import type { OutputTarget } from '../destinations/output-targets.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The time without a report of accepted media after which a stream is `failing`. */
const activationTimeoutSeconds = 30;

/** The multiple of the start time of a machine after which a stream that waits for one is `failing`. */
const machinePatience = 2;

const awaited = {
  code: 'platform_awaited',
  detail: 'The platform has not said yet where to stream to. The field mirror says how far that is.',
};

/** A stream in `activating` whose run has begun and that has no replicas. */
export interface Launch {
  readonly stream: Locked<Stream>;
  readonly targets: readonly OutputTarget[];
  readonly sources: TimelineSources;
}

/** Launches streams. A managed stream waits in `activating` until its ingest is known. */
export async function launchStreams(data: Database, launches: readonly Launch[], now: Date): Promise<void> {
  if (launches.length === 0) return;
  const [waiting, ready] = [launches.filter(isAwaited), launches.filter((launch) => !isAwaited(launch))];
  for (const { stream } of waiting) await data.streams.setReason(stream.id, awaited);
  const launched = ready.map(({ stream, targets, sources }) => {
    const wanted = targets.filter(({ isWanted }) => isWanted);
    return { stream, replicas: replicasOf(stream, wanted, sources, now) };
  });
  const replicas = launched.flatMap((each) => each.replicas);
  await data.replicas.insert(replicas);
  const machineSeconds = await awaitedMachines(data, launched);
  for (const [id, seconds] of machineSeconds) await data.streams.setReason(id, machineStart(seconds));
  await data.dueTimes.setAll(
    launched.map(({ stream: { id } }) => {
      const seconds = machineSeconds.get(id);
      const patienceSeconds = seconds === undefined ? activationTimeoutSeconds : machinePatience * seconds;
      const dueAt = new Date(now.getTime() + patienceSeconds * 1000);
      return { stream_id: id, kind: 'activation_timeout', due_at: dueAt };
    }),
  );
  await wakeAgents(data, replicas);
}

function isAwaited({ targets }: Launch): boolean {
  return targets.some((target) => target.isAwaited);
}

/** Wakes as many agents as are to claim these replicas. */
async function wakeAgents(data: Database, replicas: readonly NewReplica[]): Promise<void> {
  for (const backend of streamBackends) {
    const streamIDs = [
      ...new Set(replicas.flatMap(({ streamID, backend: own }) => (own === backend ? [streamID] : []))),
    ];
    const woken = streamIDs.slice(0, wokenAgents(streamIDs.length));
    await data.outbox.sendAll(
      `publish-${backend}`,
      woken.map((streamID) => ({ streamID })),
    );
  }
}

/** The start times of the machines that streams wait for, in seconds, by the id of the stream. */
async function awaitedMachines(
  data: Database,
  launched: readonly { readonly stream: Stream; readonly replicas: readonly NewReplica[] }[],
): Promise<ReadonlyMap<string, number>> {
  const encoded = launched.filter(({ stream }) => stream.stream_backend !== 'manifest');
  const machineSeconds = encoded.length === 0 ? null : await data.agents.machineSeconds();
  if (machineSeconds === null) return new Map();
  const takers = await data.agents.takers('ffmpeg');
  const waiting = encoded.filter(({ replicas }) => !replicas.every(({ cost }) => isRoomFor(cost, takers)));
  return new Map(waiting.map(({ stream }) => [stream.id, machineSeconds]));
}

/** Launches a stream in `activating` whose timeline is written. Its replicas have ended. */
export async function launchStream(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  await data.replicas.deleteAll(stream.id);
  const targets = (await loadTargets(data, [stream])).get(stream.id)!;
  const sources = (await data.timelines.sources([stream.id])).get(stream.id)!;
  await launchStreams(data, [{ stream, targets, sources }], now);
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
