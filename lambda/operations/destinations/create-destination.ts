// POST /destinations: creates a destination, the ingest that streams are sent to.
import * as z from 'zod';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { destinationFields, destinationSchema, presentDestination } from './destination-schema.ts';
import { assertDestination, settingsOf } from './destination-wish.ts';

export const createDestination = operation(['service:write'], {
  summary: 'Create a destination',
  description:
    'Creates a destination over RTMP, SRT or HLS by HTTP PUT, from the address and the key that a platform ' +
    'shows to its users. Set either url or rtmpURL. Secrets are stored encrypted and never returned. Next: set ' +
    'it as destinationID of a stream.',
  tag: 'destinations',
  route: 'POST /destinations',
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
