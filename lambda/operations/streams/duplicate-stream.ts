// POST /streams/{id}/duplicate: copies a stream with its playlists and outputs.
import * as z from 'zod';
import type { Playlist } from '../../data/playout/playlists.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { judgeParts } from '../../orchestration/streams/judge-parts.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { streamFields } from './stream-fields.ts';
import { presentStream, streamSchema } from './stream-schema.ts';
import { keepPlaylistsPrepared } from './stream-settings.ts';

export const duplicateStream = operation(['service:write'], {
  summary: 'Duplicate a stream',
  description:
    'Copies all settings, the drafts of its playlists, and its outputs, but not its schedule, its history or ' +
    'the deprecated streamKey. The copy is not started. To run both streams, give the copy another destination.',
  tag: 'streams',
  route: 'POST /streams/{id}/duplicate',
  body: z.strictObject({ name: streamFields.name }).meta({ examples: [{ name: 'Evening loop, Spanish' }] }),
  output: { status: 201, body: streamSchema, location: (stream) => `/streams/${stream.id}` },
  errors: ['limit_reached'],
  async handle(ctx, { params, body }) {
    const source = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const id = ctx.newID('str');
    const copied = await playlistsOf(ctx, source);
    await assertRoom(ctx, {
      streams: 1,
      playlists: copied.length,
      playlistItems: copied.reduce((sum, { playlist }) => sum + playlist.draft.items.length, 0),
    });
    const copiesOf = (ids: readonly string[]) =>
      copied.filter(({ playlist }) => ids.includes(playlist.id)).map(({ copyID }) => copyID);
    const settings = {
      ...source,
      name: body.name === undefined ? source.name : body.name,
      playlist_ids: copiesOf(source.playlist_ids),
      prepared_playlist_ids: copiesOf(source.prepared_playlist_ids),
      sealed_stream_key: null,
      schedule_start_at: null,
      schedule_end_at: null,
    };
    await ctx.data.streams.insert(id, ctx.caller.userID, settings);
    for (const { playlist, copyID } of copied) {
      const { kind, name, draft } = playlist;
      await ctx.data.playlists.insert({ id: copyID, userID: ctx.caller.userID, streamID: id, kind, name, draft });
    }
    await copyOutputs(ctx, source.id, id);
    await keepPlaylistsPrepared(ctx, id, settings);
    return presentStream(ctx, await judgeParts(ctx.data, (await ctx.data.streams.lockAny(id))!));
  },
});

/** The playlists that a stream uses and that belong to it, in its order, with IDs for their copies. */
async function playlistsOf(ctx: Context, source: Stream): Promise<{ playlist: Playlist; copyID: string }[]> {
  const ids = [...new Set([...source.playlist_ids, ...source.prepared_playlist_ids])];
  const found = await ctx.data.playlists.findMany(ctx.caller.userID, ids);
  return ids.flatMap((id) => {
    const playlist = found.find((each) => each.id === id);
    return playlist ? [{ playlist, copyID: ctx.newID('ply') }] : [];
  });
}

/** Copies the outputs. The first output already exists, because it follows the stream's destination. */
async function copyOutputs({ data, newID }: Context, sourceID: string, streamID: string): Promise<void> {
  const [first] = await data.outputs.allOfStreams([streamID]);
  for (const { is_first: isFirst, destination_id: destinationID, name, enabled } of await data.outputs.ofStreams([
    sourceID,
  ])) {
    if (isFirst && first) await data.outputs.save(first.id, { name, enabled });
    else if (!isFirst) await data.outputs.insert({ id: newID('out'), streamID, destinationID, name, enabled });
  }
}
