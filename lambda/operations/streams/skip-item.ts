// POST /streams/{id}/skip: skips an item of a stream on the air.
import * as z from 'zod';
import { bounds } from '../../domain/shared/bounds.ts';
import { skipItem as skip } from '../../orchestration/playout/skip-item.ts';
import { id, orNotFound, timestamp, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const skipItem = operation(['service:write'], {
  summary: 'Skip an item',
  description:
    'Skips a present or future row of the timeline of a running stream, with the rest of its item: the next item ' +
    'begins in its place, at least 10 seconds from now. A repeated request skips no other row.',
  tag: 'streams',
  route: 'POST /streams/{id}/skip',
  body: z.strictObject({
    startAt: timestampInput.describe('startAt of the row in get_stream_timeline.'),
    uploadID: id.describe('Its upload.'),
    track: z.enum(['video', 'audio']).optional().describe('As in get_stream_timeline.'),
  }),
  output: {
    status: 202,
    body: z.object({ takesOverAt: timestamp.describe('Start of the next item.') }).meta({ id: 'SkippedItem' }),
  },
  errors: ['stream_not_running', 'skip_too_late', 'limit_reached'],
  hints: { idempotent: true, destructive: true },
  async handle(ctx, { params, body: { startAt, uploadID, track = null } }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    if (!['active', 'failing'].includes(stream.state) || stream.anchored_at === null)
      throw new ProblemError('stream_not_running', 'The stream is not on the air yet. Start it with start_stream.');
    const { limitFactor } = ctx.settings;
    const options = { now: await ctx.data.now(), limitFactor };
    const takesOverAt = await skip(ctx.data, stream, { startAt, uploadID, track }, options);
    if (takesOverAt === 'too_many') {
      const members = { limit: 'listsAhead', used: bounds.listsAhead, allowed: bounds.listsAhead };
      const detail = `At most ${bounds.listsAhead} later rows can be skipped ahead. Skip this one later.`;
      throw new ProblemError('limit_reached', detail, { members });
    }
    if (takesOverAt === 'too_late')
      throw new ProblemError('skip_too_late', 'The row ends within 10 seconds, or it is none of the timeline now.');
    return { takesOverAt };
  },
});
