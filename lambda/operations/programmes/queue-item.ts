// POST /programmes/{id}/queue: queues an upload, which plays next, once.
import * as z from 'zod';
import { programmeBounds } from '../../domain/programme/programme-faults.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { planSoon } from '../../orchestration/playout/plan-soon.ts';
import { id } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { lockPlayable } from '../uploads/lock-playable.ts';
import { lockProgramme } from './lock-programme.ts';
import { presentQueuedItem, queuedItemSchema } from './queue-schema.ts';

export const queueItem = operation(['service:write'], {
  summary: 'Queue an item',
  description:
    'Queues an upload in a programme: it plays once, after the present item and the items queued before, at least 10 ' +
    'seconds from now. An item that a block would cut off waits for up to an hour until it fits. Next: ' +
    'list_queued_items, which has its start once it is planned, in a second or two.',
  tag: 'programmes',
  route: 'POST /programmes/{id}/queue',
  body: z.strictObject({ uploadID: id.describe('Upload to play.') }),
  output: { status: 202, body: queuedItemSchema },
  errors: ['limit_reached'],
  async handle(ctx, { params, body: { uploadID } }) {
    const { stream, programme } = await lockProgramme(ctx, params.id);
    const upload = await lockPlayable(ctx, uploadID, programme.kind);
    const added = { id: ctx.newID('que'), programme_id: programme.id, upload_id: uploadID, by_guest: false };
    const item = await ctx.data.queuedItems.add(added, programmeBounds.queuedItems);
    if (item === null) throw queueFull();
    if (isLive(stream.state)) await planSoon(ctx.data, programme, await ctx.data.now());
    return presentQueuedItem({ ...item, name: upload.name });
  },
});

function queueFull(): ProblemError {
  const allowed = programmeBounds.queuedItems;
  const members = { limit: 'queuedItems', used: allowed, allowed };
  return new ProblemError('limit_reached', `At most ${allowed} items wait in a queue. Remove one first.`, { members });
}
