// PATCH /managed-settings/{id}: changes how broadcasts are called, shown and kept.
import * as z from 'zod';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import {
  assertManagedSettings,
  columnsOf,
  exampleManagedSettings,
  managedSettingsFields,
  managedSettingsSchema,
  presentManagedSettings,
} from './managed-settings-schema.ts';

export const updateManagedSettings = operation(['service:write'], {
  id: 'updateManagedSettings',
  summary: 'Update managed settings',
  description: 'An absent field stays as it is. Broadcasts that have begun keep what they were begun with.',
  tag: 'managed-settings',
  method: 'PATCH',
  path: '/managed-settings/{id}',
  params: { id: pathID },
  body: z
    .strictObject(managedSettingsFields)
    .partial()
    .meta({ examples: [{ titleTemplate: exampleManagedSettings.titleTemplate, dvr: false }] }),
  output: { status: 200, body: managedSettingsSchema },
  errors: ['not_found'],
  async handle(ctx, { params, body }) {
    const { userID } = ctx.caller;
    const before = orNotFound(await ctx.data.managedSettings.lock(userID, params.id), 'managed settings');
    await assertManagedSettings(ctx, body);
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const { id: _id, createdAt: _createdAt, ...unchanged } = presentManagedSettings(before);
    const saved = await ctx.data.managedSettings.save(before.id, userID, columnsOf({ ...unchanged, ...given }));
    return presentManagedSettings(saved);
  },
});
