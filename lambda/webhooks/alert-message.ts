// The message of an alert channel: one for all due incidents, in the format of its service.
import { telegramTarget } from '../domain/notices/alert-target.ts';
import type { AlertChannelKind } from '../domain/notices/alert-target.ts';
import { describeIncident } from '../domain/notices/incident-words.ts';
import { textOf } from '../domain/notices/message.ts';
import type { IncidentPart, MessagePart } from '../domain/notices/message.ts';
import { shortened } from '../domain/shared/one-line.ts';
import { showIncident } from '../orchestration/notices/show-incident.ts';
import type { Notice } from '../data/notices/alert-notices.ts';

/** The content of a message, before it gets its service's format. */
export interface AlertMessage {
  readonly subject: string;
  readonly parts: readonly MessagePart[];
}

export interface AlertRequest {
  readonly url: string;
  readonly body: string;
}

export const testMessage: AlertMessage = {
  subject: 'Alerts work',
  parts: ['You requested this message. This channel reports each incident when it begins and when it ends.'],
};

/** Beyond this number of incidents, each has one line, and the rest is counted. */
const describedAtMost = 3;

/** @param timeZone of the times in the message */
export function messageOfNotices(notices: readonly Notice[], timeZone: string): AlertMessage {
  const parts = notices.map((notice) => describeNotice(notice, timeZone));
  const lines = parts.map(({ title, span }) => `${title} ${span}`);
  if (lines.length === 1) return { subject: lines[0]!, parts };
  const wrong = notices.filter(({ phase }) => phase === 'began').length;
  const counts = [
    ...(wrong > 0 ? [`${wrong} new ${wrong === 1 ? 'incident' : 'incidents'}`] : []),
    ...(wrong < lines.length ? [`${lines.length - wrong} over`] : []),
  ];
  return { subject: counts.join(', '), parts: lines.length <= describedAtMost ? parts : [{ lead: '', items: lines }] };
}

function describeNotice(notice: Notice, timeZone: string): IncidentPart {
  const words = describeIncident(notice.kind, notice.detail);
  const at = (time: Date) => formatTime(time, timeZone);
  const times = notice.count > 1 ? `, ${notice.count} times` : '';
  if (notice.phase === 'began')
    return {
      title: words.headline,
      span: `since ${at(notice.began_at)} ${timeZone}${times}`,
      isOver: false,
      lines: [
        ...(words.cause === '' ? [] : [words.cause]),
        words.viewers,
        { label: 'What to do', value: words.advice },
      ],
    };
  const endedAt = notice.ended_at!;
  const isOver = notice.condition === 'over';
  const duration = formatDuration(notice.began_at, endedAt);
  const why = notice.is_known || words.cause === '' ? [] : [words.cause];
  return {
    title: `${isOver ? 'Over' : 'Well again'}: ${words.ended}`,
    span: `from ${at(notice.began_at)} to ${at(endedAt)} ${timeZone} (${duration}${times})`,
    isOver: true,
    lines: [...why, isOver ? 'It was stopped or deleted.' : 'There is nothing to do.'],
  };
}

/** The message as plain text. That of one incident begins with its title, others with their subject. */
function chatText({ subject, parts }: AlertMessage): string {
  const [first] = parts;
  const text = textOf(parts);
  if (parts.length === 1 && typeof first === 'object') return 'span' in first ? text : `${subject}\n${text}`;
  return `${subject}\n\n${text}`;
}

function formatTime(time: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(time);
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
  message: AlertMessage,
  notices: readonly Notice[],
  telegramURL: string,
): AlertRequest {
  const text = chatText(message);
  switch (kind) {
    case 'slack': {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      return { url: target, body: JSON.stringify({ text: shortened(escaped, mostCharacters.slack) }) };
    }
    case 'discord': {
      // Flag 4 suppresses previews of links.
      const content = shortened(text, mostCharacters.discord);
      return { url: target, body: JSON.stringify({ content, allowed_mentions: { parse: [] }, flags: 4 }) };
    }
    case 'telegram': {
      const { token, chatID } = telegramTarget(target)!;
      const body = {
        chat_id: chatID,
        text: shortened(text, mostCharacters.telegram),
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
