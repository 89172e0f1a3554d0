// GET /sources/{id}: answers one watched source.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentSource, sourceSchema } from './source-schema.ts';

export const getSource = operation(['service:read'], {
  id: 'getSource',
  summary: 'Get a watched source',
  description: 'Where it is failing, it refuses us, or cannot be looked at for an hour: reason says what to do.',
  tag: 'sources',
  method: 'GET',
  path: '/sources/{id}',
  params: { id: pathID },
  output: { status: 200, body: sourceSchema },
  errors: ['not_found'],
  handle: async (ctx, { params }) =>
    presentSource(orNotFound(await ctx.data.sources.find(ctx.caller.userID, params.id), 'source')),
});
