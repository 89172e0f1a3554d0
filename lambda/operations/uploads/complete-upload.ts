// POST /uploads/{id}/complete: checks that the bytes have arrived, and requests their examination.
import { orNotFound } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { joinParts } from './upload-parts.ts';
import { maxUploadBytes, presentUpload, uploadSchema } from './upload-schema.ts';

export const completeUpload = operation(['service:write'], {
  summary: 'Mark an upload complete',
  description:
    'Checks that the bytes have arrived, and requests the examination of their content. Next: poll get_upload ' +
    'until probeState is completed or failed. Repeating the call changes nothing.',
  tag: 'uploads',
  route: 'POST /uploads/{id}/complete',
  output: { status: 200, body: uploadSchema },
  errors: ['upload_incomplete', 'parts_missing', 'upload_mismatch', 'payload_too_large', 'limit_reached'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const upload = orNotFound(await ctx.data.uploads.lock(ctx.caller.userID, params.id), 'upload');
    if (upload.uploaded) return presentUpload(ctx, upload);
    if (upload.external_source !== null) {
      throw new ProblemError(
        'upload_incomplete',
        'This upload is an import and completes by itself. Poll get_upload until externalSource.state is ' +
          'completed.',
      );
    }

    if (upload.is_multipart) await joinParts(ctx, upload);
    const object = await ctx.objects.head(upload.object_key);
    if (!object)
      throw new ProblemError('upload_incomplete', 'No bytes have arrived yet. PUT them to the upload URL first.');
    if (upload.declared_size_bytes !== null && upload.declared_size_bytes !== object.sizeBytes) {
      throw new ProblemError(
        'upload_mismatch',
        `${object.sizeBytes} bytes arrived, but fileSize announced ${upload.declared_size_bytes}.`,
      );
    }
    if (!upload.is_multipart && object.sizeBytes > maxUploadBytes) {
      throw new ProblemError(
        'payload_too_large',
        `${object.sizeBytes} bytes arrived, but an upload may have at most ${maxUploadBytes}.`,
      );
    }
    await assertRoom(ctx, { storedBytes: object.sizeBytes });
    if (upload.is_multipart) await ctx.data.multiparts.delete(upload.id);
    const completed = await ctx.data.uploads.markUploaded(upload.id, object.sizeBytes);
    await ctx.data.outbox.send({ queue: 'media', body: { task: 'probe_upload', uploadID: upload.id } });
    return presentUpload(ctx, completed);
  },
});
