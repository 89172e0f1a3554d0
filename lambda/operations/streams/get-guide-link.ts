// GET /streams/{id}/guide-link: whether a stream has a public link, and what viewers may ask for.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { guideLinkSettings } from './guide-link.ts';

export const getGuideLink = operation(['service:read'], {
  summary: 'Get the settings of the public link of a stream',
  description: 'Returns what viewers may ask for. The addresses are secret: only create_guide_link returns them.',
  tag: 'streams',
  route: 'GET /streams/{id}/guide-link',
  output: { status: 200, body: guideLinkSettings },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const requests = await ctx.data.guideLinks.requestsOf(stream.id);
    return orNotFound(requests === undefined ? null : { requests }, 'guide link');
  },
});
