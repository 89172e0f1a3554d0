// DELETE /live-inputs/{id}/passphrase: contributors over SRT no longer encrypt.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteLiveInputPassphrase = operation(['service:write'], {
  summary: "Delete a live input's passphrase",
  description: 'Contributors over SRT are then admitted with the key alone, without encryption.',
  tag: 'live-inputs',
  route: 'DELETE /live-inputs/{id}/passphrase',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.liveInputs.lock(ctx.caller.userID, params.id), 'live input');
    await ctx.data.liveInputs.setPassphrase(id, null);
  },
});
