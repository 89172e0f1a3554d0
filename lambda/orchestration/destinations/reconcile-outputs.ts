// Reconciles the replicas of a running stream with its outputs: enabled outputs have replicas, others have none.
import type { Database } from '../../data/database.ts';
import { newID } from '../../data/shared/new-id.ts';
import type { Output } from '../../data/destinations/outputs.ts';
import type { Replica, ReplicaRole } from '../../data/fleet/replicas.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import { costOf } from '../../domain/fleet/capacity.ts';
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import type { PublishURL } from '../../domain/destinations/publish-url.ts';
import type { StreamCost } from '../../domain/fleet/capacity.ts';
import { meterStream } from '../billing/meter.ts';
import { wantsBackup } from '../streams/stream-parts.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The addresses of an output, as far as they are known. */
interface OutputTarget {
  /** The id of the output; null: the first output, or the managed platform. */
  readonly outputID: string | null;
  readonly isWanted: boolean;
  /** Whether a platform has not assigned its address yet. No output of the stream begins before. */
  readonly isAwaited: boolean;
  readonly urls: Readonly<Record<ReplicaRole, string | null>>;
}

/**
 * Begins and ends replicas of a running stream until they match its enabled outputs. An output waits while ending
 * replicas of any output may be sent to the same place: two publishers with one key end each other. Call this when an
 * output has changed or a replica has ended.
 */
export async function reconcileOutputs(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  if (!['activating', 'active', 'failing'].includes(stream.state)) return;
  await data.outputs.forgetDeleted(stream.id);
  const targets = await targetsOf(data, stream);
  if (targets.some(({ isAwaited }) => isAwaited)) return;
  let replicas = await data.replicas.ofStream(stream.id);
  const replicasOf = ({ outputID }: OutputTarget) => replicas.filter(({ output_id: id }) => id === outputID);
  const unwanted = replicas.filter(
    ({ output_id: id, wanted }) =>
      wanted !== 'ended' && !targets.some(({ outputID, isWanted }) => isWanted && outputID === id),
  );
  if (unwanted.length > 0) {
    await data.replicas.end(unwanted.map(({ id }) => id));
    await meterStream(data, stream, now);
    replicas = await data.replicas.ofStream(stream.id);
    await data.outputs.forgetDeleted(stream.id);
  }
  const ending = replicas.filter(({ wanted, state }) => wanted === 'ended' && state !== 'ended');
  const held = ending.map(({ output_id: id }) => targets.find(({ outputID }) => outputID === id));
  const begun = targets.filter(
    (target) =>
      target.isWanted &&
      replicasOf(target).every(mayBeReplaced) &&
      !held.some((other) => mayBeSamePlace(target, other)),
  );
  if (begun.length > 0) {
    const ended = begun.flatMap((target) => replicasOf(target).map(({ id }) => id));
    if (ended.length > 0) await data.replicas.delete(ended);
    await begin(data, stream, begun, now);
  }
  const isShared = backendOf(stream) === 'ffmpeg' && targets.length > 1;
  if (isShared && begun.length + unwanted.length > 0) await updateCosts(data, stream);
}

/**
 * Whether two outputs may lead to the same place. Stream keys are sealed, so a server counts as one place, also with
 * its TLS port. An output whose addresses are unknown may lead to any place.
 */
function mayBeSamePlace(target: OutputTarget, other: OutputTarget | undefined): boolean {
  const [own, others] = [serversOf(target), other ? serversOf(other) : []];
  const isSame = (one: PublishURL, another: PublishURL) =>
    one.way === another.way &&
    one.hostname === another.hostname &&
    (one.port === another.port || one.secure !== another.secure);
  return others.length === 0 || own.some((one) => others.some((another) => isSame(one, another)));
}

function serversOf({ urls }: OutputTarget): PublishURL[] {
  return Object.values(urls).flatMap((url) => (url && parsePublishURL(url)) || []);
}

const mayBeReplaced = ({ state, is_given_up: isGivenUp }: Replica) => state === 'ended' && !isGivenUp;

async function begin(
  data: Database,
  stream: Locked<Stream>,
  targets: readonly OutputTarget[],
  now: Date,
): Promise<void> {
  const backend = backendOf(stream);
  const cost = await costOfStream(data, stream);
  for (const target of targets)
    for (const role of rolesOf(stream, target)) {
      const replica = { id: newID('rep', now), streamID: stream.id, outputID: target.outputID, role, backend };
      await data.replicas.insert({ ...replica, cost: cost(target.urls[role], false) });
    }
  await data.outbox.send({ queue: `publish-${backend}`, body: { streamID: stream.id } });
}

/**
 * Updates the costs of the replicas of a live stream after its timeline or outputs have changed. With the encoded
 * backend, the first replica of each role has the cost of the encoder. Agents keep their replicas: they notice an
 * overload by themselves (publisher/agent/pressure.ts). The next agent that claims one has room for it.
 */
export async function updateCosts(data: Database, stream: Locked<Stream>): Promise<void> {
  const cost = await costOfStream(data, stream);
  const targets = await targetsOf(data, stream);
  const encoded = new Set<ReplicaRole>();
  for (const { id, role, wanted, output_id: outputID } of await data.replicas.ofStream(stream.id)) {
    if (wanted === 'ended') continue;
    const url = targets.find((target) => target.outputID === outputID)?.urls[role] ?? null;
    await data.replicas.setCost(id, cost(url, encoded.has(role) && backendOf(stream) === 'ffmpeg'));
    encoded.add(role);
  }
}

/** @returns a function of the cost of a replica by its address, for a stream whose timeline is written */
async function costOfStream(
  data: Database,
  stream: Stream,
): Promise<(url: string | null, isEncodedForAnother: boolean) => StreamCost> {
  const sources = await data.timelines.sources(stream.id);
  const common = { ...formatOfRun(stream), ...sources, backend: backendOf(stream) };
  return (url, isEncodedForAnother) => costOf({ ...common, url, isEncodedForAnother });
}

/** All targets of a stream: of its first output or its managed platform, and of its other outputs. */
async function targetsOf(data: Database, stream: Stream): Promise<OutputTarget[]> {
  const outputs = await data.outputs.ofStream(stream.id);
  const ids = outputs.map(({ destination_id: id }) => id);
  const destinations = new Map((await data.destinations.findMany(stream.user_id, ids)).map((each) => [each.id, each]));
  const targetOf = (output: Output): OutputTarget => {
    const destination = destinations.get(output.destination_id);
    return {
      outputID: output.is_first ? null : output.id,
      isWanted: output.enabled && output.deleted_at === null && destination?.archived_at === null,
      isAwaited: false,
      urls: { primary: destination?.url ?? null, backup: destination?.backup_url ?? null },
    };
  };
  const targets = outputs.map(targetOf);
  if (outputs.some((output) => output.is_first)) return targets;
  return [await targetWithoutDestination(data, stream), ...targets];
}

/** The target of a stream whose first target is not an output: its managed platform, or the deprecated stream key. */
async function targetWithoutDestination(data: Database, stream: Stream): Promise<OutputTarget> {
  const isManaged = stream.stream_destination === 'managed';
  const ingest = isManaged ? (await data.managedStreams.channel(stream.id))?.ingest : null;
  return {
    outputID: null,
    isWanted: isManaged || stream.sealed_stream_key !== null,
    isAwaited: isManaged && !ingest,
    urls: { primary: ingest?.url ?? null, backup: ingest?.backup_url ?? null },
  };
}

/** The roles of an output. A further output without a second address has no backup; readiness reports the first. */
function rolesOf(stream: Stream, { outputID, urls }: OutputTarget): readonly ReplicaRole[] {
  const hasBackup = wantsBackup(stream) && (outputID === null || urls.backup !== null);
  return hasBackup ? ['primary', 'backup'] : ['primary'];
}

function backendOf(stream: Stream): StreamBackend {
  return stream.stream_backend ?? 'ffmpeg';
}
