// POST /guides/{token}/requests: a viewer asks for an item.
// Decision D232.
import * as z from 'zod';
import { keptMinutesOf, notOffered, queueFull, refusalOfWaits } from '../../domain/programme/guest-requests.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import type { AskedChannel } from '../../orchestration/playout/guest-requests.ts';
import { itemsInTime, refusalOfItem } from '../../orchestration/playout/guest-requests.ts';
import { planSoon } from '../../orchestration/playout/plan-soon.ts';
import type { GuestContext } from '../context.ts';
import { id, orNotFound } from '../fields.ts';
import { guestOperation } from '../operation.ts';
import { channelOfGuide } from './channel-of-guide.ts';
import { guestRefusal } from './guest-refusal.ts';
import { guideToken } from './guide-token.ts';

export const requestItem = guestOperation({
  summary: 'Ask for an item',
  description:
    'Queues an item of a channel for a viewer: it plays after the present one and those queued before. A refusal has ' +
    'refusedBy, the part of the policy that refused it, and allowedAt, when it would be granted, or null. Viewers ' +
    'are told apart by their address.',
  tag: 'guides',
  route: 'POST /guides/{token}/requests',
  params: { token: guideToken },
  body: z.strictObject({ uploadID: id.describe('id of an item of list_requestable_items.') }),
  output: { status: 202, body: z.object({ uploadID: z.string() }).meta({ id: 'GuestRequest' }) },
  errors: ['not_found', 'item_request_refused'],
  async handle(ctx, { params: { token }, body: { uploadID } }) {
    const channel = await channelOfGuide(ctx, token);
    await assertNoWait(ctx, channel);
    const now = await ctx.data.now();
    const offered = itemsInTime(await ctx.offers(ctx.data, channel), channel, now);
    if (!offered.some((item) => item.id === uploadID)) throw guestRefusal(notOffered);
    await ctx.data.changeBounds.beginGuests(channel.stream.user_id);
    // Only a request that nothing else refuses waits for this lock. The policy may have changed meanwhile.
    orNotFound(await ctx.data.streams.lock(channel.stream.user_id, channel.stream.id), 'guide');
    await grant(ctx, await channelOfGuide(ctx, token), uploadID, now);
    return { uploadID };
  },
});

async function assertNoWait({ data, guestOf }: GuestContext, { stream, policy }: AskedChannel): Promise<void> {
  const refusal = refusalOfWaits(await data.guestRequests.waits(stream.id, guestOf(stream.id), policy));
  if (refusal) throw guestRefusal(refusal);
}

/** @param channel of a locked stream */
async function grant(ctx: GuestContext, channel: AskedChannel, uploadID: string, now: Date): Promise<void> {
  const { data } = ctx;
  const { stream, programme, policy } = channel;
  await assertNoWait(ctx, channel);
  const refusal = await refusalOfItem(data, channel, uploadID, now);
  if (refusal) throw guestRefusal(refusal);
  const [upload] = await data.uploads.lockManyForUse([stream.user_id], [uploadID]);
  if (!upload) throw guestRefusal(notOffered);
  const added = { id: ctx.newID('que'), programme_id: programme.id, upload_id: uploadID, by_guest: true };
  if ((await data.queuedItems.add(added, bounds.guestQueuedItems)) === null) throw guestRefusal(queueFull);
  await data.guestRequests.add(stream.id, ctx.guestOf(stream.id), keptMinutesOf(policy));
  await planSoon(data, programme, await data.now());
}
