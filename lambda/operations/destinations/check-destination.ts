// POST /destinations/{id}/check: asks a publisher to check that the addresses of a destination can be reached.
import { bounds } from '../../domain/shared/bounds.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { destinationCheckSchema, presentChannelCheck, presentCheck } from './destination-check-schema.ts';

export const checkDestination = operation(['service:write'], {
  summary: 'Check a destination',
  description:
    'A publisher connects to the destination without publishing or sending a secret. Next: poll get_destination ' +
    'until lastCheck.state is done, which takes at most 30 seconds.',
  tag: 'destinations',
  route: 'POST /destinations/{id}/check',
  output: { status: 202, body: destinationCheckSchema },
  errors: ['limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { params }) {
    const { id, connection_id, last_check } = orNotFound(
      await ctx.data.destinations.lock(ctx.caller.userID, params.id),
      'destination',
    );
    if (connection_id !== null) return presentChannelCheck(connection_id, ctx.now);
    if (last_check && last_check.feeds === null && !last_check.isOver) return presentCheck(last_check);
    await assertNotTooOften(ctx);
    await assertRoom(ctx, { destinationChecks: 1 });
    const asked = { id: ctx.newID('chk'), destinationID: id, userID: ctx.caller.userID };
    const check = await ctx.data.destinationChecks.ask(asked);
    // Every stage always runs some agents of prepared streams, even without a live stream.
    const hasPrepared = (await ctx.data.agents.takers('manifest')).length > 0;
    const queue = hasPrepared ? 'publish-manifest' : 'publish-ffmpeg';
    await ctx.data.outbox.send({ queue, body: { destinationID: id } });
    return presentCheck(check);
  },
});

/** @throws {ProblemError} rate_limited */
async function assertNotTooOften({ data, caller }: Context): Promise<void> {
  const most = bounds.destinationChecksPerMinute;
  const window = await data.requestWindows.count(caller.userID, 'destination_check', 1);
  if (window.requests <= most) return;
  throw new ProblemError(
    'rate_limited',
    `Destinations can be checked ${most} times a minute. Wait ${window.reset_seconds} seconds.`,
    { headers: { 'retry-after': String(window.reset_seconds) } },
  );
}
