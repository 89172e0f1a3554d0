// DELETE /streams/{id}: deletes a stream. A live stream is stopped first. Decision D203.
import { usualPlaylistName } from '../../domain/playout/playlist-words.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { stopStream } from '../../orchestration/streams/stop-stream.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteStream = operation(['service:destructive'], {
  summary: 'Delete a stream',
  description:
    'Deletes the stream with its settings, its live inputs and its history. A live stream is stopped, and its media ' +
    'ends within 2 seconds. Its playlists stay: playlistIDs moves them to another stream, and delete_playlist ' +
    'deletes one.',
  tag: 'streams',
  route: 'DELETE /streams/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    await ctx.data.playlists.outlive(stream.id, {
      video: usualPlaylistName('video', stream.name),
      audio: usualPlaylistName('audio', stream.name),
    });
    await ctx.data.liveInputs.deleteOf(stream.id);
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
