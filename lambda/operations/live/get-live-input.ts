// GET /live-inputs/{id}: one live input, with the session that it receives.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { liveInputSchema, presentLiveInput } from './live-input-schema.ts';

export const getLiveInput = operation(['service:read'], {
  summary: 'Get a live input',
  description: 'Returns a live input without its key. Poll it until state is ready.',
  tag: 'live-inputs',
  route: 'GET /live-inputs/{id}',
  output: { status: 200, body: liveInputSchema },
  handle: async (ctx, { params }) =>
    presentLiveInput(ctx, orNotFound(await ctx.data.liveInputs.find(ctx.caller.userID, params.id), 'live input')),
});
