// DELETE /playlists/{id}: deletes a playlist, but not its uploads.
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { judgeUsersOf } from '../../orchestration/streams/judge-parts.ts';
import { lockWithStream } from '../../orchestration/shared/lock-with-stream.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const deletePlaylist = operation(['service:write'], {
  summary: 'Delete a playlist',
  description:
    'Deletes the playlist, but not its uploads. Refused while its stream is live. A stream with this playlist ' +
    'in playlistIDs is invalid until playlistIDs changes.',
  tag: 'playlists',
  route: 'DELETE /playlists/{id}',
  output: { status: 204 },
  errors: ['stream_live'],
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.playlists.find(ctx.caller.userID, params.id), 'playlist');
    const { stream, playlist } = orNotFound(await lockWithStream(ctx.data, id), 'playlist');
    if (isLive(stream.state))
      throw new ProblemError('stream_live', 'The stream of this playlist is live. Stop it first.');
    await ctx.data.playlists.delete(playlist.id);
    await ctx.data.streamParts.forgetPrepared(ctx.caller.userID, [playlist.id]);
    await ctx.data.streamParts.updateProcessingState(stream.id);
    await judgeUsersOf(ctx.data, { playlistID: playlist.id });
  },
});
