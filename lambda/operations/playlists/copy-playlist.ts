// POST /playlists/{id}/copy: copies the draft of a playlist into another, empty playlist.
import * as z from 'zod';
import { keepPrepared } from '../../orchestration/playout/keep-prepared.ts';
import { id, orNotFound } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { ProblemError } from '../problem-codes.ts';
import { itemsMore, playlistSchema, presentPlaylist } from './playlist-schema.ts';

export const copyPlaylist = operation(['service:write'], {
  summary: 'Copy a playlist',
  description:
    'Copies the items and the mode of the draft into the empty draft of another of your playlists, and returns ' +
    'that playlist. Its stream plays the copy after its next start.',
  tag: 'playlists',
  route: 'POST /playlists/{id}/copy',
  body: z.strictObject({ targetPlaylistID: id.describe('ID of the playlist to copy into.') }),
  output: { status: 200, body: playlistSchema },
  errors: ['playlist_not_empty', 'limit_reached'],
  async handle(ctx, { params, body }) {
    const { userID } = ctx.caller;
    const { playlists } = ctx.data;
    if (!(await playlists.find(userID, body.targetPlaylistID)))
      throw fieldProblem('targetPlaylistID', 'There is no such playlist.');
    await playlists.lockMany([userID], [params.id, body.targetPlaylistID]);
    const source = orNotFound(await playlists.find(userID, params.id), 'playlist');
    const target = await playlists.find(userID, body.targetPlaylistID);
    if (!target) throw fieldProblem('targetPlaylistID', 'There is no such playlist.');
    if (target.draft.items.length > 0) {
      throw new ProblemError(
        'playlist_not_empty',
        `The target playlist has ${target.draft.items.length} items. Clear it, or copy into another playlist.`,
      );
    }
    await assertRoom(ctx, { playlistItems: itemsMore(target, source.draft) });
    const saved = await playlists.saveDraft(target.id, source.draft);
    await keepPrepared(ctx.data, 'playlist', target.id, { retries: 'at once', limitFactor: ctx.settings.limitFactor });
    return presentPlaylist(ctx, saved);
  },
});
