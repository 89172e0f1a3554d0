// GET /notifications: what the caller was told by mail, the last first.
import * as z from 'zod';
import type { ReadNotification } from '../../data/notices/notifications.ts';
import { billingKinds, notificationKinds, notificationWords } from '../../domain/notices/notification-words.ts';
import { pageOf, pageQuery, pageThrough, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';

export const notificationSchema = z
  .object({
    id: z.string(),
    kind: z.enum(notificationKinds),
    subject: z.string(),
    text: z.string(),
    createdAt: timestamp,
    readAt: timestamp.nullable(),
  })
  .meta({ id: 'Notification' });

export const listNotifications = operation(['service:read'], {
  id: 'listNotifications',
  summary: 'List notifications',
  description: 'What the user was mailed. Of credits and payments only with service:billing.',
  tag: 'notifications',
  method: 'GET',
  path: '/notifications',
  query: { ...pageQuery, unread: z.boolean().default(false).describe('true: only those.') },
  output: { status: 200, body: pageOf(notificationSchema).meta({ id: 'NotificationPage' }) },
  errors: ['invalid_cursor'],
  handle(ctx, { query }) {
    const { userID, scopes } = ctx.caller;
    const filter = { except: scopes.includes('service:billing') ? [] : billingKinds, isUnread: query.unread };
    return pageThrough(
      ctx,
      `notifications ${JSON.stringify(filter)}`,
      query,
      (before, count) => ctx.data.notifications.list(userID, filter, before, count),
      present,
    );
  },
});

function present({ id, kind, detail, created_at: createdAt, read_at: readAt }: ReadNotification) {
  return { id: String(id), kind, ...notificationWords(kind, detail), createdAt, readAt };
}
