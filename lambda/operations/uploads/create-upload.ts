// POST /uploads: creates the record of a file that is about to be uploaded.
import * as z from 'zod';
import { uploadTypes } from '../../data/media/uploads.ts';
import type { UploadType } from '../../data/media/uploads.ts';
import { uploadKey } from '../../domain/media/object-keys.ts';
import { maxBytesInParts } from '../../domain/media/upload-parts.ts';
import { abandonedAfterDays } from '../../domain/media/upload-times.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { distinctTags, folderPath, tags, uploadName } from './upload-order.ts';
import { maxUploadBytes, presentNewUpload, uploadSchema } from './upload-schema.ts';

export const createUpload = operation(['service:write'], {
  id: 'createUpload',
  summary: 'Create an upload',
  description:
    'An upload is one video, audio or image file that streams can play. Next: ' +
    'create_upload_url, PUT the bytes to its URL, then complete_upload. ' +
    `What is not completed within ${abandonedAfterDays} days, and in no playlist or stream, is deleted.`,
  tag: 'uploads',
  method: 'POST',
  path: '/uploads',
  body: z.strictObject({
    name: uploadName,
    folder: folderPath.optional(),
    tags: tags.optional(),
    mimeType: z
      .string()
      .max(127)
      .regex(/^(audio|video|image)\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$/, {
        error: 'Must be an audio/, video/ or image/ media type without parameters.',
      })
      .describe('The media type that the bytes will be sent with, such as video/mp4.'),
    fileSize: z
      .int()
      .min(1)
      .max(maxBytesInParts)
      .optional()
      .describe('Bytes. When given, exactly as many have to arrive. More than 5 GiB need multipart.'),
    multipart: z
      .boolean()
      .optional()
      .describe('For programs: sent in parts, which an interruption does not undo. Needs fileSize.'),
    type: z
      .enum(uploadTypes)
      .optional()
      .describe('What the file is to be used as; by default what its mimeType says. The content has to fit.'),
  }),
  output: { status: 201, body: uploadSchema, location: (upload) => `/uploads/${upload.id}` },
  errors: ['limit_reached'],
  async handle(ctx, { body }) {
    const { multipart = false, fileSize } = body;
    if (multipart && fileSize === undefined) throw fieldProblem('fileSize', 'Is needed with multipart.');
    const expectedBytes = fileSize ?? maxUploadBytes;
    if (!multipart && expectedBytes > maxUploadBytes)
      throw fieldProblem('fileSize', `Must be at most ${maxUploadBytes} without multipart.`);
    await assertRoom(ctx, {
      uploads: 1,
      storedBytes: fileSize ?? 1,
      incomingBytes: expectedBytes,
      multipartUploads: Number(multipart),
    });
    const id = ctx.newID('upl');
    const { userID } = ctx.caller;
    const upload = await ctx.data.uploads.insert({
      id,
      userID,
      name: body.name,
      folder: body.folder,
      tags: body.tags && distinctTags(body.tags),
      mimeType: body.mimeType,
      type: body.type ?? (body.mimeType.split('/')[0]!.toLowerCase() as UploadType),
      objectKey: uploadKey(userID, id),
      declaredSizeBytes: fileSize ?? null,
      expectedBytes,
    });
    if (multipart) await ctx.data.multiparts.insert({ uploadID: id, userID });
    return presentNewUpload({ ...upload, is_multipart: multipart });
  },
});
