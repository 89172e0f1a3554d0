// POST /streams/{id}/guide-link: a public address at which anybody may read what a stream plays.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { addressesOf, guideLink, guideTokenBytes } from './guide-link.ts';

export const createGuideLink = operation(['service:write'], {
  id: 'createGuideLink',
  summary: 'Make a public link to what a stream plays',
  description:
    'For players, guides, calendars and overlays: titles of the stream and its uploads, and times; nothing else. ' +
    'The addresses are in this answer only. A new link ends the former.',
  tag: 'streams',
  method: 'POST',
  path: '/streams/{id}/guide-link',
  params: { id: pathID },
  output: { status: 201, body: guideLink, isSecret: true },
  errors: ['not_found'],
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const token = ctx.randomBytes(guideTokenBytes).toString('base64url');
    await ctx.data.guideLinks.set(stream.id, token);
    return addressesOf(token, ctx.baseURL);
  },
});
