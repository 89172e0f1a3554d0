// PATCH /destinations/{id}: changes the name, the addresses or the secrets.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { assertOtherPlace } from '../outputs/assert-other-place.ts';
import { takeSlotsAt } from '../outputs/take-slots.ts';
import { destinationFields, destinationSchema, presentDestination } from './destination-schema.ts';
import { assertChannelHasNoAddress, assertDestination, settingsOf } from './destination-wish.ts';

/** The fields that decide the place that a stream is sent to. */
const placeFields = ['url', 'rtmpURL', 'backupURL', 'backupRtmpURL', 'streamKey', 'srt'] as const;

export const updateDestination = operation(['service:write'], {
  summary: 'Update a destination',
  description:
    'Absent fields stay unchanged, also inside srt; null clears a field. A live stream keeps its current ' +
    'connection and uses the new address or secret from its next connection. A different host, port or path also ' +
    'needs the secret again.',
  tag: 'destinations',
  route: 'PATCH /destinations/{id}',
  body: z
    .strictObject({ ...destinationFields, name: destinationFields.name.optional() })
    .meta({ examples: [{ name: 'Main feed' }] }),
  output: { status: 200, body: destinationSchema },
  errors: ['destination_forbidden', 'output_exists', 'limit_reached'],
  async handle(ctx, { params, body }) {
    assertDestination(ctx, body);
    const field = placeFields.find((each) => body[each] !== undefined);
    const { id } = orNotFound(await ctx.data.destinations.find(ctx.caller.userID, params.id), 'destination');
    if (field !== undefined) await ctx.data.streamParts.lockUsersOf({ destinationID: id });
    const before = orNotFound(await ctx.data.destinations.lock(ctx.caller.userID, id), 'destination');
    assertChannelHasNoAddress(before, body);
    const settings = settingsOf(ctx, before.id, body, before);
    if (field !== undefined)
      assertOtherPlace(ctx, field, { ...before, ...settings }, await ctx.data.destinations.lockOthersForUse(before.id));
    const saved = await ctx.data.destinations.save(before.id, settings);
    if (field !== undefined) await takeSlotsAt(ctx, before.id);
    return presentDestination(saved);
  },
});
