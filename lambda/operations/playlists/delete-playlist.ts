// DELETE /playlists/{id}: deletes a playlist, but not its uploads.
import type { Stream } from '../../data/streams/streams.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { judgeUsersOf } from '../../orchestration/streams/judge-parts.ts';
import { lockWithStream } from '../../orchestration/shared/lock-with-stream.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const deletePlaylist = operation(['service:write'], {
  summary: 'Delete a playlist',
  description:
    'Deletes the playlist, but not its uploads. Refused while a live or scheduled stream plays it. Any other stream ' +
    'with this playlist in playlistIDs is invalid until playlistIDs changes.',
  tag: 'playlists',
  route: 'DELETE /playlists/{id}',
  output: { status: 204 },
  errors: ['stream_live', 'resource_in_use'],
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.playlists.find(ctx.caller.userID, params.id), 'playlist');
    const { stream, playlist } = orNotFound(await lockWithStream(ctx.data, id), 'playlist');
    if (stream?.playlist_ids.includes(playlist.id)) assertNotPlaying(stream);
    await ctx.data.playlists.delete(playlist.id);
    await ctx.data.streamParts.forgetPrepared(ctx.caller.userID, [playlist.id]);
    if (!stream) return;
    await ctx.data.streamParts.updateProcessingState(stream.id);
    await judgeUsersOf(ctx.data, { playlistID: playlist.id });
  },
});

/** @throws {ProblemError} stream_live, resource_in_use */
function assertNotPlaying({ id, name, state }: Stream): void {
  const named = name ? `${id} (${name})` : id;
  if (isLive(state))
    throw new ProblemError('stream_live', `The live stream ${named} plays this playlist. Stop the stream first.`);
  if (state === 'scheduled')
    throw new ProblemError(
      'resource_in_use',
      `The scheduled stream ${named} plays this playlist. Cancel its schedule first, or change its playlistIDs.`,
    );
}
