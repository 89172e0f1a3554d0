// PATCH /live-inputs/{id}: changes the settings of a live input, and keeps its key.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { assertSlate, requestSlate } from './request-slate.ts';
import { liveInputFields, liveInputSchema, presentLiveInput, settingsOf } from './live-input-schema.ts';

export const updateLiveInput = operation(['service:write'], {
  summary: 'Update a live input',
  description:
    'Absent fields stay unchanged. A new delay applies to the next takeover, new networks to the next session.',
  tag: 'live-inputs',
  route: 'PATCH /live-inputs/{id}',
  body: z
    .strictObject(liveInputFields)
    .partial()
    .meta({ examples: [{ takes: 'always', allow: ['203.0.113.0/24'] }] }),
  output: { status: 200, body: liveInputSchema },
  errors: ['limit_reached'],
  async handle(ctx, { params, body }) {
    const before = orNotFound(await ctx.data.liveInputs.lock(ctx.caller.userID, params.id), 'live input');
    await assertSlate(ctx, body.slateUploadID);
    const saved = await ctx.data.liveInputs.save(before.id, settingsOf(body, before));
    if (body.takes !== undefined || body.windows !== undefined) await ctx.data.takeovers.lookAgain(before.stream_id);
    return presentLiveInput(ctx, body.slateUploadID ? await requestSlate(ctx, saved) : saved);
  },
});
