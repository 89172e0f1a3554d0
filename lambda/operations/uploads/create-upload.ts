// POST /uploads: creates an upload, whose file is sent afterwards.
import * as z from 'zod';
import { uploadKey } from '../../domain/media/object-keys.ts';
import { maxBytesInParts } from '../../domain/media/upload-parts.ts';
import { abandonedAfterDays } from '../../domain/media/upload-times.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { distinctTags, folderPath, tags, uploadName } from './upload-order.ts';
import { maxUploadBytes, presentNewUpload, uploadSchema } from './upload-schema.ts';
import { kindOfMimeType, uploadTypes } from '../../domain/media/upload-words.ts';

export const createUpload = operation(['service:write'], {
  summary: 'Create an upload',
  description:
    'Creates an upload: one video, audio or image file for streams. Next: create_upload_url, PUT the file to ' +
    `its URL, then complete_upload. An upload that is not completed within ${abandonedAfterDays} days, and that ` +
    'no playlist or stream uses, is deleted.',
  tag: 'uploads',
  route: 'POST /uploads',
  body: z.strictObject({
    name: uploadName,
    folder: folderPath.optional(),
    tags: tags.optional(),
    mimeType: z
      .string()
      .max(127)
      .regex(/^(audio|video|image)\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$/, {
        error: 'Use an audio/, video/ or image/ media type without parameters.',
      })
      .describe(
        'Media type of the file, such as video/mp4. The PUT must have the same type. A wrong type is corrected once ' +
          'the file has been examined.',
      ),
    fileSize: z
      .int()
      .min(1)
      .max(maxBytesInParts)
      .optional()
      .describe(
        'Size of the file in bytes. If it is set, exactly this number of bytes must arrive. More than 5 GiB need ' +
          'multipart.',
      ),
    multipart: z
      .boolean()
      .optional()
      .describe('true: the file is sent in parts, so that an interruption loses at most one part. Needs fileSize.'),
    type: z
      .enum(uploadTypes)
      .optional()
      .describe(
        'Use of the file, if it is another than in mimeType: the content must fit. By default, the content decides.',
      ),
  }),
  output: { status: 201, body: uploadSchema, location: (upload) => `/uploads/${upload.id}` },
  errors: ['limit_reached'],
  async handle(ctx, { body }) {
    const { multipart = false, fileSize } = body;
    if (multipart && fileSize === undefined) throw fieldProblem('fileSize', 'fileSize is required with multipart.');
    const expectedBytes = fileSize ?? maxUploadBytes;
    if (!multipart && expectedBytes > maxUploadBytes)
      throw fieldProblem('fileSize', `fileSize must be at most ${maxUploadBytes} without multipart.`);
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
      type: body.type ?? kindOfMimeType(body.mimeType),
      objectKey: uploadKey(userID, id),
      declaredSizeBytes: fileSize ?? null,
      expectedBytes,
    });
    if (multipart) await ctx.data.multiparts.insert({ uploadID: id, userID });
    return presentNewUpload({ ...upload, is_multipart: multipart });
  },
});
