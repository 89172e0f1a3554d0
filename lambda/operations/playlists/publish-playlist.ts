// POST /playlists/{id}/publish: makes the draft the live version of the playlist.
import * as z from 'zod';
import { continuations } from '../../domain/playout/continuation.ts';
import { lockWithStream } from '../../orchestration/shared/lock-with-stream.ts';
import { requestDraftPublish } from '../../orchestration/playout/publish-draft.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { playlistSchema, presentPlaylist } from './playlist-schema.ts';

export const publishPlaylist = operation(['service:write'], {
  summary: 'Publish a playlist',
  description:
    'Makes the draft the live version. Next: poll get_playlist until publishStatus is IDLE or FAILED. A running ' +
    'stream switches to it at the end of an item, at least 10 seconds from now, and continues after that item: in ' +
    'sequence with the item listed after it, in shuffle with the rest of its lap and the added items.',
  tag: 'playlists',
  route: 'POST /playlists/{id}/publish',
  body: z.strictObject({
    from: z
      .enum(continuations)
      .default('continue')
      .describe('The first item on a running stream: the one after the present item, or the first of the list.'),
  }),
  isBodyOptional: true,
  output: { status: 202, body: playlistSchema },
  errors: ['playlist_empty', 'stream_deleted'],
  hints: { idempotent: true },
  async handle(ctx, { params, body: { from } }) {
    const { id } = orNotFound(await ctx.data.playlists.find(ctx.caller.userID, params.id), 'playlist');
    const { stream, playlist } = orNotFound(await lockWithStream(ctx.data, id), 'playlist');
    if (playlist.draft.items.length === 0)
      throw new ProblemError('playlist_empty', 'The draft has no items. Add some with apply_playlist_operations.');
    if (!stream)
      throw new ProblemError(
        'stream_deleted',
        'This playlist has no stream, or its stream is deleted. Name the playlist in playlistIDs of a stream with ' +
          'update_stream. A start publishes it by itself.',
      );
    const { limitFactor } = ctx.settings;
    return presentPlaylist(ctx, await requestDraftPublish(ctx.data, stream, playlist, { limitFactor, from }));
  },
});
