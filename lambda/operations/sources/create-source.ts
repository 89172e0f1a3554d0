// POST /sources: starts watching a bucket, a folder or a feed, whose files become uploads.
import * as z from 'zod';
import { faultOfSourceURL } from '../../domain/sources/source-url.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { presentSource, sealCredentials, sourceFields, sourceSchema } from './source-schema.ts';

const { kind, url, folder, credentials, everyMinutes } = sourceFields;

export const createSource = operation(['service:write'], {
  summary: 'Watch a source',
  description:
    'Watches a folder, a bucket or a feed. Its media files become uploads, now and whenever new files appear. A ' +
    'changed file becomes a new upload. A renamed file keeps its upload. The upload of a removed file stays, ' +
    'with externalSource.removedAt. Next: poll get_source until lastScanAt is set, then call list_uploads with ' +
    'the folder.',
  tag: 'sources',
  route: 'POST /sources',
  body: z
    .strictObject({
      kind,
      url,
      folder: folder.default(''),
      credentials: credentials.default(null),
      everyMinutes: everyMinutes.default(60),
    })
    .meta({
      examples: [
        {
          kind: 'webdav',
          url: 'https://cloud.example.org/remote.php/dav/files/ada/Videos/',
          folder: 'Cloud',
          credentials: { username: 'ada', password: 'an app password' },
          everyMinutes: 10,
        },
      ],
    }),
  output: { status: 201, body: sourceSchema, location: (source) => `/sources/${source.id}` },
  errors: ['import_url_forbidden', 'limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { body }) {
    const fault = faultOfSourceURL(body.kind, body.url, ctx.settings);
    if (fault) throw fieldProblem('url', fault.detail, fault.isForbidden ? 'import_url_forbidden' : undefined);
    const id = ctx.newID('src');
    const sealedCredentials = sealCredentials(ctx, { id, kind: body.kind, url: body.url }, body.credentials);
    await assertRoom(ctx, { sources: 1 });
    const { userID, clientID } = ctx.caller;
    const source = await ctx.data.sources.insert({
      id,
      userID,
      kind: body.kind,
      url: body.url,
      folder: body.folder,
      sealedCredentials,
      everyMinutes: body.everyMinutes,
      clientID,
    });
    await ctx.data.outbox.send({ queue: 'imports', body: { sourceID: id } });
    return presentSource(source);
  },
});
