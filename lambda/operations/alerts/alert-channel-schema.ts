// An alert channel in answers, and the fields of requests that create or update one.
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
import type { Scope } from '../scopes.ts';
import { shownColumns } from '../shown-columns.ts';

const kind = z.enum(alertChannelKinds).meta({ id: 'AlertChannelKind' });
export const incidentKind = z.enum(incidentKinds).meta({ id: 'IncidentKind' });
const wallTime = z
  .string()
  .refine((time) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time), { error: 'Use HH:MM, from 00:00 to 23:59.' });

const quietHoursShape = {
  from: wallTime.describe('Start of the quiet hours, HH:MM in timeZone.'),
  to: wallTime.describe('End of the quiet hours, HH:MM in timeZone. An end before `from` is on the next day.'),
  timeZone: text(1, 64),
};

export const alertChannelFields = {
  name: text(1, 100).describe('Name for people.'),
  kind,
  target: text(1, 2048).describe(
    'Address of the channel. slack, discord: URL of an incoming webhook. webhook: an https URL. telegram: ' +
      'BOT_TOKEN/CHAT_ID. email: leave it out; mails go to the address of the account. Answers never contain the ' +
      'full target.',
  ),
  events: z
    .array(incidentKind)
    .min(1)
    .max(incidentKinds.length)
    .describe(
      'Kinds of incidents that the channel reports. credits_low needs the scope service:billing, the others ' +
        'service:read.',
    ),
  afterSeconds: z
    .int32()
    .min(0)
    .max(3600)
    .describe('Seconds that an incident must last before the channel reports it.'),
  quietHours: z
    .strictObject({
      ...quietHoursShape,
      timeZone: quietHoursShape.timeZone.refine(isTimeZone, { error: 'Use an IANA name, such as Europe/Paris.' }),
    })
    .meta({ id: 'QuietHoursInput' })
    .nullable()
    .describe(
      'Daily time without messages. Incidents during quiet hours are reported in one message when they end. null: ' +
        'no quiet hours.',
    ),
  enabled: z.boolean().describe('false: no messages are sent.'),
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
    target: z.string().describe('Address of the channel, without its secret parts.'),
    events: z.array(incidentKind),
    afterSeconds: z.int32(),
    quietHours: z.object(quietHoursShape).meta({ id: 'QuietHours' }).nullable(),
    enabled: z.boolean(),
    disabledReason: failure.nullable().describe('Reason why the platform disabled the channel. null: it did not.'),
    lastDelivery: z
      .object({
        at: z.iso.datetime(),
        status: z.int32().nullable().describe('HTTP status of the answer. null: there was no HTTP answer.'),
        failure: failure.nullable().describe('Reason of a failed delivery. null: the message was accepted.'),
      })
      .meta({ id: 'AlertDelivery' })
      .nullable()
      .describe('Last message. null: none was sent.'),
    createdAt: timestamp,
  })
  .meta({ id: 'AlertChannel' });

export function presentAlertChannel(channel: AlertChannel): z.input<typeof alertChannelSchema> {
  const { last_delivery: last } = channel;
  return {
    ...shownColumns(alertChannelSchema, channel),
    target: channel.shown_target,
    events: [...channel.events],
    disabledReason: channel.disabled_reason && describeChannelDisabling(channel.disabled_reason),
    lastDelivery: last && { ...last, failure: last.failure === null ? null : describeWebhookFailure(last.failure) },
  };
}

/** The scope that reads incidents of a kind. */
export const scopeOfIncident = (each: IncidentKind): Scope =>
  each === 'credits_low' ? 'service:billing' : 'service:read';

/** The kinds of incidents that the caller may read. */
export function readableKinds({ caller }: Context): readonly IncidentKind[] {
  return incidentKinds.filter((each) => caller.scopes.includes(scopeOfIncident(each)));
}

/**
 * Checks a target, and returns the columns that store it.
 * @throws {ProblemError} validation_failed, webhook_url_forbidden
 */
export async function storedTarget(
  ctx: Context,
  channel: { readonly id: string; readonly kind: AlertChannelKind },
  target: string | undefined,
): Promise<Pick<AlertChannel, 'sealed_target' | 'shown_target' | 'host'>> {
  if (channel.kind === 'email') {
    if (target !== undefined)
      throw fieldProblem('target', 'Leave target out: mails go to the address of the account only.');
    const user = await ctx.data.users.find(ctx.caller.userID);
    return { sealed_target: null, shown_target: user!.email, host: null };
  }
  if (target === undefined) throw fieldProblem('target', `A channel of the kind ${channel.kind} needs a target.`);
  const read = readAlertTarget(channel.kind, target, ctx.settings);
  if (read === 'malformed')
    throw fieldProblem(
      'target',
      channel.kind === 'telegram'
        ? 'Use BOT_TOKEN/CHAT_ID: the token from BotFather, and the ID of the chat or @channelname.'
        : 'Must be an https:// URL without user name and password.',
    );
  if (read === 'forbidden')
    throw fieldProblem(
      'target',
      'Alerts to this address are not allowed. Use a public address.',
      'webhook_url_forbidden',
    );
  const sealed = ctx.sealer.seal(target, alertTargetPlace(channel.id));
  return { sealed_target: sealed, shown_target: read.shown, host: read.host };
}
