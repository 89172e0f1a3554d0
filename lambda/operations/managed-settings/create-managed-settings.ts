// POST /managed-settings: creates settings for broadcasts on a connected channel.
import * as z from 'zod';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import {
  assertManagedSettings,
  columnsOf,
  exampleManagedSettings,
  managedSettingsFields,
  managedSettingsSchema,
  presentManagedSettings,
} from './managed-settings-schema.ts';

const { descriptionTemplate, timeZone, categoryID, tags, latency, dvr, rotateAfterMinutes, thumbnailUploadID } =
  managedSettingsFields;

export const createManagedSettings = operation(['service:write'], {
  summary: 'Create managed settings',
  description:
    'Creates settings for the title, visibility and playback of broadcasts on a connected channel. Next: set ' +
    'them as managedSettingsID of a stream whose streamDestination is managed.',
  tag: 'managed-settings',
  route: 'POST /managed-settings',
  body: z
    .strictObject({
      ...managedSettingsFields,
      descriptionTemplate: descriptionTemplate.default(''),
      timeZone: timeZone.default('UTC'),
      categoryID: categoryID.default(null),
      tags: tags.default([]),
      latency: latency.default('normal'),
      dvr: dvr.default(true),
      rotateAfterMinutes: rotateAfterMinutes.default(null),
      thumbnailUploadID: thumbnailUploadID.default(null),
    })
    .meta({ examples: [exampleManagedSettings] }),
  output: { status: 201, body: managedSettingsSchema, location: ({ id }) => `/managed-settings/${id}` },
  errors: ['limit_reached'],
  async handle(ctx, { body }) {
    await assertManagedSettings(ctx, body);
    await assertRoom(ctx, { managedSettings: 1 });
    const made = await ctx.data.managedSettings.insert(ctx.newID('mst'), ctx.caller.userID, columnsOf(body));
    return presentManagedSettings(made);
  },
});
