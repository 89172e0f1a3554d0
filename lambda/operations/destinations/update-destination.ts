// PATCH /destinations/{id}: changes the name, the addresses or the key.
import * as z from 'zod';
import { destinationKeyPlace } from '../../domain/sealed-places.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import {
  assertChannelHasNoAddress,
  assertDestination,
  assertKeyStaysWithItsServers,
  destinationFields,
  destinationSchema,
  presentDestination,
} from './destination-schema.ts';

const { name, rtmpURL, streamKey, backupRtmpURL } = destinationFields;

export const updateDestination = operation(['service:write'], {
  id: 'updateDestination',
  summary: 'Update a destination',
  description:
    'An absent field stays as it is; null clears backupRtmpURL. A live stream goes on where it is connected: ' +
    'an address or key that changes is used from its next connection on. Another host or port needs the streamKey too.',
  tag: 'destinations',
  method: 'PATCH',
  path: '/destinations/{id}',
  params: { id: pathID },
  body: z.strictObject({
    name: name.optional(),
    rtmpURL: rtmpURL.optional(),
    streamKey: streamKey.optional(),
    backupRtmpURL,
  }),
  output: { status: 200, body: destinationSchema },
  errors: ['not_found', 'destination_forbidden'],
  async handle(ctx, { params, body }) {
    assertDestination(ctx, body);
    const before = orNotFound(await ctx.data.destinations.lock(ctx.caller.userID, params.id), 'destination');
    assertChannelHasNoAddress(before, body);
    assertKeyStaysWithItsServers(before, body);
    const saved = await ctx.data.destinations.save(before.id, {
      name: body.name ?? before.name,
      rtmp_url: body.rtmpURL ?? before.rtmp_url,
      backup_rtmp_url: body.backupRtmpURL === undefined ? before.backup_rtmp_url : body.backupRtmpURL,
      sealed_stream_key:
        body.streamKey === undefined
          ? before.sealed_stream_key
          : ctx.sealer.seal(body.streamKey, destinationKeyPlace(before.id)),
    });
    return presentDestination(saved);
  },
});
