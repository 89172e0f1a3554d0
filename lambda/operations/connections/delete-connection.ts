// DELETE /connections/{id}: disconnects a channel, here and on the platform.
import { lockMirrorsOf, remirror } from '../../orchestration/channels/mirror-stream.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const deleteConnection = operation(['service:destructive'], {
  summary: 'Disconnect a channel',
  description:
    'Deletes the prepared broadcasts on the platform, revokes the grant, and deletes all stored data about the ' +
    'channel, including its managed settings. Refused while a live stream uses the connection.',
  tag: 'connections',
  route: 'DELETE /connections/{id}',
  output: { status: 204 },
  errors: ['resource_in_use'],
  hints: { openWorld: true },
  async handle(ctx, { params }) {
    const mirrored = await lockMirrorsOf(ctx.data, { connectionID: params.id });
    const connection = orNotFound(await ctx.data.connections.lock(ctx.caller.userID, params.id), 'connection');
    if (await ctx.data.connections.isInUse(connection.id))
      throw new ProblemError('resource_in_use', 'A live stream uses this connection. Stop the stream first.');
    const { id, platform, state, sealed_grant: sealedGrant } = connection;
    const isUsable = ctx.consents.offered.includes(platform) && (state === 'ok' || state === 'live_not_enabled');
    // The worker needs the grant to end open broadcasts, and then ends the grant itself.
    if (isUsable && (await ctx.data.broadcasts.hasOpenOn(id))) await ctx.data.connections.disconnect(id);
    else {
      // Disconnecting works even if the platform does not answer: a grant is useless once its token is deleted here.
      if (sealedGrant !== null && !(await ctx.data.connections.isConnectedElsewhere(id)))
        await ctx.consents.end({ connectionID: id, platform }, sealedGrant);
      await ctx.data.connections.delete(id);
    }
    await remirror(ctx.data, mirrored, 'connection_deleted');
  },
});
