// POST /streams/{id}/outputs: adds a destination to a stream, even while it is live.
import * as z from 'zod';
import { bounds } from '../../domain/shared/bounds.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { reconcileOutputs } from '../../orchestration/destinations/reconcile-outputs.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { assertNewOutput, assertNotOccupied } from './assert-output.ts';
import { figuresOf, outputFields, outputSchema, presentOutput } from './output-schema.ts';
import { takeSlots } from './take-slots.ts';

export const createStreamOutput = operation(['service:write'], {
  summary: 'Add an output to a stream',
  description:
    `Adds an output, even while the stream is live. A stream has at most ${bounds.outputsPerStream} outputs. ` +
    'While live, each additional output costs 60 % of the price of the first, and its backup another 60 %. ' +
    'Next: poll get_stream_output.',
  tag: 'streams',
  route: 'POST /streams/{id}/outputs',
  body: z.strictObject(outputFields).meta({ examples: [{ destinationID: 'dst_0mb3kq5zj4h8s2n7t1w9x6c0p' }] }),
  output: { status: 201, body: outputSchema, location: ({ streamID, id }) => `/streams/${streamID}/outputs/${id}` },
  errors: ['output_exists', 'limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { params, body }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    await assertNewOutput(ctx, stream, body.destinationID);
    const { enabled = true, name = null, destinationID } = body;
    if (enabled) await assertNotOccupied(ctx, stream, destinationID, 'destinationID');
    const made = { id: ctx.newID('out'), streamID: stream.id, destinationID, name, enabled };
    const isFirst = stream.destination_id === null && stream.stream_destination === null && !isLive(stream.state);
    const output = await (isFirst ? ctx.data.outputs.insertFirst(made) : ctx.data.outputs.insert(made));
    await takeSlots(ctx, stream);
    await reconcileOutputs(ctx.data, stream, ctx.now);
    return presentOutput(output, await ctx.data.replicas.ofStream(stream.id), await figuresOf(ctx, output));
  },
});
