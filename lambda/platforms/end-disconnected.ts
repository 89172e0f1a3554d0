// Deletes a channel that its user has disconnected, once all broadcasts are closed. The grant is revoked last.
import type { LeasedConnection } from '../data/channels/connection-leases.ts';
import { inMirrorTransaction, mirrorDatabaseOn } from '../data/mirror-database.ts';
import { lockMirrorsOf, remirror } from '../orchestration/channels/mirror-stream.ts';
import { openGrant } from '../ports/managed-platforms/kept-grant.ts';
import { LeaseLost } from './access-token.ts';
import type { MirrorOptions } from './mirror-options.ts';

/**
 * @param isOverdue whether it has taken too long; then open broadcasts are abandoned
 * @throws {LeaseLost}
 */
export async function endDisconnected(
  { pool, platforms, sealer }: Pick<MirrorOptions, 'pool' | 'platforms' | 'sealer'>,
  { id, platform, state, sealed_grant: sealedGrant }: LeasedConnection,
  { leaseToken, isOverdue }: { readonly leaseToken: string; readonly isOverdue: boolean },
): Promise<void> {
  const data = mirrorDatabaseOn(pool);
  const isOpen = await data.broadcasts.hasOpenOn(id);
  if (isOpen && !isOverdue && state !== 'grant_revoked') return;
  // Disconnecting succeeds even if the platform does not answer: a grant that we have deleted is of no use.
  if (sealedGrant !== null && !(await data.connections.isConnectedElsewhere(id)))
    await platforms[platform]?.revoke(openGrant(sealer, id, sealedGrant));
  await inMirrorTransaction(pool, async (data) => {
    // Locks are always taken on streams first, then on the connection.
    const mirrored = await lockMirrorsOf(data, { connectionID: id });
    if (!(await data.connectionLeases.lockLeased(id, leaseToken))) throw new LeaseLost();
    await data.connections.delete(id);
    await remirror(data, mirrored, 'connection_deleted');
  });
}
