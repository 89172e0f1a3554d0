// POST /live-inputs/{id}/rotate-key: replaces the key of a live input. The previous one ends at once.
import { hashLiveKey, liveKey, liveKeyBytes } from '../../domain/live/live-key.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { keyedLiveInputSchema, presentLiveInput } from './live-input-schema.ts';

export const rotateLiveInputKey = operation(['service:write'], {
  summary: "Replace a live input's key",
  description:
    'Returns the new key. No other answer contains it. The previous key ends within seconds, with the session that ' +
    'uses it. A key that an application received ends when the user disconnects the application.',
  tag: 'live-inputs',
  route: 'POST /live-inputs/{id}/rotate-key',
  output: { status: 200, body: keyedLiveInputSchema, isSecret: true },
  async handle(ctx, { params }) {
    const input = orNotFound(await ctx.data.liveInputs.lock(ctx.caller.userID, params.id), 'live input');
    const key = liveKey(ctx.randomBytes(liveKeyBytes));
    await ctx.data.liveInputs.setKey(input.id, hashLiveKey(key), ctx.caller.clientID);
    return { ...presentLiveInput(ctx, (await ctx.data.liveInputs.find(ctx.caller.userID, input.id))!), key };
  },
});
