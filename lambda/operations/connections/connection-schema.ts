// A connection to a channel as clients see it, and the link by which its owner consents.
import * as z from 'zod';
import type { Connection } from '../../data/channels/connections.ts';
import { connectionStates, platformNames } from '../../domain/channels/managed-platforms.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../fields.ts';
import { ProblemError } from '../problem-codes.ts';

/** A person has so long to consent. */
const consentMinutes = 15;

export const platformName = z.enum(platformNames).meta({ id: 'PlatformName' });

/** Where the person lands afterwards: a path of ours, and no other site's. */
export const returnPath = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[\w\-./?=&%]*$/, { error: 'Must be a path of this site, such as /account.' })
  .optional()
  .describe('A path of this site to which the person is sent afterwards. Default: a page that says what happened.');

const shape = {
  id: z.string(),
  platform: platformName,
  state: z
    .enum(connectionStates)
    .describe(
      '`pending`: nobody has consented yet. `ok`: streams can use it. `grant_revoked`, `scope_missing`: ' +
        'use reauthorise_connection. `live_not_enabled`: the platform does not let the channel stream (yet).',
    ),
  accountID: z.string().nullable().describe('The channel at the platform; null while pending.'),
  title: z.string().nullable().describe('What the channel was called when the platform was last asked.'),
  liveURL: z.string().nullable().describe('Where viewers find what is live.'),
  destinationID: z.string().nullable().describe('The destination that stands for the channel; null while pending.'),
  scopes: z.array(z.string()).describe('What its owner granted.'),
  quota: z
    .object({ exhaustedUntil: timestamp })
    .meta({ id: 'PlatformQuota' })
    .nullable()
    .describe('Until then no broadcast is begun, as our calls to the platform are used up.'),
  verifiedAt: timestamp.nullable().describe('When the platform last showed that the grant is good.'),
  createdAt: timestamp,
};

/** GraphQL calls its pages connections, so this is called by what is connected. */
export const connectionSchema = z.object(shape).meta({ id: 'ConnectedChannel' });

export const askedConnectionSchema = z
  .object({
    ...shape,
    state: shape.state.describe('As in get_connection.'),
    quota: shape.quota.describe('As in get_connection.'),
    authorizeURL: z.string().describe('A person who owns the channel opens this in a browser, and consents.'),
    expiresAt: timestamp.describe('Until then the link works, once.'),
  })
  .meta({ id: 'ConnectedChannelLink' });

export function presentConnection(connection: Connection): z.input<typeof connectionSchema> {
  return {
    id: connection.id,
    platform: connection.platform,
    state: connection.state,
    accountID: connection.account_id,
    title: connection.title_cached,
    liveURL: connection.live_url,
    destinationID: connection.destination_id,
    scopes: [...connection.scopes],
    quota: connection.quota_exhausted_until && { exhaustedUntil: connection.quota_exhausted_until },
    verifiedAt: connection.verified_at,
    createdAt: connection.created_at,
  };
}

/**
 * Makes a new link for a connection, in place of earlier ones.
 * @throws {ProblemError} connection_needed where the stage has not set the platform up
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
      ? 'No managed platform is set up here. Stream to the platform by its RTMP address and stream key instead.'
      : `This platform is not set up here. Set up are: ${offered.join(', ')}.`,
  );
}
