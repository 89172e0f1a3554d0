// POST /uploads/import: creates an upload that is downloaded from a link.
import * as z from 'zod';
import { faultOfImportURL, nameOfImport } from '../../domain/sources/import-url.ts';
import { uploadKey } from '../../domain/media/object-keys.ts';
import { text } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { distinctTags, folderPath, tags, uploadName } from './upload-order.ts';
import { presentNewUpload, uploadSchema } from './upload-schema.ts';

export const importUpload = operation(['service:write'], {
  summary: 'Import an upload from a link',
  description:
    'Downloads up to 100 GiB in the background. Next: poll get_upload until externalSource.state is completed, ' +
    'then until probeState is completed. Share links of Google Drive, Dropbox, OneDrive, SharePoint and Box ' +
    'work if anyone with the link can download the file.',
  tag: 'uploads',
  route: 'POST /uploads/import',
  body: z.strictObject({
    url: text(1, 8192).describe('http:// or https:// link to a file that needs no sign-in.'),
    name: uploadName.optional().describe('Name for people. Default: the name from the source.'),
    folder: folderPath.optional(),
    tags: tags.optional(),
  }),
  output: { status: 202, body: uploadSchema, location: (upload) => `/uploads/${upload.id}` },
  errors: ['import_url_forbidden', 'limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { body }) {
    const fault = faultOfImportURL(body.url, ctx.settings);
    if (fault === 'malformed')
      throw fieldProblem('url', 'Use an http:// or https:// URL without user name and password.');
    if (fault === 'forbidden') {
      throw fieldProblem(
        'url',
        'Imports from this address are not allowed. Use a public http:// or https:// link.',
        'import_url_forbidden',
      );
    }
    await assertRoom(ctx, { uploads: 1, imports: 1, storedBytes: 1, incomingBytes: 1 });
    const { userID } = ctx.caller;
    const uploadID = ctx.newID('upl');
    await ctx.data.uploads.insert({
      id: uploadID,
      userID,
      name: body.name ?? nameOfImport(new URL(body.url)),
      folder: body.folder,
      tags: body.tags && distinctTags(body.tags),
      // Initial guesses, until the source answers.
      mimeType: 'application/octet-stream',
      type: 'video',
      objectKey: uploadKey(userID, uploadID),
      declaredSizeBytes: null,
      // The import worker learns the size from the source, and reserves room then.
      expectedBytes: 0,
    });
    await ctx.data.imports.insert({ uploadID, userID, url: body.url, named: body.name !== undefined });
    await ctx.data.outbox.send({ queue: 'imports', body: { uploadID } });
    return presentNewUpload((await ctx.data.uploads.find(userID, uploadID))!);
  },
});
