// A destination as clients see it, without the stream key, and the checks of what requests say about one.
import * as z from 'zod';
import type { Destination } from '../../data/destinations.ts';
import { faultOfDestination } from '../../domain/destination-url.ts';
import { adviceOnRtmpURL, isSameServer } from '../../domain/rtmp-url.ts';
import { endsInStreamKey, faultOfStreamKey } from '../../domain/stream-key.ts';
import type { Context } from '../context.ts';
import { text, timestamp } from '../fields.ts';
import { fieldProblems } from '../field-problems.ts';
import { ProblemError } from '../problem-codes.ts';
import type { FieldError } from '../problem-codes.ts';

/** The fields that requests to create and to update a destination take. */
export const destinationFields = {
  name: text(1, 255).describe('For people.'),
  rtmpURL: text(1, 2048).describe(
    'rtmp:// or rtmps://, with the application as path, such as rtmps://live.example.com/app.',
  ),
  streamKey: text(1, 512).meta({ writeOnly: true }).describe('The secret stream name that the platform gave you.'),
  backupRtmpURL: text(1, 2048).nullish().describe('The address of the platform for a second, redundant feed.'),
};

export const destinationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    rtmpURL: z.string().optional().describe('Absent where it stands for a connected channel.'),
    backupRtmpURL: z.string().optional(),
    createdAt: timestamp,
    lastUsedAt: timestamp.optional().describe('When a stream last went live there.'),
    archivedAt: timestamp.optional(),
    managedChannelTitleCached: z
      .string()
      .optional()
      .describe('Title of the connected channel that it stands for, as the platform said it last.'),
  })
  .meta({ id: 'Destination' });

export function presentDestination(destination: Destination): z.input<typeof destinationSchema> {
  const { backup_rtmp_url: backupRtmpURL, last_used_at: lastUsedAt, archived_at: archivedAt } = destination;
  const { connection_id: connectionID, channel_title: title } = destination;
  return {
    id: destination.id,
    name: destination.name,
    ...(connectionID === null ? { rtmpURL: destination.rtmp_url } : {}),
    ...(title === null ? {} : { managedChannelTitleCached: title }),
    ...(backupRtmpURL === null ? {} : { backupRtmpURL }),
    createdAt: destination.created_at,
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    ...(archivedAt === null ? {} : { archivedAt }),
  };
}

/** What a request says about a destination. Fields that are null or undefined are not checked. */
export interface DestinationInput {
  readonly rtmpURL?: string | undefined;
  readonly backupRtmpURL?: string | null | undefined;
  readonly streamKey?: string | undefined;
}

/**
 * Refuses addresses that are not RTMP or that users of this stage may not name, and texts that are no stream keys.
 * @throws {ProblemError} with every fault at its field
 */
export function assertDestination(ctx: Context, input: DestinationInput): void {
  const errors = [
    ...addressFaults(ctx, 'rtmpURL', input),
    ...addressFaults(ctx, 'backupRtmpURL', input),
    ...streamKeyFaults(input.streamKey),
  ];
  const [first] = errors;
  if (!first) return;
  const forbidden = errors.every((error) => error.code === 'destination_forbidden');
  throw new ProblemError(forbidden ? 'destination_forbidden' : 'validation_failed', first.detail, { errors });
}

/**
 * Refuses an address or a key for a destination that stands for a connected channel.
 * @throws {ProblemError} validation_failed, at each such field
 */
export function assertChannelHasNoAddress(before: Destination, input: DestinationInput): void {
  if (before.connection_id === null) return;
  const refusal = fieldProblems(
    (['rtmpURL', 'backupRtmpURL', 'streamKey'] as const)
      .filter((field) => input[field] != null)
      .map((field) => [field, 'This destination is a connected channel, which gives each stream an address and key.']),
  );
  if (refusal) throw refusal;
}

function addressFaults(ctx: Context, field: 'rtmpURL' | 'backupRtmpURL', input: DestinationInput): FieldError[] {
  const url = input[field];
  if (!url) return [];
  const path = `/${field}`;
  const fault = faultOfDestination(url, ctx.settings);
  if (fault === 'malformed') return [{ path, code: 'validation_failed', detail: adviceOnRtmpURL(url) }];
  if (fault === 'forbidden')
    return [{ path, code: 'destination_forbidden', detail: 'This address may not be streamed to. Use a public one.' }];
  if (input.streamKey === undefined || !endsInStreamKey(url, input.streamKey)) return [];
  return [
    {
      path,
      code: 'validation_failed',
      detail: 'It ends in the stream key. Leave the key out of it: it is added when the stream is published.',
    },
  ];
}

/**
 * Refuses to let the stored stream key go to a server that it was not given for: whoever may write may not read it.
 * @throws {ProblemError} validation_failed, at each address that needs the key in the same request
 */
export function assertKeyStaysWithItsServers(before: Destination, input: DestinationInput): void {
  if (input.streamKey !== undefined) return;
  const known = [before.rtmp_url, before.backup_rtmp_url ?? before.rtmp_url];
  const moved = fieldProblems(
    (['rtmpURL', 'backupRtmpURL'] as const)
      .filter((field) => input[field] && !known.some((url) => isSameServer(url, input[field]!)))
      .map((field) => [
        field,
        'This is another host or port. Send the streamKey along: the one that is stored goes nowhere else.',
      ]),
  );
  if (moved) throw moved;
}

/** The faults of a stream key, which requests about destinations and streams may carry. */
export function streamKeyFaults(streamKey: string | null | undefined): FieldError[] {
  const detail = streamKey == null ? null : faultOfStreamKey(streamKey);
  return detail === null ? [] : [{ path: '/streamKey', code: 'validation_failed', detail }];
}
