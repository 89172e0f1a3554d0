// DELETE /streams/{id}/outputs/{outputID}: removes a destination from a stream, even while it is live.
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { judgeParts } from '../../orchestration/streams/judge-parts.ts';
import { reconcileOutputs } from '../../orchestration/destinations/reconcile-outputs.ts';
import { operation } from '../operation.ts';
import { assertOneIsLeft } from './assert-output.ts';
import { lockOutput } from './output-schema.ts';
import { takeSlots } from './take-slots.ts';

export const deleteStreamOutput = operation(['service:write'], {
  summary: 'Remove an output of a stream',
  description:
    'The other outputs keep running. A live stream must keep one enabled output. Without a first output, ' +
    'destinationID of the stream is null.',
  tag: 'streams',
  route: 'DELETE /streams/{id}/outputs/{outputID}',
  output: { status: 204 },
  errors: ['stream_live'],
  async handle(ctx, { params }) {
    const { stream, output } = await lockOutput(ctx, params);
    if (isLive(stream.state)) await assertOneIsLeft(ctx, output);
    if (output.is_first) await ctx.data.outputs.deleteFirst(stream.id);
    else await ctx.data.outputs.markDeleted(output.id);
    const left = (await ctx.data.streams.lockAny(stream.id))!;
    await takeSlots(ctx, left);
    await reconcileOutputs(ctx.data, left, ctx.now);
    await ctx.data.outputs.forgetDeleted(stream.id);
    if (!isLive(left.state)) await judgeParts(ctx.data, left);
  },
});
