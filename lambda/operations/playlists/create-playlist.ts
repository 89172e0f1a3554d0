// POST /playlists: creates an empty playlist, of a stream or of none yet.
import * as z from 'zod';
import { playlistModes } from '../../domain/playout/play-out.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { judgeParts } from '../../orchestration/streams/judge-parts.ts';
import { id } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { playlistName, playlistSchema, presentPlaylist } from './playlist-schema.ts';
import { playlistKinds, usualPlaylistName } from '../../domain/playout/playlist-words.ts';

export const createPlaylist = operation(['service:write'], {
  summary: 'Create a playlist',
  description:
    'Creates an empty playlist: an ordered list of uploads that its stream loops. The stream plays it, unless ' +
    'it already has a playlist of this kind or is live; then set playlistIDs with update_stream. So does a playlist ' +
    'without a stream come to one. Next: apply_playlist_operations.',
  tag: 'playlists',
  route: 'POST /playlists',
  body: z.strictObject({
    streamID: id
      .nullish()
      .describe('ID of the stream that the playlist is made for. The playlist outlives it. Default: none yet.'),
    kind: z
      .enum(playlistKinds)
      .describe('video: pictures with their own sound. audio: sound that replaces the sound of the pictures.'),
    mode: z
      .enum(playlistModes)
      .describe(
        'sequential: plays the items in order. shuffle: plays each item once per lap, in a new order every lap.',
      ),
    name: playlistName
      .nullish()
      .describe('Name for people. Default: such as “Music of Night Radio”, by the name of the stream.'),
  }),
  output: { status: 201, body: playlistSchema, location: (playlist) => `/playlists/${playlist.id}` },
  errors: ['limit_reached'],
  async handle(ctx, { body }) {
    const stream = body.streamID ? await ctx.data.streams.lock(ctx.caller.userID, body.streamID) : null;
    if (body.streamID && !stream) throw fieldProblem('streamID', 'There is no such stream.');
    await assertRoom(ctx, { playlists: 1 });
    const playlist = await ctx.data.playlists.insert({
      id: ctx.newID('ply'),
      userID: ctx.caller.userID,
      streamID: stream?.id ?? null,
      name: body.name ?? usualPlaylistName(body.kind, stream?.name ?? null),
      kind: body.kind,
      draft: { mode: body.mode, items: [] },
    });
    if (!stream) return presentPlaylist(ctx, playlist);
    const attached = await ctx.data.playlists.findMany(ctx.caller.userID, stream.playlist_ids);
    const kindIsFree = attached.every((other) => other.kind !== playlist.kind);
    if (kindIsFree && !isLive(stream.state))
      await judgeParts(ctx.data, await ctx.data.streamParts.attachPlaylist(stream.id, playlist.id));
    return presentPlaylist(ctx, playlist);
  },
});
