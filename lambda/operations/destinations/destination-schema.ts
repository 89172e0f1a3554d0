// A destination in answers, without its secrets, and the fields of requests.
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

/** The fields of requests that create or update a destination. */
export const destinationFields = {
  name: text(1, 255).describe('Name for people.'),
  url: text(1, 2048)
    .describe(
      'Address. RTMP: rtmps://live.example.com/app. SRT: srt://HOST:PORT. HLS by HTTP PUT: an address to which ' +
        'file names are appended, such as ' +
        'https://a.upload.youtube.com/http_upload_hls?cid={streamKey}&copy=0&file=.',
    )
    .optional(),
  rtmpURL: text(1, 2048).describe('Address of an RTMP destination. Use it or url.').optional(),
  streamKey: text(1, 512)
    .meta({ writeOnly: true })
    .describe('Secret stream name of RTMP, or the key that replaces {streamKey} in an https address.')
    .optional(),
  backupURL: text(1, 2048).nullish().describe('Address of a second, redundant feed.'),
  backupRtmpURL: text(1, 2048).nullish().describe('RTMP address of a second, redundant feed. Use it or backupURL.'),
  srt: z
    .strictObject({
      passphrase: passphrase.nullish().describe('Secret that encrypts the feed.'),
      latencyMs: latencyMs.optional().describe('Buffer for lost packets, in milliseconds. Default: 1000.'),
      streamID: streamID.nullish().describe('ID that the server expects in the handshake of SRT.'),
    })
    .describe('Settings of an srt:// address.')
    .optional(),
};

const limitsSchema = z
  .object({
    videoCodecs: z.array(z.string()),
    maxQuality: z.string(),
    maxVideoBitrateKbps: z.int(),
    maxFramesPerSecond: z.int(),
    maxKeyframeSeconds: z.int(),
    maxAudioBitrateKbps: z.int().nullable().describe('null: no known limit.'),
    longestConnectionSeconds: z.int(),
  })
  .meta({ id: 'DestinationLimits' });

export const destinationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string().optional().describe('Address. Absent for a connected channel.'),
    rtmpURL: z.string().optional(),
    backupURL: z.string().optional(),
    backupRtmpURL: z.string().optional(),
    srt: z
      .object({ latencyMs: z.int(), streamID: z.string().nullable(), isEncrypted: z.boolean() })
      .meta({ id: 'DestinationSrt' })
      .nullable()
      .describe('Settings of an srt:// address. null: the address is not SRT.'),
    platform: z.enum(knownPlatforms).nullable().describe('Known platform of the address. null: unknown.'),
    limits: limitsSchema.nullable().describe('Known limits of the platform. null: the platform is unknown.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.optional().describe('Last time when a stream went live on this destination.'),
    archivedAt: timestamp.optional(),
    managedChannelTitleCached: z
      .string()
      .optional()
      .describe('Last known title of the connected channel that this destination represents.'),
    lastCheck: destinationCheckSchema.nullable().describe('Last check. null: never checked.'),
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
  const { videoCodecs, longestConnectionMs } = limits;
  return { ...limits, videoCodecs: [...videoCodecs], longestConnectionSeconds: longestConnectionMs / 1000 };
}
