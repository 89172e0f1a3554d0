// POST /uploads/{id}/retry: imports or examines a failed upload again.
import type { Upload } from '../../data/media/uploads.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { presentUpload, uploadSchema } from './upload-schema.ts';

export const retryUpload = operation(['service:write'], {
  summary: 'Retry a failed upload',
  description:
    'Downloads an import again from its beginning, or examines the file again. An upload that has not failed ' +
    'stays unchanged. Next: poll get_upload until probeState is completed or failed.',
  tag: 'uploads',
  route: 'POST /uploads/{id}/retry',
  output: { status: 200, body: uploadSchema },
  errors: ['upload_incomplete', 'limit_reached'],
  hints: { idempotent: true, openWorld: true },
  async handle(ctx, { params }) {
    const upload = orNotFound(await ctx.data.uploads.lock(ctx.caller.userID, params.id), 'upload');
    if (upload.probe_state !== 'failed') return presentUpload(ctx, upload);
    if (upload.uploaded) await examineAgain(ctx, upload);
    else await fetchAgain(ctx, upload);
    return presentUpload(ctx, (await ctx.data.uploads.find(ctx.caller.userID, upload.id))!);
  },
});

async function examineAgain(ctx: Context, upload: Upload): Promise<void> {
  if (!(await ctx.objects.head(upload.object_key)))
    throw new ProblemError('upload_incomplete', 'The file of this upload no longer exists. Create another upload.');
  await ctx.data.uploads.markUploaded(upload.id, upload.size_bytes!);
  await ctx.data.outbox.send({ queue: 'media', body: { task: 'probe_upload', uploadID: upload.id } });
}

async function fetchAgain(ctx: Context, { id: uploadID }: Upload): Promise<void> {
  await assertRoom(ctx, { imports: 1, storedBytes: 1, incomingBytes: 1 });
  await ctx.data.imports.retry(uploadID);
  await ctx.data.outbox.send({ queue: 'imports', body: { uploadID } });
}
