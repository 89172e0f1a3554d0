// DELETE /destinations/{id}: archives a destination.
import { bounds } from '../../domain/shared/bounds.ts';
import { judgeUsersOf } from '../../orchestration/streams/judge-parts.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const deleteDestination = operation(['service:destructive'], {
  summary: 'Archive a destination',
  description:
    'Archives the destination. It can still be read, and list_destinations with archived=true lists it, but no ' +
    `stream can start on it. The last ${bounds.archivedDestinationsPerUser} archived destinations that no stream ` +
    'uses are kept. Refused while a live stream uses it, and for a connected channel. Repeating the call ' +
    'changes nothing.',
  tag: 'destinations',
  route: 'DELETE /destinations/{id}',
  output: { status: 204 },
  errors: ['resource_in_use'],
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.destinations.find(ctx.caller.userID, params.id), 'destination');
    await ctx.data.streamParts.lockUsersOf({ destinationID: id });
    const destination = (await ctx.data.destinations.lock(ctx.caller.userID, id))!;
    if (destination.archived_at !== null) return;
    if (destination.connection_id !== null) {
      const { connection_id: connectionID } = destination;
      throw new ProblemError(
        'resource_in_use',
        `This destination represents a connected channel. Use delete_connection of ${connectionID} to remove ` +
          'both.',
      );
    }
    if (await ctx.data.destinations.isInUse(id)) {
      throw new ProblemError('resource_in_use', 'A live stream uses this destination. Stop the stream first.');
    }
    await ctx.data.destinations.archive(id);
    await ctx.data.destinations.forgetArchived(ctx.caller.userID, bounds.archivedDestinationsPerUser);
    await judgeUsersOf(ctx.data, { destinationID: id });
  },
});
