// Managed settings as clients see them, and the checks of what requests say about them.
import * as z from 'zod';
import type { ManagedSettings, ManagedSettingsFields } from '../../data/channels/managed-settings.ts';
import { templateNames, unknownNames } from '../../domain/channels/broadcast-title.ts';
import { isTimeZone } from '../../domain/shared/time-zone.ts';
import type { Context } from '../context.ts';
import { id, text, timestamp } from '../fields.ts';
import { ProblemError } from '../problem-codes.ts';
import type { FieldError } from '../problem-codes.ts';

const knownNames = templateNames.map((name) => `{${name}}`).join(', ');

function template(minLength: number, maxLength: number) {
  return text(minLength, maxLength).refine((value) => unknownNames(value).length === 0, {
    error: `May name nothing in braces but ${knownNames}.`,
  });
}

const privacy = z.enum(['public', 'unlisted', 'private']).meta({ id: 'BroadcastPrivacy' });
const latency = z.enum(['normal', 'low', 'ultraLow']).meta({ id: 'BroadcastLatency' });

/** The fields that requests to create and to update take. Those without a default are required at creation. */
export const managedSettingsFields = {
  connectionID: id.describe('The connected channel.'),
  name: text(1, 255).describe('For people.'),
  titleTemplate: template(1, 500).describe(
    `Of each broadcast; may name ${knownNames}. Cut to 100 characters. On Twitch and Kick {item} follows what plays.`,
  ),
  descriptionTemplate: template(0, 5000).describe(`May name ${knownNames}.`),
  timeZone: text(1, 64)
    .refine(isTimeZone, { error: 'Must be an IANA name such as Europe/Berlin.' })
    .describe('IANA name; in which {date} is told.'),
  privacy,
  categoryID: text(1, 50).nullable().describe("The platform's id of a category."),
  tags: z.array(text(1, 64)).max(30).describe('What viewers find broadcasts by.'),
  madeForKids: z.boolean().describe('What you declare to the platform; the law asks for it.'),
  latency,
  dvr: z.boolean().describe('Whether viewers can go back in time while it is live.'),
  rotateAfterMinutes: z
    .int()
    .min(60)
    .max(10_080)
    .nullable()
    .describe(
      'A new broadcast is begun after so long, at an item’s end; it moves viewers to another page. null: never.',
    ),
  thumbnailUploadID: id.nullable().describe('An upload of an image.'),
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
    id: row.id,
    connectionID: row.connection_id,
    name: row.name,
    titleTemplate: row.title_template,
    descriptionTemplate: row.description_template,
    timeZone: row.time_zone,
    privacy: row.privacy,
    categoryID: row.category_id,
    tags: [...row.tags],
    madeForKids: row.made_for_kids,
    latency: row.latency,
    dvr: row.dvr,
    rotateAfterMinutes: row.rotate_after_minutes,
    thumbnailUploadID: row.thumbnail_upload_id,
    createdAt: row.created_at,
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

/** Refuses a connection and an upload that are not the caller's. Reports each. */
export async function assertManagedSettings(ctx: Context, input: Partial<Input>): Promise<void> {
  const { userID } = ctx.caller;
  const errors: FieldError[] = [];
  const miss = (field: keyof Input, what: string) =>
    errors.push({ path: `/${field}`, code: 'validation_failed', detail: `There is no such ${what}.` });
  const { connectionID, thumbnailUploadID } = input;
  if (connectionID && !(await ctx.data.connections.find(userID, connectionID))) miss('connectionID', 'connection');
  if (thumbnailUploadID && !(await ctx.data.uploads.find(userID, thumbnailUploadID)))
    miss('thumbnailUploadID', 'upload');
  if (errors.length > 0) throw new ProblemError('validation_failed', errors[0]!.detail, { errors });
}
