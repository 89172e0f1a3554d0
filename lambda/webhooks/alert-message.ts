// The message of an alert channel: one for all due incidents, in the format of its service.
import { telegramTarget } from '../domain/notices/alert-target.ts';
import type { AlertChannelKind } from '../domain/notices/alert-target.ts';
import { describeIncident, incidentSentence } from '../domain/notices/incident-words.ts';
import { showIncident } from '../orchestration/notices/show-incident.ts';
import type { Notice } from '../data/notices/alert-notices.ts';

/** The content of a message, before it gets its service's format. */
export interface AlertMessage {
  readonly subject: string;
  readonly text: string;
}

export interface AlertRequest {
  readonly url: string;
  readonly body: string;
}

export const testMessage: AlertMessage = {
  subject: 'Alerts work',
  text: 'Alerts work. You requested this message. This channel reports each incident when it begins and when it ends.',
};

/** Beyond this number of incidents, each has one line, and the rest is counted. */
const describedAtMost = 3;
const listedAtMost = 20;

/** @param timeZone of the times in the message */
export function messageOfNotices(notices: readonly Notice[], timeZone: string): AlertMessage {
  const described = notices.map((notice) => describeNotice(notice, timeZone));
  const [first] = described;
  if (described.length === 1 && first) return { subject: first.line, text: first.lines.join('\n') };
  const wrong = notices.filter(({ phase }) => phase === 'began').length;
  const counts = [
    ...(wrong > 0 ? [`${wrong} new ${wrong === 1 ? 'incident' : 'incidents'}`] : []),
    ...(wrong < described.length ? [`${described.length - wrong} over`] : []),
  ];
  const subject = counts.join(', ');
  if (described.length <= describedAtMost)
    return { subject, text: [subject, ...described.map(({ lines }) => lines.join('\n'))].join('\n\n') };
  const listed = described.slice(0, listedAtMost).map(({ line }) => `• ${line}`);
  const rest = described.length - listed.length;
  return {
    subject,
    text: [subject, ...listed, ...(rest > 0 ? [`… and ${rest} more: see list_incidents`] : [])].join('\n'),
  };
}

function describeNotice(
  notice: Notice,
  timeZone: string,
): { readonly line: string; readonly lines: readonly string[] } {
  const words = describeIncident(notice.kind, notice.detail);
  const at = (time: Date) => formatTime(time, timeZone);
  const times = notice.count > 1 ? `, ${notice.count} times` : '';
  if (notice.phase === 'began')
    return {
      line: `${words.headline} since ${at(notice.began_at)}${times}`,
      lines: [
        incidentSentence(words),
        `Since: ${at(notice.began_at)}${times}`,
        words.viewers,
        `What to do: ${words.advice}`,
      ],
    };
  const endedAt = notice.ended_at!;
  const isOver = notice.condition === 'over';
  const line =
    `${isOver ? 'Over' : 'Well again'}: ${words.ended} from ${at(notice.began_at)} to ${at(endedAt)} ` +
    `(${formatDuration(notice.began_at, endedAt)}${times})`;
  const why = notice.is_known || words.cause === '' ? [] : [words.cause];
  return { line, lines: [line, ...why, isOver ? 'It was stopped or deleted.' : 'There is nothing to do.'] };
}

function formatTime(time: Date, timeZone: string): string {
  const formatted = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(time);
  return `${formatted} ${timeZone}`;
}

function formatDuration(from: Date, to: Date): string {
  const seconds = Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The maximum number of characters of a message, by the documentation of each service. */
const mostCharacters = { slack: 4000, discord: 2000, telegram: 4096 } as const;

/**
 * The request that the service of a channel documents: Slack's incoming webhooks, Discord's webhooks, `sendMessage` of
 * Telegram's Bot API, or the incidents as JSON for a plain webhook. User names cannot contain markup or mentions.
 * @param telegramURL origin of the Bot API
 */
export function requestOf(
  kind: Exclude<AlertChannelKind, 'email'>,
  target: string,
  { text }: AlertMessage,
  notices: readonly Notice[],
  telegramURL: string,
): AlertRequest {
  switch (kind) {
    case 'slack': {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      return { url: target, body: JSON.stringify({ text: cut(escaped, mostCharacters.slack) }) };
    }
    case 'discord': {
      // Flag 4 suppresses previews of links.
      const content = cut(text, mostCharacters.discord);
      return { url: target, body: JSON.stringify({ content, allowed_mentions: { parse: [] }, flags: 4 }) };
    }
    case 'telegram': {
      const { token, chatID } = telegramTarget(target)!;
      const body = {
        chat_id: chatID,
        text: cut(text, mostCharacters.telegram),
        link_preview_options: { is_disabled: true },
      };
      return { url: `${telegramURL}/bot${token}/sendMessage`, body: JSON.stringify(body) };
    }
    case 'webhook':
      return {
        url: target,
        body: JSON.stringify({
          text,
          incidents: notices.map((notice) => ({ phase: notice.phase, ...showIncident(notice) })),
        }),
      };
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
