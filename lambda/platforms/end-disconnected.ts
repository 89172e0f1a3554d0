// Forgets a channel that its user has disconnected, once nothing of ours is open there: its grant is ended last.
import type { LeasedConnection } from '../data/channels/connection-leases.ts';
import { inMirrorTransaction, mirrorDatabaseOn } from '../data/mirror-database.ts';
import { lockMirrorsOf, remirror } from '../orchestration/channels/mirror-stream.ts';
import { openGrant } from '../ports/managed-platforms/kept-grant.ts';
import { LeaseLost } from './access-token.ts';
import type { MirrorOptions } from './mirror-options.ts';

/**
 * @param isOverdue whether it has taken too long: then what is open there stays there
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
  // A platform that does not answer keeps nobody from disconnecting: a grant that we have forgotten is of no use.
  if (sealedGrant !== null && !(await data.connections.isConnectedElsewhere(id)))
    await platforms[platform]?.revoke(openGrant(sealer, id, sealedGrant));
  await inMirrorTransaction(pool, async (data) => {
    // The streams before the connection, as everybody locks them.
    const mirrored = await lockMirrorsOf(data, { connectionID: id });
    if (!(await data.connectionLeases.lockLeased(id, leaseToken))) throw new LeaseLost();
    await data.connections.delete(id);
    await remirror(data, mirrored, 'connection_deleted');
  });
}
