// GET /sources: the caller's watched sources, newest first.
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentSource, sourceSchema } from './source-schema.ts';

export const listSources = operation(['service:read'], {
  summary: 'List watched sources',
  description: 'Returns the watched sources, newest first.',
  tag: 'sources',
  route: 'GET /sources',
  query: pageQuery,
  output: { status: 200, body: pageOf(sourceSchema).meta({ id: 'SourcePage' }) },
  handle: (ctx, { query }) =>
    pageThrough(ctx, 'sources', query, presentSource, (before, count) =>
      ctx.data.sources.list(ctx.caller.userID, before, count),
    ),
});
