// A connection to a channel in answers, and the link at which the channel's owner consents.
import * as z from 'zod';
import type { Connection } from '../../data/channels/connections.ts';
import { connectionStates, platformNames } from '../../domain/channels/managed-platforms.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../fields.ts';
import { ProblemError } from '../problem-codes.ts';
import { shownColumns } from '../shown-columns.ts';

/** Minutes until a link to consent expires. */
const consentMinutes = 15;

export const platformName = z.enum(platformNames).meta({ id: 'PlatformName' });

/** The page to which the person returns after consent. Only paths of this site are allowed. */
export const returnPath = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[\w\-./?=&%]*$/, { error: 'Must be a path of this site, such as /account.' })
  .optional()
  .describe('Path of this site to which the person is sent afterwards. Default: a page that shows the result.');

const shape = {
  id: z.string(),
  platform: platformName,
  state: z
    .enum(connectionStates)
    .describe(
      "`pending`: waits for the owner's consent. `ok`: streams can use the channel. `grant_revoked`, " +
        '`scope_missing`: call reauthorise_connection. `live_not_enabled`: the platform does not allow the ' +
        'channel to stream yet.',
    ),
  accountID: z.string().nullable().describe('ID of the channel on the platform. null while pending.'),
  title: z.string().nullable().describe('Title of the channel at the last check. null while pending.'),
  liveURL: z.string().nullable().describe('Page where viewers watch the channel live. null while pending.'),
  destinationID: z
    .string()
    .nullable()
    .describe('ID of the destination that represents the channel. null while pending.'),
  scopes: z.array(z.string()).describe('OAuth scopes that the owner granted.'),
  quota: z
    .object({ exhaustedUntil: timestamp })
    .meta({ id: 'PlatformQuota' })
    .nullable()
    .describe(
      'No new broadcast starts until exhaustedUntil, because the quota of calls to the platform is used up. null: ' +
        'quota is left.',
    ),
  verifiedAt: timestamp
    .nullable()
    .describe('Last time when the platform confirmed that the grant is valid. null: never.'),
  createdAt: timestamp,
};

/** Named by the channel, because GraphQL calls the pages of lists connections. */
export const connectionSchema = z.object(shape).meta({ id: 'ConnectedChannel' });

export const askedConnectionSchema = z
  .object({
    ...shape,
    state: shape.state.describe('See get_connection.'),
    quota: shape.quota.describe('See get_connection.'),
    authorizeURL: z.string().describe('Link that the owner of the channel opens in a browser to consent.'),
    expiresAt: timestamp.describe('Time when the link expires. It works only once.'),
  })
  .meta({ id: 'ConnectedChannelLink' });

export function presentConnection(connection: Connection): z.input<typeof connectionSchema> {
  return {
    ...shownColumns(connectionSchema, connection),
    title: connection.title_cached,
    scopes: [...connection.scopes],
    quota: connection.quota_exhausted_until && { exhaustedUntil: connection.quota_exhausted_until },
  };
}

/**
 * Creates a new link for a connection. Earlier links stop working.
 * @throws {ProblemError} connection_needed if the stage has not set up the platform
 */
export async function askConsent(
  ctx: Context,
  connection: Connection,
  returnTo: string | undefined,
): Promise<z.input<typeof askedConnectionSchema>> {
  const { id, platform } = connection;
  assertOffered(ctx, platform);
  const { authorizeURL, stateSHA256, sealedVerifier } = ctx.consents.ask({ connectionID: id, platform });
  const expiresAt = new Date(ctx.now.getTime() + consentMinutes * 60_000);
  await ctx.data.connections.requestConsent({
    stateSHA256,
    connectionID: id,
    sealedVerifier,
    returnTo: returnTo ?? null,
    expiresAt,
  });
  return { ...presentConnection(connection), authorizeURL, expiresAt };
}

function assertOffered(ctx: Context, platform: Connection['platform']): void {
  const { offered } = ctx.consents;
  if (offered.includes(platform)) return;
  throw new ProblemError(
    'connection_needed',
    offered.length === 0
      ? 'No managed platform is set up here. Stream to the platform with its RTMP address and stream key instead.'
      : `This platform is not set up here. Available platforms: ${offered.join(', ')}.`,
  );
}
