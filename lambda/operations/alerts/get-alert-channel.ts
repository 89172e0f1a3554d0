// GET /alert-channels/{id}: returns one alert channel.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { alertChannelSchema, presentAlertChannel } from './alert-channel-schema.ts';

export const getAlertChannel = operation(['service:read'], {
  summary: 'Get an alert channel',
  description: 'Returns the channel. lastDelivery shows whether messages arrive.',
  tag: 'alert-channels',
  route: 'GET /alert-channels/{id}',
  output: { status: 200, body: alertChannelSchema },
  handle: async (ctx, { params }) =>
    presentAlertChannel(orNotFound(await ctx.data.alertChannels.find(ctx.caller.userID, params.id), 'alert channel')),
});
