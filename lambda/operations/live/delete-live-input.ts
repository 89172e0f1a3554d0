// DELETE /live-inputs/{id}: deletes a live input. If its stream shows it, the stream returns to its timeline.
import { handBack } from '../../orchestration/live/takeovers.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteLiveInput = operation(['service:write'], {
  summary: 'Delete a live input',
  description: 'Ends the key and the session of the input. A stream that it has taken over is handed back.',
  tag: 'live-inputs',
  route: 'DELETE /live-inputs/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const { id, stream_id: streamID } = orNotFound(
      await ctx.data.liveInputs.find(ctx.caller.userID, params.id),
      'live input',
    );
    const stream = await ctx.data.streams.lockAny(streamID);
    if (stream && (await ctx.data.takeovers.openOf(streamID))?.live_input_id === id)
      await handBack(ctx.data, stream, await ctx.data.now());
    await ctx.data.liveInputs.delete(id);
  },
});
