// PATCH /managed-settings/{id}: changes settings for broadcasts.
import * as z from 'zod';
import { lockMirrorsOf, remirror } from '../../orchestration/channels/mirror-stream.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import {
  assertManagedSettings,
  columnsOf,
  exampleManagedSettings,
  managedSettingsFields,
  managedSettingsSchema,
  presentManagedSettings,
} from './managed-settings-schema.ts';

export const updateManagedSettings = operation(['service:write'], {
  summary: 'Update managed settings',
  description:
    'Absent fields stay unchanged. Prepared and live broadcasts on the channel are updated as far as the ' +
    'platform allows.',
  tag: 'managed-settings',
  route: 'PATCH /managed-settings/{id}',
  body: z
    .strictObject(managedSettingsFields)
    .partial()
    .meta({ examples: [{ titleTemplate: exampleManagedSettings.titleTemplate, dvr: false }] }),
  output: { status: 200, body: managedSettingsSchema },
  errors: ['resource_in_use'],
  async handle(ctx, { params, body }) {
    const { userID } = ctx.caller;
    const mirrored = await lockMirrorsOf(ctx.data, { settingsID: params.id });
    const before = orNotFound(await ctx.data.managedSettings.lock(userID, params.id), 'managed settings');
    await assertManagedSettings(ctx, body);
    const isMoved = body.connectionID !== undefined && body.connectionID !== before.connection_id;
    if (isMoved && (await ctx.data.managedSettings.isInUse(before.id)))
      throw new ProblemError(
        'resource_in_use',
        'A live stream uses these settings with their current connection. Stop the stream first.',
      );
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const { id: _id, createdAt: _createdAt, ...unchanged } = presentManagedSettings(before);
    const saved = await ctx.data.managedSettings.save(before.id, userID, columnsOf({ ...unchanged, ...given }));
    await remirror(ctx.data, mirrored, 'settings_changed');
    return presentManagedSettings(saved);
  },
});
