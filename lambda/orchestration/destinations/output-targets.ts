// The targets of a stream's outputs, and the replicas that send to them.
import type { Database } from '../../data/database.ts';
import type { Destination } from '../../data/destinations/destinations.ts';
import type { Output } from '../../data/destinations/outputs.ts';
import type { NewReplica, ReplicaRole } from '../../data/fleet/replicas.ts';
import type { TimelineSources } from '../../data/playout/timelines.ts';
import { newID } from '../../data/shared/new-id.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { costOf, slotsOfCost } from '../../domain/fleet/capacity.ts';
import type { StreamCost } from '../../domain/fleet/capacity.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';
import { wantsBackup } from '../streams/stream-parts.ts';

/** The addresses of an output, as far as they are known. */
export interface OutputTarget {
  /** The id of the output; null: the first output, or the managed platform. */
  readonly outputID: string | null;
  readonly isWanted: boolean;
  /** Whether a platform has not assigned its address yet. No output of the stream begins before. */
  readonly isAwaited: boolean;
  readonly urls: Readonly<Record<ReplicaRole, string | null>>;
}

/** The addresses of the ingest that a platform has assigned; null: none yet. */
type Ingest = { readonly url: string; readonly backup_url: string | null } | null;

/**
 * The targets of a stream: of its first output or its managed platform, and of its other outputs.
 * @param outputs the first one first
 * @param destinations by id
 */
export function targetsOfOutputs(
  stream: Stream,
  outputs: readonly Output[],
  destinations: ReadonlyMap<string, Destination>,
  ingest: Ingest,
): OutputTarget[] {
  const targets = outputs.map((output): OutputTarget => {
    const destination = destinations.get(output.destination_id);
    return {
      outputID: output.is_first ? null : output.id,
      isWanted: output.enabled && output.deleted_at === null && destination?.archived_at === null,
      isAwaited: false,
      urls: { primary: destination?.url ?? null, backup: destination?.backup_url ?? null },
    };
  });
  return outputs.some((output) => output.is_first) ? targets : [targetWithoutDestination(stream, ingest), ...targets];
}

/** The target of a stream whose first target is not an output: its managed platform, or the deprecated stream key. */
function targetWithoutDestination(stream: Stream, ingest: Ingest): OutputTarget {
  const isManaged = stream.stream_destination === 'managed';
  return {
    outputID: null,
    isWanted: isManaged || stream.sealed_stream_key !== null,
    isAwaited: isManaged && !ingest,
    urls: { primary: ingest?.url ?? null, backup: ingest?.backup_url ?? null },
  };
}

/** Loads the targets of streams, by the id of the stream. Outputs that are being removed have unwanted targets. */
export async function loadTargets(
  data: Database,
  streams: readonly Stream[],
): Promise<ReadonlyMap<string, readonly OutputTarget[]>> {
  const outputs = await data.outputs.allOfStreams(streams.map(({ id }) => id));
  const found = await data.destinations.findMany(
    streams.map(({ user_id: userID }) => userID),
    outputs.map(({ destination_id: id }) => id),
  );
  const destinations = new Map(found.map((destination) => [destination.id, destination]));
  const targets = new Map<string, OutputTarget[]>();
  for (const stream of streams) {
    const isManaged = stream.stream_destination === 'managed';
    const ingest = isManaged ? ((await data.managedStreams.channel(stream.id))?.ingest ?? null) : null;
    const own = outputs.filter(({ stream_id: streamID }) => streamID === stream.id);
    targets.set(stream.id, targetsOfOutputs(stream, own, destinations, ingest));
  }
  return targets;
}

/** One sending of a stream: to an output, in a role. */
interface Sending {
  readonly outputID: string | null;
  readonly role: ReplicaRole;
  readonly cost: StreamCost;
}

/**
 * The sendings of a stream to these targets. With the encoded backend, the first one of each role encodes for the
 * others.
 */
function sendingsOf(
  stream: Stream,
  targets: readonly OutputTarget[],
  format: PictureFormat,
  sources: TimelineSources,
): Sending[] {
  const cost = costOfStream(stream, format, sources);
  const encoded = new Set<ReplicaRole>();
  return targets.flatMap((target) =>
    rolesOf(stream, target).map((role) => {
      const isEncodedForAnother = backendOf(stream) === 'ffmpeg' && encoded.has(role);
      encoded.add(role);
      return { outputID: target.outputID, role, cost: cost(target.urls[role], isEncodedForAnother) };
    }),
  );
}

/** The replicas that send a stream to these targets. */
export function replicasOf(
  stream: Stream,
  targets: readonly OutputTarget[],
  sources: TimelineSources,
  now: Date,
): NewReplica[] {
  const common = { streamID: stream.id, backend: backendOf(stream) };
  return sendingsOf(stream, targets, formatOfRun(stream), sources).map((sending) => ({
    id: newID('rep', now),
    ...common,
    ...sending,
  }));
}

/** The slots that a stream counts in its user's limit: those of all its wanted targets. */
export function slotsOfTargets(
  stream: Stream,
  targets: readonly OutputTarget[],
  format: PictureFormat,
  sources: TimelineSources,
): number {
  const wanted = targets.filter(({ isWanted }) => isWanted);
  return sendingsOf(stream, wanted, format, sources).reduce((sum, { cost }) => sum + slotsOfCost(cost), 0);
}

/** The slots that the outputs of a stream need in its run now. */
export async function slotsOfRun(data: Database, stream: Stream): Promise<number> {
  const targets = (await loadTargets(data, [stream])).get(stream.id)!;
  const sources = (await data.timelines.sources([stream.id])).get(stream.id)!;
  return slotsOfTargets(stream, targets, formatOfRun(stream), sources);
}

/** @returns a function of the cost of a replica of a stream by its address */
export function costOfStream(
  stream: Stream,
  format: PictureFormat,
  sources: TimelineSources,
): (url: string | null, isEncodedForAnother: boolean) => StreamCost {
  const common = { ...format, ...sources, backend: backendOf(stream) };
  return (url, isEncodedForAnother) => costOf({ ...common, url, isEncodedForAnother });
}

/** The roles of an output. A further output without a second address has no backup; readiness reports the first. */
function rolesOf(stream: Stream, { outputID, urls }: OutputTarget): readonly ReplicaRole[] {
  const hasBackup = wantsBackup(stream) && (outputID === null || urls.backup !== null);
  return hasBackup ? ['primary', 'backup'] : ['primary'];
}

export function backendOf(stream: Stream): StreamBackend {
  return stream.stream_backend ?? 'ffmpeg';
}
