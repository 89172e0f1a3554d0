// An alert channel as clients see it, and the fields that requests to create and to update one take.
import * as z from 'zod';
import type { AlertChannel } from '../../data/notices/alert-channels.ts';
import { alertChannelKinds, readAlertTarget } from '../../domain/notices/alert-target.ts';
import type { AlertChannelKind } from '../../domain/notices/alert-target.ts';
import { confirmedAfterSeconds, incidentKinds } from '../../domain/notices/incidents.ts';
import type { IncidentKind } from '../../domain/notices/incidents.ts';
import { alertTargetPlace } from '../../domain/shared/sealed-places.ts';
import { isTimeZone } from '../../domain/shared/time-zone.ts';
import { describeChannelDisabling, describeWebhookFailure } from '../../domain/notices/webhook-failures.ts';
import type { Context } from '../context.ts';
import { failure, text, timestamp } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';

const kind = z.enum(alertChannelKinds).meta({ id: 'AlertChannelKind' });
export const incidentKind = z.enum(incidentKinds).meta({ id: 'IncidentKind' });
const wallTime = z
  .string()
  .refine((time) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time), { error: 'Use HH:MM, from 00:00 to 23:59.' });

const quietHoursShape = {
  from: wallTime.describe('HH:MM'),
  to: wallTime.describe('HH:MM; before `from`: on the next day.'),
  timeZone: text(1, 64),
};

export const alertChannelFields = {
  name: text(1, 100).describe('For people.'),
  kind,
  target: text(1, 2048).describe(
    'slack, discord: URL of an incoming webhook. webhook: https URL. telegram: BOT_TOKEN/CHAT_ID. ' +
      "email: left out, as mails go to the account's address. No answer has it.",
  ),
  events: z.array(incidentKind).min(1).max(incidentKinds.length).describe('credits_low needs service:billing.'),
  afterSeconds: z.int32().min(0).max(3600).describe('Told of what has been wrong for so long.'),
  quietHours: z
    .strictObject({
      ...quietHoursShape,
      timeZone: quietHoursShape.timeZone.refine(isTimeZone, { error: 'Use an IANA name, such as Europe/Paris.' }),
    })
    .meta({ id: 'QuietHoursInput' })
    .nullable()
    .describe('What happens in them is told when they end, in one message.'),
  enabled: z.boolean().describe('While it is not, nothing is sent.'),
};

export const exampleChannel = {
  name: 'Night shift',
  kind: 'telegram',
  target: '123456789:AAExampleExampleExampleExample/-1001234567890',
  events: ['stream_away', 'output_refused'],
  afterSeconds: confirmedAfterSeconds,
  quietHours: null,
} as const;

export const alertChannelSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind,
    target: z.string().describe('Without what is secret in it.'),
    events: z.array(incidentKind),
    afterSeconds: z.int32(),
    quietHours: z.object(quietHoursShape).meta({ id: 'QuietHours' }).nullable(),
    enabled: z.boolean(),
    disabledReason: failure.nullable().describe('Why we disabled it.'),
    lastDelivery: z
      .object({
        at: z.iso.datetime(),
        status: z.int32().nullable().describe('HTTP status; null without one.'),
        failure: failure.nullable().describe('null: it was taken.'),
      })
      .meta({ id: 'AlertDelivery' })
      .nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'AlertChannel' });

export function presentAlertChannel(channel: AlertChannel): z.input<typeof alertChannelSchema> {
  const { last_delivery: last } = channel;
  return {
    id: channel.id,
    name: channel.name,
    kind: channel.kind,
    target: channel.shown_target,
    events: [...channel.events],
    afterSeconds: channel.after_seconds,
    quietHours: channel.quiet_hours,
    enabled: channel.enabled,
    disabledReason: channel.disabled_reason && describeChannelDisabling(channel.disabled_reason),
    lastDelivery: last && { ...last, failure: last.failure === null ? null : describeWebhookFailure(last.failure) },
    createdAt: channel.created_at,
  };
}

/**
 * Refuses to tell a caller of credits who may not read them.
 * @throws {ProblemError} insufficient_scope
 */
export function assertMayBeTold({ caller }: Context, events: readonly IncidentKind[]): void {
  if (events.includes('credits_low') && !caller.scopes.includes('service:billing'))
    throw fieldProblem(
      'events',
      'credits_low: needs the scope service:billing. Ask the user for it, or leave it out.',
      'insufficient_scope',
    );
}

/** The kinds of incidents that the caller may read. */
export function readableKinds({ caller }: Context): readonly IncidentKind[] {
  return incidentKinds.filter((each) => each !== 'credits_low' || caller.scopes.includes('service:billing'));
}

/**
 * What is stored of a target.
 * @throws {ProblemError} validation_failed, webhook_url_forbidden
 */
export async function storedTarget(
  ctx: Context,
  channel: { readonly id: string; readonly kind: AlertChannelKind },
  target: string | undefined,
): Promise<Pick<AlertChannel, 'sealed_target' | 'shown_target' | 'host'>> {
  if (channel.kind === 'email') {
    if (target !== undefined)
      throw fieldProblem('target', "Leave it out: mails go to the account's address, and to no other.");
    const user = await ctx.data.users.find(ctx.caller.userID);
    return { sealed_target: null, shown_target: user!.email, host: null };
  }
  if (target === undefined) throw fieldProblem('target', `A channel of the kind ${channel.kind} needs a target.`);
  const read = readAlertTarget(channel.kind, target, ctx.settings);
  if (read === 'malformed')
    throw fieldProblem(
      'target',
      channel.kind === 'telegram'
        ? 'Use BOT_TOKEN/CHAT_ID: the token that BotFather gave, and the id of the chat or @channelname.'
        : 'Must be an https:// URL without user name and password.',
    );
  if (read === 'forbidden')
    throw fieldProblem('target', 'Alerts may not be sent to this address. Use a public one.', 'webhook_url_forbidden');
  const sealed = ctx.sealer.seal(target, alertTargetPlace(channel.id));
  return { sealed_target: sealed, shown_target: read.shown, host: read.host };
}
