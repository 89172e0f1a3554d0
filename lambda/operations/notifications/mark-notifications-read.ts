// POST /notifications/read: notes that the caller has read some notifications, or all.
import * as z from 'zod';
import { operation } from '../operation.ts';

/** Ids are numbers of the database; what is none names nothing. */
const notificationID = z.string().regex(/^\d{1,15}$/, { error: 'Must be an ID of list_notifications.' });

export const markNotificationsRead = operation(['service:write'], {
  id: 'markNotificationsRead',
  summary: 'Mark notifications as read',
  tag: 'notifications',
  method: 'POST',
  path: '/notifications/read',
  body: z
    .strictObject({ ids: z.array(notificationID).min(1).max(100).optional().describe('All without it.') })
    .meta({ examples: [{ ids: ['41'] }] }),
  output: { status: 200, body: z.object({ marked: z.int32() }).meta({ id: 'MarkedNotifications' }) },
  errors: [],
  hints: { idempotent: true },
  async handle(ctx, { body: { ids } }) {
    return { marked: await ctx.data.notifications.markRead(ctx.caller.userID, ids?.map(Number) ?? null) };
  },
});
