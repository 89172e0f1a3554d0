// POST /sources/{id}/scan: scans a watched source now.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentSource, sourceSchema } from './source-schema.ts';

export const scanSource = operation(['service:write'], {
  summary: 'Scan a source now',
  description:
    'Scans the source, at most once a minute: an earlier request waits. A source whose application was disconnected ' +
    'is watched again. Next: poll get_source until lastScanAt is newer.',
  tag: 'sources',
  route: 'POST /sources/{id}/scan',
  output: { status: 202, body: sourceSchema },
  hints: { openWorld: true, idempotent: true },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.sources.lock(ctx.caller.userID, params.id), 'source');
    await ctx.data.outbox.send({ queue: 'imports', body: { sourceID: id } });
    return presentSource(await ctx.data.sources.requestScan(id, ctx.caller.clientID));
  },
});
