// The access token of a connection, which is refreshed shortly before it ends.
import type { Connection } from '../data/channels/connections.ts';
import { mirrorDatabaseOn } from '../data/mirror-database.ts';
import { openGrant, sealGrant } from '../ports/managed-platforms/kept-grant.ts';
import { PlatformRefusal } from '../ports/managed-platforms/managed-platform.ts';
import type { ManagedPlatform } from '../ports/managed-platforms/managed-platform.ts';
import type { MirrorOptions } from './mirror-options.ts';

/** A token that ends within so long is refreshed, so that it lasts for the calls of a turn. */
const refreshAheadMs = 5 * 60_000;

/**
 * The token, for the worker that has the connection's lease. A grant that was refreshed is stored before it is used:
 * the one before may be of no use any more.
 * @param force refreshes it in any case, as after a platform did not take it
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

/** Another worker has the connection by now. */
export class LeaseLost extends Error {}
