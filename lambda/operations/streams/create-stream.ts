// POST /streams: creates a stream without starting it.
import * as z from 'zod';
import { judgeParts } from '../../orchestration/streams/judge-parts.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { mergeSettings, streamFields } from './stream-fields.ts';
import { presentStream, streamSchema } from './stream-schema.ts';
import {
  adoptPlaylists,
  assertFields,
  assertSchedule,
  assertVideoCodec,
  keepPlaylistsPrepared,
  withDefaultBackend,
} from './stream-settings.ts';

/** An example request for the OpenAPI document. */
const exampleStream = {
  name: 'Evening loop',
  videoUploadObjectID: 'upl_0mb3kq5zj4h8s2n7t1w9x6c0p',
  destinationID: 'dst_0mb3kq5zj4h8s2n7t1w9x6c0p',
  quality: 'q_1080p',
  framerate: 'f_30',
};

export const createStream = operation(['service:write'], {
  summary: 'Create a stream',
  description:
    'Creates a stream, which loops media to its destinations around the clock: the items of its playlists, or ' +
    'the single file in videoUploadObjectID. Every field is optional and can be set later with update_stream. ' +
    'Next: create_playlist for several files, then get_stream_readiness and start_stream. The playlist needs the id: ' +
    'set it as streamID. A schedule given here is stored; schedule_stream arms it.',
  tag: 'streams',
  route: 'POST /streams',
  body: z.strictObject(streamFields).meta({ examples: [exampleStream] }),
  output: { status: 201, body: streamSchema, location: (stream) => `/streams/${stream.id}` },
  errors: ['schedule_in_past', 'stream_live', 'limit_reached'],
  async handle(ctx, { body }) {
    await assertFields(ctx, body);
    const id = ctx.newID('str');
    const settings = withDefaultBackend(ctx, mergeSettings(ctx, id, null, body));
    assertSchedule(body, settings);
    assertVideoCodec(body, settings);
    await assertRoom(ctx, { streams: 1 });
    const user = (await ctx.data.users.find(ctx.caller.userID))!;
    await ctx.data.streams.insert(id, user.id, {
      ...settings,
      stream_duration_seconds: settings.stream_duration_seconds ?? user.default_stream_duration_seconds,
    });
    await adoptPlaylists(ctx, id, settings.playlist_ids);
    await keepPlaylistsPrepared(ctx, id, settings);
    return presentStream(ctx, await judgeParts(ctx.data, (await ctx.data.streams.lockAny(id))!));
  },
});
