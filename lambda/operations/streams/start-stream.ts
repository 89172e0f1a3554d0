// POST /streams/{id}/start: starts a stream.
import type { Stream } from '../../data/streams/streams.ts';
import { isBlocking } from '../../domain/readiness/readiness-issues.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { startStream as start } from '../../orchestration/runs/start-stream.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';
import { limitProblem } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { presentStream, streamSchema } from './stream-schema.ts';
import type { Locked } from '../../data/shared/locked.ts';

export const startStream = operation(['service:write'], {
  summary: 'Start a stream',
  description:
    'Starts a stream, which costs credits per live minute. Returns immediately, with state activating or ' +
    'preparing. Next: poll get_stream until state is active or failed. A stream that is already live is ' +
    'returned unchanged. Changed drafts of its playlists are published.',
  tag: 'streams',
  route: 'POST /streams/{id}/start',
  output: { status: 200, body: streamSchema },
  errors: ['stream_not_startable', 'stream_not_ready', 'limit_reached'],
  hints: { idempotent: true, openWorld: true },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    return startAndPresent(ctx, stream);
  },
});

/**
 * Starts a stream, and presents it. A live stream is presented unchanged.
 * @throws {ProblemError} stream_not_startable, stream_not_ready, limit_reached
 */
export async function startAndPresent(ctx: Context, stream: Locked<Stream>): ReturnType<typeof presentStream> {
  if (stream.state === 'stopping')
    throw new ProblemError('stream_not_startable', 'The stream is stopping. Start it again once it has stopped.');
  if (isLive(stream.state)) return presentStream(ctx, stream);
  const result = await start(ctx.data, stream, 'start', ctx);
  if ('stream' in result) return presentStream(ctx, result.stream, result);
  if ('limit' in result) throw limitProblem(result.limit);
  const { issues } = result;
  const errors = issues.filter(isBlocking).map((issue) => issue.error);
  const members = { readiness: { ready: false, issues, advice: [] } };
  throw new ProblemError('stream_not_ready', errors.join(' '), { members });
}
