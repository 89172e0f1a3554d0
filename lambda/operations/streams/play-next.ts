// POST /streams/{id}/play-next: plays an upload once between items of a list on the air.
import * as z from 'zod';
import type { Track } from '../../data/playout/timelines.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import { playNext as place, trackToPlayOn } from '../../orchestration/playout/play-next.ts';
import { timelinesAhead } from '../../orchestration/playout/timelines-ahead.ts';
import type { PlayNextResult } from '../../orchestration/playout/play-next.ts';
import { fieldProblem } from '../field-problems.ts';
import { id, orNotFound, timestamp } from '../fields.ts';
import { limitProblem } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { lockPlayable } from '../uploads/lock-playable.ts';

const answer = z
  .object({
    startsAt: timestamp
      .nullable()
      .describe('Start of the upload. null: it is being prepared for the stream, and does not play by itself then.'),
  })
  .meta({ id: 'PlayedNext' });

export const playNext = operation(['service:write'], {
  summary: 'Play an upload next',
  description:
    'Plays an upload once in a running stream, after the present item and the uploads queued before, at least 10 ' +
    'seconds from now. Then the list continues from its place. A new upload is prepared for the stream first: ' +
    'startsAt is null then, so repeat the request. Next: get_stream_timeline has its row, and skip_item removes it. ' +
    'A stream with a programme has a queue of its own: queue_item.',
  tag: 'streams',
  route: 'POST /streams/{id}/play-next',
  body: z.strictObject({
    uploadID: id.describe('Upload to play.'),
    track: z.enum(['video', 'audio']).optional().describe('Absent: the track whose rows get_stream_timeline has.'),
  }),
  output: { status: 202, body: answer },
  errors: ['stream_not_running', 'limit_reached'],
  async handle(ctx, { params, body: { uploadID, track: wanted } }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    if (!['active', 'failing'].includes(stream.state) || stream.anchored_at === null)
      throw new ProblemError('stream_not_running', 'The stream is not on the air yet. Start it with start_stream.');
    const now = await ctx.data.now();
    const timelines = await timelinesAhead(ctx.data, stream, now);
    const track = wanted ?? trackToPlayOn(timelines, stream, now);
    const upload = await lockPlayable(ctx, uploadID, track);
    const item = { itemID: ctx.newID('itm'), upload, track, timelines };
    const { limitFactor } = ctx.settings;
    const placed = await place(ctx.data, stream, item, { now, limitFactor });
    if ('startsAt' in placed) return placed;
    if ('refusal' in placed && placed.refusal === 'preparing') return { startsAt: null };
    throw problemOf(placed, track);
  },
});

function problemOf(result: Exclude<PlayNextResult, { startsAt: Date }>, track: Track): ProblemError {
  if ('limit' in result) return limitProblem(result.limit);
  if (result.refusal === 'planned')
    return fieldProblem('track', `A programme plans the ${track} of this stream. Use queue_item.`);
  if (result.refusal === 'nothing_played') return fieldProblem('track', `The stream plays no ${track} of its own.`);
  if (result.refusal === 'too_costly')
    return fieldProblem(
      'uploadID',
      'No publisher can decode this upload in time. Use a lower resolution or framerate.',
    );
  if (result.refusal === 'failed')
    return fieldProblem('uploadID', 'The upload could not be prepared. Use another one.');
  const allowed = bounds.queuedItemsPerList;
  const members = { limit: 'queuedItems', used: allowed, allowed };
  return new ProblemError('limit_reached', `At most ${allowed} items wait. Skip one first.`, { members });
}
