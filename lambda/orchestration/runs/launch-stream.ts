// Launches streams: writes their replicas for the agents, and the deadlines to be live.
import type { Database } from '../../data/database.ts';
import type { Launch as NewLaunch, NewReplica, Replica } from '../../data/fleet/replicas.ts';
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

/**
 * Launches streams. A managed stream waits in `activating` until its ingest is known.
 * @returns the new replicas
 */
export async function launchStreams(
  data: Database,
  launches: readonly Launch[],
  now: Date,
): Promise<readonly Replica[]> {
  if (launches.length === 0) return [];
  const [waiting, ready] = [launches.filter(isAwaited), launches.filter((launch) => !isAwaited(launch))];
  for (const { stream } of waiting) await data.streams.setReason(stream.id, awaited);
  const launched = ready.map(({ stream, targets, sources }) => {
    const wanted = targets.filter(({ isWanted }) => isWanted);
    return { stream, replicas: replicasOf(stream, wanted, sources, now) };
  });
  const replicas = launched.flatMap((each) => each.replicas);
  const dueAt = inSeconds(now, activationTimeoutSeconds);
  const deadlines = ready.map(({ stream }) => ({ streamID: stream.id, dueAt }));
  const made = await data.replicas.launch({ replicas, deadlines, wakes: wakesOf(replicas) });
  const unfunded = new Set(made.replicas.flatMap((each) => (each.is_unfunded ? [each.stream_id] : [])));
  if (made.machineSeconds !== null) await awaitMachines(data, { launched, unfunded }, made.machineSeconds, now);
  return made.replicas;
}

const inSeconds = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);

function isAwaited({ targets }: Launch): boolean {
  return targets.some((target) => target.isAwaited);
}

/** As many streams of each backend as agents are woken to claim these replicas. */
function wakesOf(replicas: readonly NewReplica[]): NewLaunch['wakes'] {
  return streamBackends.flatMap((backend) => {
    const ids = new Set(replicas.flatMap(({ streamID, backend: own }) => (own === backend ? [streamID] : [])));
    return [...ids].slice(0, wokenAgents(ids.size)).map((streamID) => ({ streamID, backend }));
  });
}

/**
 * Moves the deadline of streams that no agent has room for until after a machine has started. Their reason shows this.
 * @param unfunded the streams of users who are not funded: for these, no machine is started beside another one
 * @param seconds the start time of a machine
 */
async function awaitMachines(
  data: Database,
  {
    launched,
    unfunded,
  }: {
    readonly launched: readonly { readonly stream: Stream; readonly replicas: readonly NewReplica[] }[];
    readonly unfunded: ReadonlySet<string>;
  },
  seconds: number,
  now: Date,
): Promise<void> {
  const encoded = launched.filter(({ stream }) => stream.stream_backend !== 'manifest');
  if (encoded.length === 0) return;
  const takers = await data.agents.takers('ffmpeg');
  const anyMachine = takers.some(({ isMachine }) => isMachine);
  const waiting = encoded.filter(
    ({ stream, replicas }) =>
      !(anyMachine && unfunded.has(stream.id)) && !replicas.every(({ cost }) => isRoomFor(cost, takers)),
  );
  for (const { stream } of waiting) await data.streams.setReason(stream.id, machineStart(seconds));
  const dueAt = inSeconds(now, machinePatience * seconds);
  await data.dueTimes.setAll(
    waiting.map(({ stream: { id } }) => ({ stream_id: id, kind: 'activation_timeout', due_at: dueAt })),
  );
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
