// GET /programmes/{id}/queue: the queued items that have not begun.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentQueuedItem, queuedItemSchema } from './queue-schema.ts';

export const listQueuedItems = operation(['service:read'], {
  summary: 'List queued items',
  description: 'Returns queued items to come, in order.',
  tag: 'programmes',
  route: 'GET /programmes/{id}/queue',
  readsMuch: true,
  output: { status: 200, body: z.object({ data: z.array(queuedItemSchema) }).meta({ id: 'QueuedItems' }) },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.programmes.find(ctx.caller.userID, params.id), 'programme');
    return { data: (await ctx.data.queuedItems.waiting(id)).map(presentQueuedItem) };
  },
});
