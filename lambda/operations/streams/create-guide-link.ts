// POST /streams/{id}/guide-link: creates a public link to the schedule of a stream.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { addressesOf, guideLink, guideTokenBytes } from './guide-link.ts';
import { assertRequests, requestPolicyInput } from './request-policy.ts';

export const createGuideLink = operation(['service:write'], {
  summary: "Create a public link to a stream's program guide",
  description:
    'Creates public addresses for players, program guides, calendars and overlays. They show the titles of the ' +
    'stream and its uploads, their times, and artwork, whose address contains a hash of its file. Only this answer ' +
    'contains the addresses. A new link replaces the previous one. Addresses that an application received end when ' +
    'the user disconnects it.',
  tag: 'streams',
  route: 'POST /streams/{id}/guide-link',
  body: z.strictObject({ requests: requestPolicyInput.default(null) }),
  isBodyOptional: true,
  output: { status: 201, body: guideLink, isSecret: true },
  async handle(ctx, { params, body: { requests } }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    await assertRequests(ctx, requests);
    const token = ctx.randomBytes(guideTokenBytes).toString('base64url');
    await ctx.data.guideLinks.set(stream.id, token, ctx.caller.clientID, requests);
    return addressesOf(token, ctx.baseURL);
  },
});
