// POST /destinations: creates a destination, which is an RTMP ingest to stream to.
import * as z from 'zod';
import { destinationKeyPlace } from '../../domain/sealed-places.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { assertDestination, destinationFields, destinationSchema, presentDestination } from './destination-schema.ts';

export const createDestination = operation(['service:write'], {
  id: 'createDestination',
  summary: 'Create an RTMP destination',
  description:
    'Where streams go: the RTMP address and the stream key that the platform shows its user. ' +
    "Streams are published to the application in rtmpURL's path with streamKey as stream name. " +
    'The key is stored sealed and never returned. Next: name it as destinationID of a stream.',
  tag: 'destinations',
  method: 'POST',
  path: '/destinations',
  body: z.strictObject(destinationFields),
  output: { status: 201, body: destinationSchema, location: (destination) => `/destinations/${destination.id}` },
  errors: ['destination_forbidden', 'limit_reached'],
  async handle(ctx, { body }) {
    assertDestination(ctx, body);
    await assertRoom(ctx, { destinations: 1 });
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
