// GET /managed-settings/{id}: returns managed settings.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { managedSettingsSchema, presentManagedSettings } from './managed-settings-schema.ts';

export const getManagedSettings = operation(['service:read'], {
  summary: 'Get managed settings',
  description: 'Returns the settings for broadcasts on a connected channel.',
  tag: 'managed-settings',
  route: 'GET /managed-settings/{id}',
  output: { status: 200, body: managedSettingsSchema },
  handle: async (ctx, { params }) =>
    presentManagedSettings(
      orNotFound(await ctx.data.managedSettings.find(ctx.caller.userID, params.id), 'managed settings'),
    ),
});
