// The button of each mail: the page on which its reader can do something about it.
import type { Notice } from '../data/notices/alert-notices.ts';
import type { NotificationKind } from '../domain/notices/notification-words.ts';
import type { MailLink } from '../ports/mailer/mail-page.ts';

/** A label, and the path of a page. */
type Target = readonly [label: string, path: string];

const buyCredits: Target = ['Buy credits', '/billing'];
const openBilling: Target = ['Open billing', '/billing'];

const targets: Readonly<Record<NotificationKind, (detail: Readonly<Record<string, unknown>>) => Target>> = {
  credits_end_within_day: () => buyCredits,
  credits_end_within_hour: () => buyCredits,
  credits_exhausted: () => buyCredits,
  streams_stopped_without_credits: () => buyCredits,
  payment_refunded: () => openBilling,
  payment_disputed: () => openBilling,
  storage_will_cost: () => ['Open the library', '/library'],
  webhook_disabled: ({ webhookID }) => ['Open the webhook', pathOf('webhooks', webhookID)],
  webhook_overflowed: ({ webhookID }) => ['Open the webhook', pathOf('webhooks', webhookID)],
  alert_channel_disabled: () => ['Open alerts', '/alerts'],
  channel_lost: () => ['Connect the channel again', '/destinations'],
  source_failing: () => ['Open watched sources', '/sources'],
  platform_disagrees: ({ streamID }) => ['Open the stream', pathOf('streams', streamID)],
};

/** @param detail facts that were stored with the notification */
export function buttonOfNotification(
  siteURL: string,
  kind: NotificationKind,
  detail: Readonly<Record<string, unknown>>,
): MailLink {
  return linkTo(siteURL, targets[kind](detail));
}

/** The page of the stream if all incidents are of one, else the list of incidents. */
export function buttonOfNotices(siteURL: string, notices: readonly Pick<Notice, 'kind' | 'stream_id'>[]): MailLink {
  const [first] = notices;
  const isOf = (property: 'kind' | 'stream_id') => notices.every((notice) => notice[property] === first?.[property]);
  if (first?.kind === 'credits_low' && isOf('kind')) return linkTo(siteURL, buyCredits);
  if (first?.stream_id && isOf('stream_id'))
    return linkTo(siteURL, ['Open the stream', pathOf('streams', first.stream_id)]);
  return linkTo(siteURL, ['Open alerts', '/alerts']);
}

/** The page of an object, or the list if its id was not stored. */
function pathOf(list: string, id: unknown): string {
  return typeof id === 'string' ? `/${list}/${id}` : `/${list}`;
}

function linkTo(siteURL: string, [label, path]: Target): MailLink {
  return { label, url: siteURL + path };
}
