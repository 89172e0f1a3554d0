// POST /managed-settings: says how broadcasts on a connected channel are called, shown and kept.
import * as z from 'zod';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import {
  assertManagedSettings,
  columnsOf,
  exampleManagedSettings,
  managedSettingsFields,
  managedSettingsSchema,
  maxManagedSettings,
  presentManagedSettings,
} from './managed-settings-schema.ts';

const { descriptionTemplate, timeZone, categoryID, tags, latency, dvr, rotateAfterMinutes, thumbnailUploadID } =
  managedSettingsFields;

export const createManagedSettings = operation(['service:write'], {
  id: 'createManagedSettings',
  summary: 'Create managed settings',
  description:
    'How broadcasts on a connected channel are called, shown and kept. ' +
    'Next: name them as managedSettingsID of a stream whose streamDestination is managed.',
  tag: 'managed-settings',
  method: 'POST',
  path: '/managed-settings',
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
    const { userID } = ctx.caller;
    const made = await ctx.data.managedSettings.insert(ctx.newID('mst'), userID, columnsOf(body), maxManagedSettings);
    if (!made)
      throw new ProblemError(
        'limit_reached',
        `There are ${maxManagedSettings} managed settings already, which is the limit. Delete one first.`,
      );
    return presentManagedSettings(made);
  },
});
