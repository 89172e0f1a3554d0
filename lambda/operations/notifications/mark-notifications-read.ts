// POST /notifications/read: marks some notifications, or all of them, as read.
import * as z from 'zod';
import { operation } from '../operation.ts';

/** The ID of a notification: a number of the database. An unknown number changes nothing. */
const notificationID = z.string().regex(/^\d{1,15}$/, { error: 'Use an ID from list_notifications.' });

export const markNotificationsRead = operation(['service:write'], {
  summary: 'Mark notifications as read',
  tag: 'notifications',
  route: 'POST /notifications/read',
  body: z
    .strictObject({
      ids: z.array(notificationID).min(1).max(100).optional().describe('IDs of the notifications. Default: all.'),
    })
    .meta({ examples: [{ ids: ['41'] }] }),
  output: { status: 200, body: z.object({ marked: z.int32() }).meta({ id: 'MarkedNotifications' }) },
  hints: { idempotent: true },
  async handle(ctx, { body: { ids } }) {
    return { marked: await ctx.data.notifications.markRead(ctx.caller.userID, ids?.map(Number) ?? null) };
  },
});
