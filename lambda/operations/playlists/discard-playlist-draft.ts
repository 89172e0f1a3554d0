// POST /playlists/{id}/discard-draft: resets the draft to the last published version.
import { keepPrepared } from '../../orchestration/playout/keep-prepared.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { playlistSchema, presentPlaylist } from './playlist-schema.ts';

export const discardPlaylistDraft = operation(['service:write'], {
  summary: "Discard a playlist's draft",
  description: 'Resets the draft to the last published version. All edits since then are lost.',
  tag: 'playlists',
  route: 'POST /playlists/{id}/discard-draft',
  output: { status: 200, body: playlistSchema },
  errors: ['nothing_published'],
  hints: { idempotent: true, destructive: true },
  async handle(ctx, { params }) {
    const playlist = orNotFound(await ctx.data.playlists.lock(ctx.caller.userID, params.id), 'playlist');
    if (!playlist.live) throw new ProblemError('nothing_published', 'The playlist has not been published yet.');
    const { mode, items, version } = playlist.live;
    if (version === playlist.version) return presentPlaylist(ctx, playlist);
    const saved = await ctx.data.playlists.saveDraft(playlist.id, { mode, items });
    await keepPrepared(ctx.data, 'playlist', playlist.id, {
      retries: 'at once',
      limitFactor: ctx.settings.limitFactor,
    });
    return presentPlaylist(ctx, saved);
  },
});
