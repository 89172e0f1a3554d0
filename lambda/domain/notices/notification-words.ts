// Words of notifications about credits, webhooks, channels and sources, in mails and on the page.
import { graceMs } from '../billing/credits.ts';
import { platformTraits } from '../channels/managed-platforms.ts';
import type { PlatformName } from '../channels/managed-platforms.ts';
import type { MessagePart } from './message.ts';
import { describeChannelDisabling, describeDisabling } from './webhook-failures.ts';

export const notificationKinds = [
  'credits_end_within_day',
  'credits_end_within_hour',
  'credits_exhausted',
  'streams_stopped_without_credits',
  'payment_refunded',
  'payment_disputed',
  'storage_will_cost',
  'webhook_disabled',
  'webhook_overflowed',
  'alert_channel_disabled',
  'channel_lost',
  'platform_disagrees',
  'source_failing',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** Kinds about credits and payments; only callers that may read billing see them. */
export const billingKinds: readonly NotificationKind[] = [
  'credits_end_within_day',
  'credits_end_within_hour',
  'credits_exhausted',
  'streams_stopped_without_credits',
  'payment_refunded',
  'payment_disputed',
  'storage_will_cost',
];

export interface Words {
  readonly subject: string;
  readonly parts: readonly MessagePart[];
}
type Detail = Readonly<Record<string, unknown>>;

/** A stream that a notification is about. */
export interface NotifiedStream {
  readonly id: string;
  /** Null: it has none, or it was not stored. */
  readonly name: string | null;
}

const minuteMs = 60_000;
const buyBefore = 'Buy more before then, and your streams continue without a break.';

/** @param detail facts that were stored with the notification */
export function notificationWords(kind: NotificationKind, detail: Detail): Words {
  return words[kind](detail);
}

/** @param detail facts that were stored with the notification; older ones have no names */
export function streamsOfNotification({ streams, streamIDs, streamID, streamName }: Detail): NotifiedStream[] {
  if (streams !== undefined) return streams as NotifiedStream[];
  if (streamIDs !== undefined) return (streamIDs as readonly string[]).map((id) => ({ id, name: null }));
  return typeof streamID === 'string' ? [{ id: streamID, name: (streamName as string | undefined) ?? null }] : [];
}

const words: Readonly<Record<NotificationKind, (detail: Detail) => Words>> = {
  credits_end_within_day: (detail) => ({
    subject: 'Your credits end within a day',
    parts: [creditsOf(detail), buyBefore],
  }),
  credits_end_within_hour: (detail) => ({
    subject: 'Your credits end within an hour',
    parts: [creditsOf(detail), buyBefore],
  }),
  credits_exhausted: () => ({
    subject: 'Your credits are used up',
    parts: [
      `Your streams continue for up to ${graceMs / minuteMs} minutes and then stop. ` +
        'Buy more credits within that time, and they continue without a break.',
    ],
  }),
  streams_stopped_without_credits: (detail) => ({
    subject: 'Your streams have stopped: the credits are used up',
    parts: [
      { lead: 'These streams were stopped:', items: streamsOfNotification(detail).map(({ id, name }) => name || id) },
      'Buy more credits, then start them again.',
    ],
  }),
  payment_refunded: (detail) => ({ subject: 'A payment was refunded', parts: [takenBack(detail)] }),
  payment_disputed: (detail) => ({
    subject: 'A payment is disputed',
    parts: [`${takenBack(detail)} They come back if the dispute is decided in our favour.`],
  }),
  storage_will_cost: ({ storedGiB, freeGiB, creditsPerGiBMonth, chargedFrom }) => ({
    subject: 'Your uploads will begin to cost credits',
    parts: [
      `You have ${String(storedGiB)} GiB of uploads, and ${String(freeGiB)} GiB are free. From ` +
        `${String(chargedFrom)} on, each further GiB costs ${String(creditsPerGiBMonth)} credits a month, ` +
        'charged once a day. Uploads that you delete before then cost nothing.',
    ],
  }),
  webhook_disabled: ({ url, reason }) => ({
    subject: 'A webhook was disabled',
    parts: [`No more events are sent to ${String(url)}.`, describeDisabling(reason as 'gone' | 'failing').detail],
  }),
  webhook_overflowed: ({ webhookID, waiting }) => ({
    subject: 'Events for a webhook were given up',
    parts: [
      `Too many events wait for the webhook ${String(webhookID)}: at most ${String(waiting)} do, and the oldest have ` +
        'failed. You can request them again for 30 days. Answer events faster, subscribe to fewer types, or delete ' +
        'the webhook. You get this message once a day at most.',
    ],
  }),
  alert_channel_disabled: ({ name, target, reason }) => ({
    subject: 'An alert channel was disabled',
    parts: [
      `The alert channel ${String(name)} (${String(target)}) gets no more messages.`,
      describeChannelDisabling(reason as 'gone' | 'failing').detail,
    ],
  }),
  // A trigger writes this kind (data/migrations/0008_channels.sql).
  channel_lost: ({ platform, title }) => {
    const { title: platformTitle } = platformTraits[platform as PlatformName];
    return {
      subject: `${platformTitle} does not let us stream to your channel any more`,
      parts: [
        `The consent for the channel ${String(title)} has ended, so its streams cannot start. ` +
          'Connect the channel again within six days, or its data is deleted.',
      ],
    };
  },
  // A trigger of the table `sources` writes this kind.
  source_failing: ({ url, reason }) => ({
    subject: 'A watched source is unreachable',
    parts: [
      `We cannot look for new files at ${String(url)} any more. ` + (reason as { readonly detail: string }).detail,
      'We keep retrying, and delete nothing. You get no further message until the source has recovered.',
    ],
  }),
  platform_disagrees: (detail) => {
    const { platform, health, issues } = detail;
    const [stream] = streamsOfNotification(detail);
    const { title } = platformTraits[platform as PlatformName];
    const items = (issues as readonly { readonly detail: string }[]).map((issue) => issue.detail);
    return {
      subject: `${title} has trouble with a stream that is on air`,
      parts: [
        {
          lead:
            `${title} takes the stream ${stream?.name || stream?.id}, but has reported for a minute that its ` +
            `health is ${String(health)}.`,
          items,
        },
        'Check the broadcast there. The stream continues meanwhile.',
      ],
    };
  },
};

function creditsOf({ creditsLeft, creditsExhaustedAt }: Detail): string {
  const credits = Number(creditsLeft).toFixed(0);
  const exhaustedAt = String(creditsExhaustedAt)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
  return `You have ${credits} credits left. Your live streams use them up at ${exhaustedAt}.`;
}

function takenBack({ invoiceID, creditsTakenBack }: Detail): string {
  return `${String(creditsTakenBack)} credits of invoice ${String(invoiceID)} were taken back.`;
}
