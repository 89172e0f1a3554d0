// A destination as clients see it, without its secrets, and the fields that requests may carry.
import * as z from 'zod';
import type { Destination } from '../../data/destinations/destinations.ts';
import { ingestLimitsAt, ingestLimitsOf, knownPlatforms } from '../../domain/destinations/ingest-limits.ts';
import type { IngestLimits } from '../../domain/destinations/ingest-limits.ts';
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import { wayNameOf } from '../../domain/destinations/ways/ways.ts';
import { text, timestamp } from '../fields.ts';
import { destinationCheckSchema, presentCheck } from './destination-check-schema.ts';

/** libsrt refuses shorter and longer passphrases. */
const passphrase = text(10, 79).meta({ writeOnly: true });
const latencyMs = z.int().min(20).max(8000);
const streamID = text(1, 512);

/** The fields that requests to create and to update a destination take. */
export const destinationFields = {
  name: text(1, 255).describe('For people.'),
  url: text(1, 2048)
    .describe(
      'rtmps://live.example.com/app; srt://HOST:PORT; or for HLS by PUT an address to whose end files’ names are ' +
        'added: https://a.upload.youtube.com/http_upload_hls?cid={streamKey}&copy=0&file=.',
    )
    .optional(),
  rtmpURL: text(1, 2048).describe('In place of url, for RTMP.').optional(),
  streamKey: text(1, 512)
    .meta({ writeOnly: true })
    .describe('The secret stream name of RTMP, or the key in an https address.')
    .optional(),
  backupURL: text(1, 2048).nullish().describe('For a second, redundant feed.'),
  backupRtmpURL: text(1, 2048).nullish().describe('In place of backupURL, for RTMP.'),
  srt: z
    .strictObject({
      passphrase: passphrase.nullish(),
      latencyMs: latencyMs.optional(),
      streamID: streamID.nullish(),
    })
    .describe('For srt:// alone. It is encrypted with a passphrase. latencyMs is 1000 if absent.')
    .optional(),
};

const limitsSchema = z
  .object({
    videoCodecs: z.array(z.string()),
    maxQuality: z.string(),
    maxVideoBitrateKbps: z.int(),
    maxFramesPerSecond: z.int(),
    maxKeyframeSeconds: z.int(),
    maxAudioBitrateKbps: z.int().nullable(),
    longestConnectionSeconds: z.int(),
  })
  .meta({ id: 'DestinationLimits' });

export const destinationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string().optional().describe('Absent where it stands for a connected channel.'),
    rtmpURL: z.string().optional(),
    backupURL: z.string().optional(),
    backupRtmpURL: z.string().optional(),
    srt: z
      .object({ latencyMs: z.int(), streamID: z.string().nullable(), isEncrypted: z.boolean() })
      .meta({ id: 'DestinationSrt' })
      .nullable(),
    platform: z.enum(knownPlatforms).nullable(),
    limits: limitsSchema.nullable().describe('What the platform takes, as known.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.optional().describe('When a stream last went live there.'),
    archivedAt: timestamp.optional(),
    managedChannelTitleCached: z
      .string()
      .optional()
      .describe('Title of the connected channel that it stands for, as the platform said it last.'),
    lastCheck: destinationCheckSchema.nullable(),
  })
  .meta({ id: 'Destination' });

export function presentDestination(destination: Destination): z.input<typeof destinationSchema> {
  const { last_used_at: lastUsedAt, archived_at: archivedAt, channel_title: title } = destination;
  const { last_check: lastCheck } = destination;
  const limits = limitsOf(destination);
  return {
    id: destination.id,
    name: destination.name,
    ...(destination.connection_id === null ? addressesOf(destination) : {}),
    srt: srtOf(destination),
    platform: limits?.name ?? null,
    limits: limits && presentLimits(limits),
    ...(title === null ? {} : { managedChannelTitleCached: title }),
    createdAt: destination.created_at,
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    ...(archivedAt === null ? {} : { archivedAt }),
    lastCheck: lastCheck && presentCheck(lastCheck),
  };
}

function addressesOf({ url, backup_url: backupURL }: Destination) {
  const isRtmp = wayNameOf(url) === 'rtmp';
  return {
    url,
    ...(isRtmp ? { rtmpURL: url } : {}),
    ...(backupURL === null ? {} : { backupURL, ...(isRtmp ? { backupRtmpURL: backupURL } : {}) }),
  };
}

function srtOf({ srt_latency_ms: latencyMs, srt_stream_id: streamID, sealed_srt_passphrase: sealed }: Destination) {
  return latencyMs === null ? null : { latencyMs, streamID, isEncrypted: sealed !== null };
}

function limitsOf({ url, channel_platform: channelPlatform }: Destination): IngestLimits | null {
  if (channelPlatform !== null) return ingestLimitsOf(channelPlatform);
  const server = parsePublishURL(url);
  return server && ingestLimitsAt(server.hostname, server.way);
}

function presentLimits(limits: IngestLimits): z.input<typeof limitsSchema> {
  return {
    videoCodecs: [...limits.videoCodecs],
    maxQuality: limits.maxQuality,
    maxVideoBitrateKbps: limits.maxVideoBitrateKbps,
    maxFramesPerSecond: limits.maxFramesPerSecond,
    maxKeyframeSeconds: limits.maxKeyframeSeconds,
    maxAudioBitrateKbps: limits.maxAudioBitrateKbps,
    longestConnectionSeconds: limits.longestConnectionMs / 1000,
  };
}
