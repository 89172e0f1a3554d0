// Managed settings in answers, and the checks of requests about them.
import * as z from 'zod';
import type { ManagedSettings, ManagedSettingsFields } from '../../data/channels/managed-settings.ts';
import { templateNames, unknownNames } from '../../domain/channels/broadcast-title.ts';
import { isTimeZone } from '../../domain/shared/time-zone.ts';
import type { Context } from '../context.ts';
import { assertNoFaults } from '../field-problems.ts';
import type { FieldFault } from '../field-problems.ts';
import { id, text, timestamp } from '../fields.ts';
import { shownColumns } from '../shown-columns.ts';

const knownNames = templateNames.map((name) => `{${name}}`).join(', ');

function template(minLength: number, maxLength: number) {
  return text(minLength, maxLength).refine((value) => unknownNames(value).length === 0, {
    error: `Only these placeholders are allowed: ${knownNames}.`,
  });
}

const privacy = z.enum(['public', 'unlisted', 'private']).meta({ id: 'BroadcastPrivacy' });
const latency = z.enum(['normal', 'low', 'ultraLow']).meta({ id: 'BroadcastLatency' });

/** The fields of requests that create or update managed settings. Fields without a default are required at creation. */
export const managedSettingsFields = {
  connectionID: id.describe('ID of the connected channel.'),
  name: text(1, 255).describe('Name for people.'),
  titleTemplate: template(1, 500).describe(
    `Title of each broadcast, cut to 100 characters. Placeholders: ${knownNames}. {item} is the song if the stream ` +
      'has an audio playlist, else the picture. On Twitch and Kick it follows the current item.',
  ),
  descriptionTemplate: template(0, 5000).describe(`Description of each broadcast. Placeholders: ${knownNames}.`),
  timeZone: text(1, 64)
    .refine(isTimeZone, { error: 'Use an IANA time zone name, such as Europe/Berlin.' })
    .describe('IANA time zone of {date}.'),
  privacy,
  categoryID: text(1, 50).nullable().describe('ID of a category on the platform. null: none.'),
  tags: z.array(text(1, 64)).max(30).describe('Tags that help viewers find broadcasts.'),
  madeForKids: z
    .boolean()
    .describe('Declaration to the platform that the content is made for kids. It is required by law.'),
  latency,
  dvr: z.boolean().describe('true: viewers can rewind while the broadcast is live.'),
  rotateAfterMinutes: z
    .int()
    .min(60)
    .max(10_080)
    .nullable()
    .describe(
      'Minutes until a new broadcast begins, at the end of an item. It moves viewers to another page. null: ' +
        'never.',
    ),
  thumbnailUploadID: id.nullable().describe('ID of an image upload for the thumbnail. null: none.'),
};

export const exampleManagedSettings = {
  connectionID: 'con_0mb3kq5zj4h8s2n7t1w9x6c0p',
  name: 'Night radio',
  titleTemplate: 'Night radio, {date}',
  timeZone: 'Europe/Berlin',
  privacy: 'public',
  madeForKids: false,
} as const;

export const managedSettingsSchema = z
  .object({ id: z.string(), ...managedSettingsFields, createdAt: timestamp })
  .meta({ id: 'ManagedSettings' });

export function presentManagedSettings(row: ManagedSettings): z.input<typeof managedSettingsSchema> {
  return {
    ...shownColumns(managedSettingsSchema, row),
    tags: [...row.tags],
  };
}

type Input = {
  readonly [Field in keyof typeof managedSettingsFields]: z.output<(typeof managedSettingsFields)[Field]>;
};

export function columnsOf(input: Input): ManagedSettingsFields {
  return {
    connection_id: input.connectionID,
    name: input.name,
    title_template: input.titleTemplate,
    description_template: input.descriptionTemplate,
    time_zone: input.timeZone,
    privacy: input.privacy,
    category_id: input.categoryID,
    tags: [...new Set(input.tags)],
    made_for_kids: input.madeForKids,
    latency: input.latency,
    dvr: input.dvr,
    rotate_after_minutes: input.rotateAfterMinutes,
    thumbnail_upload_id: input.thumbnailUploadID,
  };
}

/** Refuses a connection and an upload that do not belong to the caller. Reports both. */
export async function assertManagedSettings(ctx: Context, input: Partial<Input>): Promise<void> {
  const { userID } = ctx.caller;
  const faults: FieldFault[] = [];
  const miss = (field: keyof Input, what: string) => faults.push([field, `There is no such ${what}.`]);
  const { connectionID, thumbnailUploadID } = input;
  if (connectionID && !(await ctx.data.connections.find(userID, connectionID))) miss('connectionID', 'connection');
  // The lock keeps the upload until the settings name it.
  if (thumbnailUploadID && (await ctx.data.uploads.lockManyForUse([userID], [thumbnailUploadID])).length === 0)
    miss('thumbnailUploadID', 'upload');
  assertNoFaults(faults);
}
