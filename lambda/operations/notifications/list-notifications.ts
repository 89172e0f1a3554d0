// GET /notifications: the mails sent to the caller, newest first.
import * as z from 'zod';
import type { ReadNotification } from '../../data/notices/notifications.ts';
import { textOf } from '../../domain/notices/message.ts';
import {
  billingKinds,
  notificationKinds,
  notificationWords,
  streamsOfNotification,
} from '../../domain/notices/notification-words.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import { pageOf, pageQuery, pageThrough, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { notifiedStreamSchema } from './notified-stream.ts';

export const notificationSchema = z
  .object({
    id: z.string(),
    kind: z.enum(notificationKinds),
    subject: z.string(),
    text: z.string(),
    streams: z.array(notifiedStreamSchema).describe('The streams that it is about. Some may be deleted since.'),
    createdAt: timestamp,
    readAt: timestamp.nullable().describe('Time when the user read it. null: unread.'),
  })
  .meta({ id: 'Notification' });

export const listNotifications = operation(['service:read'], {
  summary: 'List notifications',
  description:
    `Returns notifications, newest first. ${bounds.notificationMailsPerDay} a day are mailed. Those about credits ` +
    'and payments need the scope service:billing.',
  tag: 'notifications',
  route: 'GET /notifications',
  query: { ...pageQuery, unread: z.boolean().default(false).describe('true: only unread notifications.') },
  output: { status: 200, body: pageOf(notificationSchema).meta({ id: 'NotificationPage' }) },
  handle(ctx, { query }) {
    const { userID, scopes } = ctx.caller;
    const filter = { except: scopes.includes('service:billing') ? [] : billingKinds, isUnread: query.unread };
    return pageThrough(ctx, `notifications ${JSON.stringify(filter)}`, query, present, (before, count) =>
      ctx.data.notifications.list(userID, filter, before, count),
    );
  },
});

function present({ id, kind, detail, created_at: createdAt, read_at: readAt }: ReadNotification) {
  const { subject, parts } = notificationWords(kind, detail);
  return {
    id: String(id),
    kind,
    subject,
    text: textOf(parts),
    streams: streamsOfNotification(detail),
    createdAt,
    readAt,
  };
}
