// POST /streams/{id}/retry: retries the failing outputs of a stream now.
import { bounds } from '../../domain/shared/bounds.ts';
import { retryReplicas } from '../../orchestration/fleet/retry-replicas.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const retryStream = operation(['service:write'], {
  summary: 'Retry failing outputs',
  description:
    'Retries every output that is failing or was given up, now, once in ' +
    `${bounds.secondsBetweenRetries} s. Live outputs keep running. To restart a failed stream, use start_stream.`,
  tag: 'streams',
  route: 'POST /streams/{id}/retry',
  output: { status: 200, body: streamSchema },
  errors: ['stream_not_running'],
  hints: { idempotent: true, openWorld: true },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    if (!['activating', 'active', 'failing'].includes(stream.state))
      throw new ProblemError('stream_not_running', 'The stream is not running. Start it with start_stream.');
    const waitSeconds = await retryReplicas(ctx.data, stream, ctx.now);
    if (waitSeconds !== null) {
      const detail = `The outputs of this stream were retried a moment ago. Wait ${waitSeconds} seconds.`;
      throw new ProblemError('rate_limited', detail, { headers: { 'retry-after': String(waitSeconds) } });
    }
    return presentStream(ctx, (await ctx.data.streams.lockAny(stream.id))!);
  },
});
