// Where an alert channel leads: what its user says, what of that is no secret, and the request that its service takes.
import type { AddressRules } from '../shared/network-address.ts';
import { faultOfWebhookURL } from './webhook-url.ts';
import type { WebhookURLFault } from './webhook-url.ts';

export const alertChannelKinds = ['email', 'slack', 'discord', 'telegram', 'webhook'] as const;
export type AlertChannelKind = (typeof alertChannelKinds)[number];

/** Hosts of services that are made for many senders at once: senders to them are not counted. */
const serviceHosts = new Set(['hooks.slack.com', 'discord.com', 'discordapp.com']);

export interface AlertTarget {
  /** For people: no secret is in it. */
  readonly shown: string;
  /** Null where senders to it are not counted. */
  readonly host: string | null;
}

/**
 * What a target of one of these kinds is: the URL of an incoming webhook of Slack or Discord, or of a service that
 * takes the same; any URL; or BOT_TOKEN/CHAT_ID at Telegram.
 */
export function readAlertTarget(
  kind: Exclude<AlertChannelKind, 'email'>,
  target: string,
  rules: AddressRules,
): AlertTarget | WebhookURLFault {
  if (kind === 'telegram') {
    const chat = telegramTarget(target);
    return chat === null ? 'malformed' : { shown: `Telegram, chat ${chat.chatID}`, host: null };
  }
  const fault = faultOfWebhookURL(target, rules);
  if (fault !== null) return fault;
  const { host } = new URL(target);
  return { shown: host, host: serviceHosts.has(host) ? null : host };
}

/** The parts of a target at Telegram; null where it is none. */
export function telegramTarget(target: string): { readonly token: string; readonly chatID: string } | null {
  const parts = /^(\d{1,20}:[\w-]{20,100})\/(-?\d{1,20}|@\w{4,64})$/.exec(target);
  return parts && { token: parts[1]!, chatID: parts[2]! };
}
