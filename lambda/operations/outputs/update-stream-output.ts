// PATCH /streams/{id}/outputs/{outputID}: renames, pauses or resumes an output, even while its stream is live.
import * as z from 'zod';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { reconcileOutputs } from '../../orchestration/destinations/reconcile-outputs.ts';
import { operation } from '../operation.ts';
import { assertNotOccupied, assertOneIsLeft } from './assert-output.ts';
import { figuresOf, lockOutput, outputFields, outputSchema, presentOutput } from './output-schema.ts';
import { takeSlots } from './take-slots.ts';

const { name, enabled } = outputFields;

export const updateStreamOutput = operation(['service:write'], {
  summary: 'Update an output of a stream',
  description:
    'Renames, pauses (enabled: false) or resumes (enabled: true) an output, even while its stream is live. A live ' +
    'stream must keep one enabled output.',
  tag: 'streams',
  route: 'PATCH /streams/{id}/outputs/{outputID}',
  body: z.strictObject({ name, enabled }).meta({ examples: [{ enabled: false }] }),
  output: { status: 200, body: outputSchema },
  errors: ['stream_live', 'limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { params, body }) {
    const { stream, output } = await lockOutput(ctx, params);
    if (body.enabled === false && isLive(stream.state)) await assertOneIsLeft(ctx, output);
    if (body.enabled && !output.enabled) await assertNotOccupied(ctx, stream, output.destination_id, 'enabled');
    const { name: newName = output.name, enabled: isEnabled = output.enabled } = body;
    const saved = await ctx.data.outputs.save(output.id, { name: newName, enabled: isEnabled });
    if (body.enabled) await ctx.data.replicas.forgetGivenUp(stream.id, output.is_first ? null : output.id);
    await takeSlots(ctx, stream);
    await reconcileOutputs(ctx.data, stream, ctx.now);
    return presentOutput(saved, await ctx.data.replicas.ofStream(stream.id), await figuresOf(ctx, saved));
  },
});
