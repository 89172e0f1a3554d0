// The channel of the token of a guide link, if it takes requests now.
import { askedChannel } from '../../orchestration/playout/guest-requests.ts';
import type { AskedChannel } from '../../orchestration/playout/guest-requests.ts';
import type { GuestContext } from '../context.ts';
import { orNotFound } from '../fields.ts';
import { guestRefusal } from './guest-refusal.ts';

/** @throws {ProblemError} not_found, item_request_refused */
export async function channelOfGuide({ data }: GuestContext, token: string): Promise<AskedChannel> {
  const channel = await askedChannel(data, orNotFound(await data.guideLinks.find(token), 'guide'));
  if ('refusedBy' in channel) throw guestRefusal(channel);
  return channel;
}
