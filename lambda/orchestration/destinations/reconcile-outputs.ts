// Reconciles the replicas of a running stream with its outputs: enabled outputs have replicas, others have none.
import type { Database } from '../../data/database.ts';
import type { Replica, ReplicaRole } from '../../data/fleet/replicas.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import type { PublishURL } from '../../domain/destinations/publish-url.ts';
import { meterStream } from '../billing/meter.ts';
import { backendOf, costOfStream, loadTargets, replicasOf, slotsOfTargets } from './output-targets.ts';
import type { OutputTarget } from './output-targets.ts';
import type { Locked } from '../../data/shared/locked.ts';

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
  const sources = (await data.timelines.sources([stream.id])).get(stream.id)!;
  const wakes = [{ streamID: stream.id, backend: backendOf(stream) }];
  await data.replicas.launch({ replicas: replicasOf(stream, targets, sources, now), deadlines: [], wakes });
}

/**
 * Updates the costs of the replicas of a live stream, and its slots, after its timeline or outputs have changed. With
 * the encoded backend, the first replica of each role has the cost of the encoder. Agents release replicas that they
 * have no room for any more (publisher/agent/grown-shares.ts). The next agent that claims one has room for it.
 */
export async function updateCosts(data: Database, stream: Locked<Stream>): Promise<void> {
  const sources = (await data.timelines.sources([stream.id])).get(stream.id)!;
  const targets = await targetsOf(data, stream);
  const cost = costOfStream(stream, formatOfRun(stream), sources);
  const encoded = new Set<ReplicaRole>();
  const replicas = (await data.replicas.ofStream(stream.id)).filter(({ wanted }) => wanted !== 'ended');
  const costs = replicas.map(({ id, role, output_id: outputID }) => {
    const url = targets.find((target) => target.outputID === outputID)?.urls[role] ?? null;
    const isEncodedForAnother = backendOf(stream) === 'ffmpeg' && encoded.has(role);
    encoded.add(role);
    return { id, cost: cost(url, isEncodedForAnother) };
  });
  await data.replicas.setCosts(costs);
  const slots = slotsOfTargets(stream, targets, formatOfRun(stream), sources);
  if (slots !== stream.run_slots) await data.streams.setSlots(stream.id, slots);
}

/** All targets of a stream now. */
async function targetsOf(data: Database, stream: Stream): Promise<readonly OutputTarget[]> {
  return (await loadTargets(data, [stream])).get(stream.id)!;
}
