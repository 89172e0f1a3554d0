// GET /managed-settings/{id}: how broadcasts are called, shown and kept.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { managedSettingsSchema, presentManagedSettings } from './managed-settings-schema.ts';

export const getManagedSettings = operation(['service:read'], {
  id: 'getManagedSettings',
  summary: 'Get managed settings',
  description: 'How broadcasts on a connected channel are called, shown and kept.',
  tag: 'managed-settings',
  method: 'GET',
  path: '/managed-settings/{id}',
  params: { id: pathID },
  output: { status: 200, body: managedSettingsSchema },
  errors: ['not_found'],
  handle: async (ctx, { params }) =>
    presentManagedSettings(
      orNotFound(await ctx.data.managedSettings.find(ctx.caller.userID, params.id), 'managed settings'),
    ),
});
