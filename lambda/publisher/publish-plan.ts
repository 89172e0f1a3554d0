// What a replica publishes, where to, and where in its run it is: read from the rows just before connecting.
import { setTimeout } from 'node:timers/promises';
import type { Database } from '../data/database.ts';
import type { Replica } from '../data/replicas.ts';
import { formatOfRun } from '../data/streams.ts';
import type { Stream } from '../data/streams.ts';
import type { TimelineEntry } from '../domain/play-out.ts';
import { formatName } from '../domain/rendition.ts';
import { destinationKeyPlace, streamKeyPlace } from '../domain/sealed-places.ts';
import type { StreamingSettings } from '../orchestration/stream-parts.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { encodedMedia } from './encoded-media.ts';
import { profileOf } from './ffmpeg/profile.ts';
import type { EncoderSettings } from './ffmpeg/encoder-arguments.ts';
import type { MediaOptions } from './ffmpeg-media.ts';
import type { MediaTools } from './media/media-tools.ts';
import { preparedMedia } from './prepared/prepared-media.ts';
import type { PreparedMediaOptions } from './prepared/prepared-media.ts';
import type { PublishTarget } from './rtmp/rtmp-client.ts';
import type { StreamMedia } from './stream-media.ts';

export interface PublishPlan {
  readonly target: PublishTarget;
  /** The destination's other URL, where no replica of the stream publishes; null without one. */
  readonly freeTarget: PublishTarget | null;
  readonly media: StreamMedia;
  /** Milliseconds since the run's anchor when the plan was read; null before the first frame. */
  readonly elapsedMs: number | null;
}

export interface PlanParts {
  readonly data: Database;
  readonly objects: ObjectStore;
  readonly sealer: Sealer;
  readonly settings: StreamingSettings;
  readonly tools: MediaTools;
  readonly encoder: EncoderSettings;
  readonly log: MediaOptions['log'];
  /** What the agent's prepared streams share. */
  readonly prepared: Pick<PreparedMediaOptions, 'store' | 'schedule'>;
}

/** An item is read from its URL for as long as it plays. */
const mediaURLSeconds = 12 * 3600;

export async function loadPublishPlan(parts: PlanParts, replica: Replica): Promise<PublishPlan> {
  const { stream, now } = await parts.data.streams.forPublishing(replica.stream_id);
  return {
    ...(await targetsOf(parts, replica, stream)),
    media: replica.backend === 'manifest' ? preparedMediaOf(parts, stream) : encodedMediaOf(parts, stream),
    elapsedMs: stream.anchored_at === null ? null : now.getTime() - stream.anchored_at.getTime(),
  };
}

function encodedMediaOf({ data, objects, tools, encoder, log }: PlanParts, stream: Stream): StreamMedia {
  return encodedMedia({
    tools,
    encoder,
    log,
    profile: profileOf({ ...formatOfRun(stream), videoCodec: 'h264' }),
    loadTimelines: lastKnown(
      () => data.timelines.ofStream(stream.id),
      (error) => log('timeline_not_loaded', { streamID: stream.id, error: String(error) }),
    ),
    urlOf: (objectKey) => objects.presignGet(objectKey, { expiresInSeconds: mediaURLSeconds }),
  });
}

function preparedMediaOf({ data, prepared, log }: PlanParts, stream: Stream): StreamMedia {
  const format = formatOfRun(stream);
  const withHashes = async (entries: readonly TimelineEntry[], name: string) => {
    const uploadIDs = entries.flatMap(({ snapshot }) => snapshot.items.map(({ uploadID }) => uploadID));
    return { entries, contentHashes: await data.renditions.contentHashes(uploadIDs, name) };
  };
  return preparedMedia({
    ...prepared,
    format,
    log: (event, fields) => log(event, { streamID: stream.id, ...fields }),
    loadTimelines: lastKnown(
      async () => {
        const { video, audio } = await data.timelines.ofStream(stream.id);
        return {
          video: await withHashes(video, formatName(format)),
          audio: await withHashes(audio, formatName('sound')),
        };
      },
      (error) => log('timeline_not_loaded', { streamID: stream.id, error: String(error) }),
    ),
    onLost: (uploadID, lost, segment) => {
      const body = { task: 'prepare_upload', uploadID, format: formatName(lost), segment } as const;
      data.outbox
        .send({ queue: 'media', body })
        .catch((error: unknown) => log('segment_not_asked_for', { uploadID, segment, error: String(error) }));
    },
  });
}

/** What plays next is read two seconds ahead. */
const timelineWithinMs = 500;

/** Loads anew each time, and answers what it loaded last when that fails or takes long: a stream goes on while the database does not answer. */
function lastKnown<Value>(load: () => Promise<Value>, onFailure: (error: unknown) => void): () => Promise<Value> {
  let known: { value: Value } | null = null;
  // One at a time: those that wait for an answer would take all connections.
  let loading: Promise<{ value: Value }> | null = null;
  return async () => {
    loading ??= load()
      .then((value) => (known = { value }))
      .finally(() => (loading = null));
    if (!known) return (await loading).value;
    const before = known;
    const late = setTimeout(timelineWithinMs, before, { ref: false });
    return (await Promise.race([loading, late]).catch((error: unknown) => (onFailure(error), before))).value;
  };
}

async function targetsOf(
  { data, sealer, settings }: PlanParts,
  replica: Replica,
  stream: Stream,
): Promise<Pick<PublishPlan, 'target' | 'freeTarget'>> {
  if (stream.destination_id === null) {
    const streamKey = sealer.open(stream.sealed_stream_key!, streamKeyPlace(stream.id));
    return { target: { rtmpURL: settings.legacyRtmpURL!, streamKey }, freeTarget: null };
  }
  const destination = (await data.destinations.find(stream.user_id, stream.destination_id))!;
  const streamKey = sealer.open(destination.sealed_stream_key, destinationKeyPlace(destination.id));
  const { rtmp_url: first, backup_rtmp_url: second } = destination;
  if (second === null) return { target: { rtmpURL: first, streamKey }, freeTarget: null };
  const [own, other] = replica.role === 'backup' || replica.at_backup_url ? [second, first] : [first, second];
  const isAlone = (await data.replicas.ofStream(stream.id)).length === 1;
  return { target: { rtmpURL: own, streamKey }, freeTarget: isAlone ? { rtmpURL: other, streamKey } : null };
}
