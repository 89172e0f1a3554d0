// DELETE /connections/{id}: ends a connection, here and at the platform.
import { lockMirrorsOf, remirror } from '../../orchestration/channels/mirror-stream.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const deleteConnection = operation(['service:destructive'], {
  id: 'deleteConnection',
  summary: 'Disconnect a channel',
  description:
    'Broadcasts that are prepared there are deleted, its grant is revoked, and everything that we keep of the ' +
    'channel is deleted, its managed settings too. Refused while a live stream uses it.',
  tag: 'connections',
  method: 'DELETE',
  path: '/connections/{id}',
  params: { id: pathID },
  output: { status: 204 },
  errors: ['not_found', 'resource_in_use'],
  hints: { openWorld: true },
  async handle(ctx, { params }) {
    const mirrored = await lockMirrorsOf(ctx.data, { connectionID: params.id });
    const connection = orNotFound(await ctx.data.connections.lock(ctx.caller.userID, params.id), 'connection');
    if (await ctx.data.connections.isInUse(connection.id))
      throw new ProblemError('resource_in_use', 'A live stream uses this connection. Stop it first.');
    const { id, platform, state, sealed_grant: sealedGrant } = connection;
    const isUsable = ctx.consents.offered.includes(platform) && (state === 'ok' || state === 'live_not_enabled');
    // The grant is needed for what is open there: the worker ends that, and then the grant.
    if (isUsable && (await ctx.data.broadcasts.hasOpenOn(id))) await ctx.data.connections.disconnect(id);
    else {
      // A platform that does not answer keeps nobody from disconnecting: a grant that we have forgotten is of no use.
      if (sealedGrant !== null && !(await ctx.data.connections.isConnectedElsewhere(id)))
        await ctx.consents.end({ connectionID: id, platform }, sealedGrant);
      await ctx.data.connections.delete(id);
    }
    await remirror(ctx.data, mirrored, 'connection_deleted');
    return undefined;
  },
});
