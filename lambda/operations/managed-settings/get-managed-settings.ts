// GET /managed-settings/{id}: returns managed settings.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { managedSettingsSchema, presentManagedSettings } from './managed-settings-schema.ts';

export const getManagedSettings = operation(['service:read'], {
  id: 'getManagedSettings',
  summary: 'Get managed settings',
  description: 'Returns the settings for broadcasts on a connected channel.',
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
