// Target of an alert channel: its public part, and the request that its service accepts.
import type { AddressRules } from '../shared/network-address.ts';
import { faultOfWebhookURL } from './webhook-url.ts';
import type { WebhookURLFault } from './webhook-url.ts';

export const alertChannelKinds = ['email', 'slack', 'discord', 'telegram', 'webhook'] as const;
export type AlertChannelKind = (typeof alertChannelKinds)[number];

/** Hosts of services made for many senders at once; senders to them are not counted. */
const serviceHosts = new Set(['hooks.slack.com', 'discord.com', 'discordapp.com']);

export interface AlertTarget {
  /** Text for people, without secrets. */
  readonly shown: string;
  /** Null if senders to the host are not counted. */
  readonly host: string | null;
}

/**
 * Reads a target: the URL of an incoming webhook of Slack, Discord or a compatible service; any URL; or
 * BOT_TOKEN/CHAT_ID of Telegram.
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

/** Parts of a Telegram target; null for any other text. */
export function telegramTarget(target: string): { readonly token: string; readonly chatID: string } | null {
  const parts = /^(\d{1,20}:[\w-]{20,100})\/(-?\d{1,20}|@\w{4,64})$/.exec(target);
  return parts && { token: parts[1]!, chatID: parts[2]! };
}
