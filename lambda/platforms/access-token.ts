// The access token of a connection, refreshed shortly before it expires.
import type { Connection } from '../data/channels/connections.ts';
import { mirrorDatabaseOn } from '../data/mirror-database.ts';
import { openGrant, sealGrant } from '../ports/managed-platforms/kept-grant.ts';
import { PlatformRefusal } from '../ports/managed-platforms/managed-platform.ts';
import type { ManagedPlatform } from '../ports/managed-platforms/managed-platform.ts';
import type { MirrorOptions } from './mirror-options.ts';

/** A token that expires sooner than this is refreshed, so that it lasts for the calls of a turn. */
const refreshAheadMs = 5 * 60_000;

/**
 * Returns a valid token, for the worker that holds the connection's lease. A refreshed grant is stored before its use,
 * because the platform may have invalidated the previous one.
 * @param force refreshes in any case, for example after the platform rejected the token
 * @throws {PlatformRefusal}
 */
export async function accessTokenOf(
  { pool, sealer, clock }: Pick<MirrorOptions, 'pool' | 'sealer' | 'clock'>,
  platform: ManagedPlatform,
  connection: Pick<Connection, 'id' | 'sealed_grant'>,
  { leaseToken, force }: { readonly leaseToken: string; readonly force: boolean },
): Promise<string> {
  if (connection.sealed_grant === null) throw new PlatformRefusal('grant_revoked', 'there is no grant');
  const grant = openGrant(sealer, connection.id, connection.sealed_grant);
  if (!force && grant.expiresAt.getTime() - clock().getTime() > refreshAheadMs) return grant.accessToken;
  const refreshed = await platform.refresh(grant);
  const sealed = sealGrant(sealer, connection.id, refreshed);
  if (!(await mirrorDatabaseOn(pool).connectionLeases.saveGrant(connection.id, leaseToken, sealed)))
    throw new LeaseLost();
  return refreshed.accessToken;
}

/** The lease has passed to another worker. */
export class LeaseLost extends Error {}
