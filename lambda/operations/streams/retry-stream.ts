// POST /streams/{id}/retry: has what fails of a stream tried again now.
import { retryReplicas } from '../../orchestration/fleet/retry-replicas.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const retryStream = operation(['service:write'], {
  id: 'retryStream',
  summary: 'Retry what fails',
  description:
    'The next attempt of each output that fails or was given up, now; what is live goes on. ' +
    'A stream that has failed is started with start_stream.',
  tag: 'streams',
  method: 'POST',
  path: '/streams/{id}/retry',
  params: { id: pathID },
  output: { status: 200, body: streamSchema },
  errors: ['not_found', 'stream_not_running'],
  hints: { idempotent: true, openWorld: true },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    if (!['activating', 'active', 'failing'].includes(stream.state))
      throw new ProblemError('stream_not_running', 'Nothing of the stream is tried. Start it with start_stream.');
    await retryReplicas(ctx.data, stream, ctx.now);
    return presentStream(ctx, (await ctx.data.streams.lockAny(stream.id))!);
  },
});
