// Reads the publish plan of a replica from the database just before it connects: media, target, time within the run.
import type { Database } from '../../data/database.ts';
import type { Destination } from '../../data/destinations/destinations.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { StoredCost } from '../../data/fleet/replica-costs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import { sourceCostIn } from '../../domain/fleet/capacity.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { formatName, formatOfItem } from '../../domain/playout/rendition.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import {
  destinationKeyPlace,
  ingestKeyPlace,
  srtPassphrasePlace,
  streamKeyPlace,
} from '../../domain/shared/sealed-places.ts';
import type { StreamingSettings } from '../../orchestration/streams/stream-parts.ts';
import type { Sealer } from '../../ports/sealer/sealer.ts';
import { encodedMedia } from '../encoded/encoded-media.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import type { EncoderPace } from '../encoded/encoder-pace.ts';
import { encoderKeyOf } from '../encoded/shared-encoder.ts';
import type { SharedEncoders } from '../encoded/shared-encoder.ts';
import { loadPreparedTimelines } from '../prepared/load-timelines.ts';
import type { MadeFrom } from '../prepared/segment-sources.ts';
import type { PreparedTimeline } from '../prepared/track-reader.ts';
import { preparedMedia } from '../prepared/prepared-media.ts';
import type { PreparedMediaOptions } from '../prepared/prepared-media.ts';
import { KnownTimeline } from './known-timeline.ts';
import type { Revision, SharedTimelines } from './shared-timelines.ts';
import { targetAt } from '../destination/publishing-ways.ts';
import type { DestinationSecrets } from '../destination/publishing-way.ts';
import type { PublishPlan } from '../replica/publish-plan.ts';
import type { StreamMedia } from '../replica/stream-media.ts';
import type { AgentOptions } from './agent-options.ts';

export interface PublishPlanOptions extends Pick<
  AgentOptions,
  'objects' | 'sealer' | 'settings' | 'tools' | 'log' | 'steadyClock'
> {
  readonly data: Database;
  readonly pace: Pick<EncoderPace, 'encoder'>;
  /** The costs that the agent has room for, of the replicas of a stream that it encodes in one role. */
  readonly heldCosts: (streamID: string, role: Replica['role']) => readonly StoredCost[];
  /** The running encoders of the agent, shared by its streams. */
  readonly encoders: SharedEncoders;
  readonly timelines: SharedTimelines;
  /** The resources that the agent's prepared streams share. */
  readonly prepared: Pick<PreparedMediaOptions, 'store' | 'schedule'>;
}

/** Validity of an item's URL. The item is read from it for as long as it plays. */
const mediaURLSeconds = 12 * 3600;

export async function loadPublishPlan(options: PublishPlanOptions, replica: Replica): Promise<PublishPlan> {
  const { stream, now } = await options.data.streams.forPublishing(replica.stream_id);
  return {
    userID: stream.user_id,
    ...(await targetsOf(options, replica, stream)),
    media: (replica.backend === 'manifest' ? preparedMediaOf : encodedMediaOf)(options, stream, replica),
    elapsedMs: stream.anchored_at === null ? null : now.getTime() - stream.anchored_at.getTime(),
  };
}

/** A name of the run of a stream, and of the state in which its replicas begin: no two runs have the same move. */
function runOf({ id, last_transition_id: moveID }: Stream): string {
  return `${id} ${moveID}`;
}

function encodedMediaOf(options: PublishPlanOptions, stream: Stream, { id: replicaID, role }: Replica): StreamMedia {
  const { data, objects, tools, pace, encoders, log, steadyClock } = options;
  const make = (revision: Revision) =>
    new KnownTimeline({
      load: () => data.timelines.ofStream(stream.id, 'recent'),
      revision,
      isWhole: () => true,
      onFailure: (error) => log('timeline_not_loaded', { streamID: stream.id, error: String(error) }),
      steadyClock,
    });
  const timeline = options.timelines.of(`${runOf(stream)} encoded`, replicaID, make);
  let anchoredAtMs = stream.anchored_at?.getTime();
  return encodedMedia({
    encoders,
    encoderKey: encoderKeyOf(stream.id, role),
    tools,
    encoder: () => pace.encoder,
    mostDecodeCost: () => mostDecodeCostOf(options.heldCosts(stream.id, role), formatOfRun(stream)),
    log,
    profile: profileOf({ ...formatOfRun(stream), videoCodec: 'h264' }),
    loadTimelines: () => timeline.get(),
    urlOf: (objectKey) => objects.presignGet(objectKey, { expiresInSeconds: mediaURLSeconds }),
    captionsOf: (hash) => data.captions.file(hash),
    anchoredAtMs: async () => (anchoredAtMs ??= (await data.streams.anchor(stream.id)).anchored_at.getTime()),
  });
}

/** The decode cost in the costs of the replicas of a stream. Null: by their costs, none encodes it. */
function mostDecodeCostOf(costs: readonly StoredCost[], format: PictureFormat): number | null {
  const all = costs.flatMap((cost) => sourceCostIn(costOfReplica(cost), format) ?? []);
  return all.length === 0 ? null : Math.max(...all);
}

function preparedMediaOf(options: PublishPlanOptions, stream: Stream, { id: replicaID }: Replica): StreamMedia {
  const { data, prepared, log, steadyClock } = options;
  const format = formatOfRun(stream);
  const make = (revision: Revision) =>
    new KnownTimeline({
      load: () => loadPreparedTimelines(data, stream.id, format),
      revision,
      // A missing rendition may be ready soon.
      isWhole: ({ video, audio }) => isAllThere(video, format) && isAllThere(audio, 'sound'),
      onFailure: (error) => log('timeline_not_loaded', { streamID: stream.id, error: String(error) }),
      steadyClock,
    });
  const timeline = options.timelines.of(`${runOf(stream)} prepared`, replicaID, make);
  return preparedMedia({
    ...prepared,
    format,
    log: (event, fields) => log(event, { streamID: stream.id, ...fields }),
    loadTimelines: () => timeline.get(),
    currentTimelines: () => timeline.current(),
    onLost: (uploadID, lost) => {
      timeline.forget();
      askFor(data, uploadID, lost).catch((error: unknown) =>
        log('segment_not_asked_for', { uploadID, ...lost, error: String(error) }),
      );
    },
  });
}

/** Requests a segment or join again that is damaged or missing. */
async function askFor(data: Database, uploadID: string, lost: MadeFrom): Promise<void> {
  if ('join' in lost && !(await data.joins.prepareAgain(lost.join))) return;
  const body =
    'join' in lost
      ? ({ task: 'make_join', name: lost.join, uploadID } as const)
      : ({ task: 'prepare_upload', uploadID, format: formatName(lost.format), segment: lost.segment } as const);
  await data.outbox.send({ queue: 'media', body });
}

function isAllThere({ entries, formats }: PreparedTimeline, format: RenditionFormat): boolean {
  const isThere = (item: TimelineItem) => {
    const wanted = formatName(formatOfItem(format, item));
    return formats?.get(item.uploadID)?.some((each) => formatName(each) === wanted) ?? false;
  };
  return entries.every(({ snapshot }) => itemsPlayed(snapshot).every(isThere));
}

async function targetsOf(
  { data, sealer, settings }: PublishPlanOptions,
  replica: Replica,
  stream: Stream,
): Promise<Pick<PublishPlan, 'target' | 'freeTarget'>> {
  if (sealer === null) throw new Error('an agent without backends has no stream to publish');
  const { first, second, ...secrets } = await addressOf(data, sealer, settings, stream, replica.output_id);
  if (second === null) return { target: targetAt(first, secrets), freeTarget: null };
  const [own, other] = replica.role === 'backup' || replica.at_backup_url ? [second, first] : [first, second];
  const ofOutput = (await data.replicas.ofStream(stream.id)).filter((each) => each.output_id === replica.output_id);
  return { target: targetAt(own, secrets), freeTarget: ofOutput.length === 1 ? targetAt(other, secrets) : null };
}

interface Address extends DestinationSecrets {
  readonly first: string;
  /** The URL for a second, redundant feed; null if the destination has none. */
  readonly second: string | null;
}

async function addressOf(
  data: Database,
  sealer: Sealer,
  settings: StreamingSettings,
  stream: Stream,
  outputID: string | null,
): Promise<Address> {
  if (outputID !== null) {
    const output = await data.outputs.find(stream.id, outputID);
    if (!output) throw new Error(`output ${outputID} of stream ${stream.id} was removed`);
    return addressOfDestination(data, sealer, stream, output.destination_id);
  }
  if (stream.stream_destination === 'managed') {
    const ingest = (await data.managedStreams.channel(stream.id))?.ingest;
    if (!ingest) throw new Error(`stream ${stream.id} has no ingest at its platform`);
    const streamKey = sealer.open(ingest.sealed_key, ingestKeyPlace(stream.id));
    return { first: ingest.url, second: ingest.backup_url, streamKey, srt: null };
  }
  if (stream.destination_id === null) {
    const streamKey = sealer.open(stream.sealed_stream_key!, streamKeyPlace(stream.id));
    return { first: settings.legacyRtmpURL!, second: null, streamKey, srt: null };
  }
  return addressOfDestination(data, sealer, stream, stream.destination_id);
}

async function addressOfDestination(
  data: Database,
  sealer: Sealer,
  stream: Stream,
  destinationID: string,
): Promise<Address> {
  const destination = (await data.destinations.find(stream.user_id, destinationID))!;
  const streamKey = sealer.open(destination.sealed_stream_key, destinationKeyPlace(destination.id));
  const { url: first, backup_url: second } = destination;
  return { first, second, streamKey, srt: srtOf(destination, sealer) };
}

function srtOf(destination: Destination, sealer: Sealer): DestinationSecrets['srt'] {
  const { id, srt_latency_ms: latencyMs, srt_stream_id: streamID, sealed_srt_passphrase: sealed } = destination;
  if (latencyMs === null) return null;
  return { latencyMs, streamID, passphrase: sealed && sealer.open(sealed, srtPassphrasePlace(id)) };
}
