// PATCH /sources/{id}: changes the folder, the interval or the credentials of a source.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { assertMaker } from '../maker.ts';
import { operation } from '../operation.ts';
import { presentSource, sealCredentials, sourceFields, sourceSchema } from './source-schema.ts';

const { folder, credentials, everyMinutes } = sourceFields;

export const updateSource = operation(['service:write'], {
  summary: 'Update a watched source',
  description:
    'Absent fields stay unchanged. New credentials cause a scan, at most once a minute. Existing uploads stay ' +
    'in their folders. The url cannot change: create another source instead. An application may replace the ' +
    'credentials only of sources that it added.',
  tag: 'sources',
  route: 'PATCH /sources/{id}',
  body: z.strictObject({
    folder: folder.optional(),
    credentials: credentials.optional(),
    everyMinutes: everyMinutes.optional(),
  }),
  output: { status: 200, body: sourceSchema },
  async handle(ctx, { params, body }) {
    const before = orNotFound(await ctx.data.sources.lock(ctx.caller.userID, params.id), 'source');
    if (body.credentials !== undefined) assertMaker(ctx, before, 'credentials');
    const saved = await ctx.data.sources.save(before.id, {
      folder: body.folder ?? before.folder,
      everyMinutes: body.everyMinutes ?? before.every_minutes,
      sealedCredentials:
        body.credentials === undefined ? before.sealed_credentials : sealCredentials(ctx, before, body.credentials),
    });
    if (body.credentials === undefined) return presentSource(saved);
    await ctx.data.sourceFiles.retryAll(saved.id);
    await ctx.data.outbox.send({ queue: 'imports', body: { sourceID: saved.id } });
    return presentSource(await ctx.data.sources.requestScan(saved.id, ctx.caller.clientID));
  },
});
