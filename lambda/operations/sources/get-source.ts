// GET /sources/{id}: returns one watched source.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentSource, sourceSchema } from './source-schema.ts';

export const getSource = operation(['service:read'], {
  summary: 'Get a watched source',
  description:
    'Returns the source. State failing: the source refuses access, or has been unreachable for an hour. reason ' +
    'gives the remedy.',
  tag: 'sources',
  route: 'GET /sources/{id}',
  output: { status: 200, body: sourceSchema },
  handle: async (ctx, { params }) =>
    presentSource(orNotFound(await ctx.data.sources.find(ctx.caller.userID, params.id), 'source')),
});
