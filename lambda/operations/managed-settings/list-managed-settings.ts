// GET /managed-settings: the caller's managed settings, newest first.
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { managedSettingsSchema, presentManagedSettings } from './managed-settings-schema.ts';

export const listManagedSettings = operation(['service:read'], {
  summary: 'List managed settings',
  description: 'Returns the settings for broadcasts on connected channels, newest first.',
  tag: 'managed-settings',
  route: 'GET /managed-settings',
  query: pageQuery,
  output: { status: 200, body: pageOf(managedSettingsSchema).meta({ id: 'ManagedSettingsPage' }) },
  handle: (ctx, { query }) =>
    pageThrough(ctx, 'managed settings', query, presentManagedSettings, (before, count) =>
      ctx.data.managedSettings.list(ctx.caller.userID, before, count),
    ),
});
