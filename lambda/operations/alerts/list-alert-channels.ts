// GET /alert-channels: the caller's alert channels, newest first.
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { alertChannelSchema, presentAlertChannel } from './alert-channel-schema.ts';

export const listAlertChannels = operation(['service:read'], {
  summary: 'List alert channels',
  description: 'Returns the channels that receive alerts, newest first.',
  tag: 'alert-channels',
  route: 'GET /alert-channels',
  query: pageQuery,
  output: { status: 200, body: pageOf(alertChannelSchema).meta({ id: 'AlertChannelPage' }) },
  handle: (ctx, { query }) =>
    pageThrough(ctx, 'alert-channels', query, presentAlertChannel, (before, count) =>
      ctx.data.alertChannels.list(ctx.caller.userID, before, count),
    ),
});
