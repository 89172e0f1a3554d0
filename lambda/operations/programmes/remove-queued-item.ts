// DELETE /programmes/{id}/queue/{queuedItemID}: takes an item out of the queue.
import { effectiveAheadSeconds } from '../../domain/playout/play-out.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { planSoon } from '../../orchestration/playout/plan-soon.ts';
import { planRun } from '../../orchestration/playout/plan-run.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { lockProgramme } from './lock-programme.ts';

/** An item that plays so soon after the next plan is taken out at once: agents may make a plan later than it is due. */
const soonSeconds = effectiveAheadSeconds + 20;

export const removeQueuedItem = operation(['service:write'], {
  summary: 'Remove a queued item',
  description: 'Takes an item out of the queue of a programme, until 10 seconds before it plays.',
  tag: 'programmes',
  route: 'DELETE /programmes/{id}/queue/{queuedItemID}',
  output: { status: 204 },
  errors: ['queued_item_begun'],
  async handle(ctx, { params }) {
    const { stream, programme } = await lockProgramme(ctx, params.id);
    const item = orNotFound(await ctx.data.queuedItems.find(programme.id, params.queuedItemID), 'queued item');
    const now = await ctx.data.now();
    if (item.plays_at && item.plays_at.getTime() < now.getTime() + effectiveAheadSeconds * 1000)
      throw new ProblemError('queued_item_begun', 'The queued item plays, or does in less than 10 seconds.');
    await ctx.data.queuedItems.delete(item.id);
    // The present plan is without an item that has not been planned.
    if (item.plays_at === null || !isLive(stream.state)) return;
    const planAt = await planSoon(ctx.data, programme, now);
    const isSoon = item.plays_at.getTime() < planAt.getTime() + soonSeconds * 1000;
    if (isSoon || planAt <= now) await planRun(ctx.data, stream, { now, limitFactor: ctx.settings.limitFactor });
  },
});
