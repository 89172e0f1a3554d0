// DELETE /streams/{id}: deletes a stream with its playlists. A live stream is stopped first.
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { stopStream } from '../../orchestration/streams/stop-stream.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteStream = operation(['service:destructive'], {
  summary: 'Delete a stream',
  description: 'Deletes the stream and its playlists. A live stream is stopped, and its media ends within 2 seconds.',
  tag: 'streams',
  route: 'DELETE /streams/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const playlistIDs = await ctx.data.playlists.deleteOfStream(stream.id);
    await ctx.data.streamParts.forgetPrepared(ctx.caller.userID, playlistIDs);
    if (isLive(stream.state)) {
      await ctx.data.streams.markDeleted(stream.id);
      await stopStream(ctx.data, { ...stream, deleted_at: ctx.now }, 'stop');
    } else if (await ctx.data.broadcasts.hasOpen(stream.id)) {
      // The row is deleted once the broadcasts have ended on the platform.
      await ctx.data.dueTimes.clear([stream.id]);
      await ctx.data.streams.markDeleted(stream.id);
    } else {
      await ctx.data.streams.delete(stream.id);
    }
  },
});
