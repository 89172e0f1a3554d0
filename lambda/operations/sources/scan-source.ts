// POST /sources/{id}/scan: has a watched source looked at now.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentSource, sourceSchema } from './source-schema.ts';

export const scanSource = operation(['service:write'], {
  id: 'scanSource',
  summary: 'Look at a source now',
  description: 'At most once a minute: sooner, it waits until then. Next: get_source until lastScanAt is later.',
  tag: 'sources',
  method: 'POST',
  path: '/sources/{id}/scan',
  params: { id: pathID },
  output: { status: 202, body: sourceSchema },
  errors: ['not_found'],
  hints: { openWorld: true, idempotent: true },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.sources.lock(ctx.caller.userID, params.id), 'source');
    await ctx.data.outbox.send({ queue: 'imports', body: { sourceID: id } });
    return presentSource(await ctx.data.sources.requestScan(id));
  },
});
