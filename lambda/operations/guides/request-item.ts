// POST /guides/{token}/requests: a viewer asks for an item.
// Decision D232.
import * as z from 'zod';
import {
  keptMinutesOf,
  notOffered,
  notOnAir,
  queueFull,
  refusalOfWaits,
} from '../../domain/programme/guest-requests.ts';
import { bounds } from '../../domain/shared/limits.ts';
import type { AskedChannel } from '../../orchestration/playout/guest-requests.ts';
import { askedChannel, itemsInTime, refusalOfItem, takesRequests } from '../../orchestration/playout/guest-requests.ts';
import type { GuestContext } from '../context.ts';
import { id, orNotFound } from '../fields.ts';
import { guestOperation } from '../operation.ts';
import { lockProgramme } from '../programmes/lock-programme.ts';
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
    const channel = await askedChannel(ctx.data, orNotFound(await ctx.data.guideLinks.find(token), 'guide'));
    if ('refusedBy' in channel) throw guestRefusal(channel);
    // Only a request that nothing else refuses waits for the lock of the stream.
    const guest = ctx.guestOf(channel.stream.id);
    await assertNoWait(ctx, channel, guest);
    const now = await ctx.data.now();
    const offered = itemsInTime(await ctx.offers(ctx.data, channel), channel, now);
    if (!offered.some((item) => item.id === uploadID)) throw guestRefusal(notOffered);
    await grant(ctx, channel, guest, { uploadID, now });
    return { uploadID };
  },
});

async function assertNoWait({ data }: GuestContext, { stream, policy }: AskedChannel, guest: Buffer): Promise<void> {
  const refusal = refusalOfWaits(await data.guestRequests.waits(stream.id, guest, policy));
  if (refusal) throw guestRefusal(refusal);
}

async function grant(
  ctx: GuestContext,
  channel: AskedChannel,
  guest: Buffer,
  { uploadID, now }: { readonly uploadID: string; readonly now: Date },
): Promise<void> {
  const { data } = ctx;
  const caller = { userID: channel.stream.user_id };
  const { stream, programme } = await lockProgramme({ data, caller }, channel.programme.id);
  if (!takesRequests(stream)) throw guestRefusal(notOnAir);
  await assertNoWait(ctx, channel, guest);
  const refusal = await refusalOfItem(data, { ...channel, stream }, uploadID, now);
  if (refusal) throw guestRefusal(refusal);
  const [upload] = await data.uploads.lockManyForUse([caller.userID], [uploadID]);
  if (!upload) throw guestRefusal(notOffered);
  const added = { id: ctx.newID('que'), programme_id: programme.id, upload_id: uploadID, by_guest: true };
  if ((await data.queuedItems.add(added, bounds.guestQueuedItems)) === null) throw guestRefusal(queueFull);
  await data.guestRequests.add(stream.id, guest, keptMinutesOf(channel.policy));
  await data.dueTimes.set(stream.id, 'plan', await data.now());
}
