// POST /destinations/{id}/restore: restores an archived destination.
import { judgeUsersOf } from '../../orchestration/streams/judge-parts.ts';
import { orNotFound } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { takeSlotsAt } from '../outputs/take-slots.ts';
import { destinationSchema, presentDestination } from './destination-schema.ts';

export const restoreDestination = operation(['service:write'], {
  summary: 'Restore a destination',
  description: 'Restores an archived destination. Streams that use it can start again.',
  tag: 'destinations',
  route: 'POST /destinations/{id}/restore',
  output: { status: 200, body: destinationSchema },
  errors: ['limit_reached'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.destinations.find(ctx.caller.userID, params.id), 'destination');
    await ctx.data.streamParts.lockUsersOf({ destinationID: id });
    const destination = orNotFound(await ctx.data.destinations.lock(ctx.caller.userID, id), 'destination');
    if (destination.archived_at === null) return presentDestination(destination);
    await assertRoom(ctx, { destinations: 1 });
    const restored = await ctx.data.destinations.restore(id);
    await takeSlotsAt(ctx, id);
    await judgeUsersOf(ctx.data, { destinationID: id });
    return presentDestination(restored);
  },
});
