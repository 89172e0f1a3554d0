// GET /live-inputs: the caller's live inputs, the oldest first.
import * as z from 'zod';
import { id } from '../fields.ts';
import { operation } from '../operation.ts';
import { liveInputSchema, presentLiveInput } from './live-input-schema.ts';

export const listLiveInputs = operation(['service:read'], {
  summary: 'List live inputs',
  description: 'Returns all live inputs, oldest first.',
  tag: 'live-inputs',
  route: 'GET /live-inputs',
  query: { streamID: id.optional().describe('Only the inputs of this stream.') },
  output: { status: 200, body: z.object({ data: z.array(liveInputSchema) }).meta({ id: 'LiveInputs' }) },
  async handle(ctx, { query: { streamID = null } }) {
    const inputs = await ctx.data.liveInputs.list(ctx.caller.userID, streamID);
    return { data: inputs.map((input) => presentLiveInput(ctx, input)) };
  },
});
