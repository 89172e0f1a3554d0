// POST /destinations: creates a destination, which is an ingest to stream to.
import * as z from 'zod';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { destinationFields, destinationSchema, presentDestination } from './destination-schema.ts';
import { assertDestination, settingsOf } from './destination-wish.ts';

export const createDestination = operation(['service:write'], {
  id: 'createDestination',
  summary: 'Create a destination',
  description:
    'Where streams go, over RTMP, SRT or HLS by PUT: the address and the key that the platform shows its user. ' +
    'Give url or rtmpURL. Secrets are stored sealed and never returned. Next: name it as destinationID of a stream.',
  tag: 'destinations',
  method: 'POST',
  path: '/destinations',
  body: z
    .strictObject(destinationFields)
    .meta({ examples: [{ name: 'Main feed', url: 'rtmps://live.example.org/app', streamKey: 'abcd-efgh-ijkl' }] }),
  output: { status: 201, body: destinationSchema, location: (destination) => `/destinations/${destination.id}` },
  errors: ['destination_forbidden', 'limit_reached'],
  async handle(ctx, { body }) {
    assertDestination(ctx, body);
    const id = ctx.newID('dst');
    const settings = settingsOf(ctx, id, body, null);
    await assertRoom(ctx, { destinations: 1 });
    return presentDestination(await ctx.data.destinations.insert({ id, userID: ctx.caller.userID, settings }));
  },
});
