// The wire form of a destination. The stream key never leaves.
import * as z from 'zod';
import type { Destination } from '../../data/destinations.ts';
import { faultOfDestination } from '../../domain/destination-url.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../fields.ts';
import { fieldProblem } from '../problem-codes.ts';

export const destinationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    rtmpURL: z.string().optional(),
    backupRtmpURL: z.string().optional(),
    createdAt: timestamp,
    lastUsedAt: timestamp.optional().describe('When a stream last went live there.'),
    archivedAt: timestamp.optional(),
    managedChannelTitleCached: z.string().optional().describe('Title of the connected managed channel.'),
  })
  .meta({ id: 'Destination' });

export function presentDestination(destination: Destination): z.input<typeof destinationSchema> {
  const { backup_rtmp_url: backupRtmpURL, last_used_at: lastUsedAt, archived_at: archivedAt } = destination;
  return {
    id: destination.id,
    name: destination.name,
    rtmpURL: destination.rtmp_url,
    ...(backupRtmpURL === null ? {} : { backupRtmpURL }),
    createdAt: destination.created_at,
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    ...(archivedAt === null ? {} : { archivedAt }),
  };
}

/** Refuses an address that is not RTMP, or that this stage does not let users reach. */
export function assertDestinationURL(ctx: Context, field: string, url: string): void {
  const fault = faultOfDestination(url, ctx.settings.allowPrivateAddresses);
  if (fault === 'malformed') {
    throw fieldProblem(field, 'Must be rtmp://HOST[:PORT]/APPLICATION or rtmps://…, without user name or fragment.');
  }
  if (fault === 'forbidden') throw fieldProblem(field, 'This address may not be streamed to.', 'destination_forbidden');
}
