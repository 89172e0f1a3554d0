// POST /destinations: an RTMP ingest to stream to.
import * as z from 'zod';
import { destinationKeyPlace } from '../../domain/sealed-places.ts';
import { text } from '../fields.ts';
import { operation } from '../operation.ts';
import { assertDestinationURL, destinationSchema, presentDestination } from './destination-schema.ts';

export const createDestination = operation(['service:write'], {
  id: 'createDestination',
  summary: 'Create an RTMP destination',
  description: "Streams are published to the application in rtmpURL's path with streamKey as stream name. The key is stored sealed and never returned.",
  tag: 'destinations',
  method: 'POST',
  path: '/destinations',
  body: z.strictObject({
    name: text(1, 255),
    rtmpURL: text(1, 2048).describe('rtmp:// or rtmps://, with the application as path, such as rtmps://live.example.com/app.'),
    streamKey: text(1, 512).meta({ writeOnly: true }).describe('The secret stream name that the platform gave you.'),
    backupRtmpURL: text(1, 2048).nullish().describe('The address of the platform for a second, redundant feed.'),
  }),
  output: { status: 201, body: destinationSchema, location: (destination) => `/destinations/${destination.id}` },
  errors: ['destination_forbidden'],
  async handle(ctx, { body }) {
    assertDestinationURL(ctx, 'rtmpURL', body.rtmpURL);
    if (body.backupRtmpURL) assertDestinationURL(ctx, 'backupRtmpURL', body.backupRtmpURL);
    const id = ctx.newID('dst');
    const destination = await ctx.data.destinations.insert({
      id,
      userID: ctx.caller.userID,
      name: body.name,
      rtmpURL: body.rtmpURL,
      backupRtmpURL: body.backupRtmpURL ?? null,
      sealedStreamKey: ctx.sealer.seal(body.streamKey, destinationKeyPlace(id)),
    });
    return presentDestination(destination);
  },
});
