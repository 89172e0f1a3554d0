// PATCH /streams/{id}/guide-link: changes what viewers may ask for, and keeps the addresses.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { guideLinkSettings } from './guide-link.ts';
import { assertRequests, requestPolicyInput } from './request-policy.ts';

export const updateGuideLink = operation(['service:write'], {
  summary: 'Change the public link of a stream',
  description: 'Changes what viewers may ask for. The addresses stay.',
  tag: 'streams',
  route: 'PATCH /streams/{id}/guide-link',
  body: z.strictObject({ requests: requestPolicyInput.optional() }),
  output: { status: 200, body: guideLinkSettings },
  async handle(ctx, { params, body: { requests } }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const before = await ctx.data.guideLinks.requestsOf(stream.id);
    const present = orNotFound(before === undefined ? null : { requests: before }, 'guide link');
    if (requests === undefined) return present;
    await assertRequests(ctx, requests);
    await ctx.data.guideLinks.setRequests(stream.id, requests);
    return { requests };
  },
});
