// POST /uploads/{id}/part-urls: returns URLs for sending parts of a file.
import * as z from 'zod';
import type { Multipart } from '../../data/media/multiparts.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { maxParts, partBytes, partCount, sizeOfPart } from '../../domain/media/upload-parts.ts';
import { uploadURLSeconds } from '../../domain/media/upload-times.ts';
import type { Context } from '../context.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { multipartOf, partNumber, sha256 } from './upload-parts.ts';

/** The most parts of one request. */
const maxAsked = 100;

const partURLs = z
  .object({
    partSizeBytes: z.int().describe('Size of every part except the last one, which has the remaining bytes.'),
    parts: z.array(
      z.object({
        partNumber,
        url: z.url(),
        method: z.literal('PUT'),
        headers: z.record(z.string(), z.string()).describe('Headers to send with the PUT, unchanged.'),
        expiresAt: timestamp,
      }),
    ),
  })
  .meta({ id: 'UploadPartURLs' });

export const createUploadPartUrls = operation(['service:write'], {
  summary: 'Get presigned URLs to send parts of the bytes to',
  description:
    'For an upload created with multipart: returns a URL for each part. PUT the parts in any order, several at ' +
    'once. Part n starts at byte (n − 1) · partSizeBytes. Send an interrupted part again; list_upload_parts ' +
    'shows the parts that have arrived. With sha256, a URL accepts only bytes with that hash. Example for a ' +
    'film of 40 MiB: POST /uploads with {"name": "film.mp4", "mimeType": "video/mp4", "fileSize": 41943040, ' +
    '"multipart": true}; POST here with {"partNumbers": [1, 2, 3]}; PUT the output of split -b 16777216 ' +
    'film.mp4 to the three URLs; POST /uploads/{id}/complete, which returns 422 parts_missing with partNumbers ' +
    'to send again.',
  tag: 'uploads',
  route: 'POST /uploads/{id}/part-urls',
  body: z.strictObject({
    partNumbers: z.array(z.int().min(1).max(maxParts)).min(1).max(maxAsked).describe('Numbers of the parts, from 1.'),
    sha256: z
      .array(sha256)
      .max(maxAsked)
      .optional()
      .describe('SHA-256 of each of these parts, in Base64. Send it for all parts of an upload, or for none.'),
  }),
  output: { status: 200, body: partURLs },
  errors: ['resource_in_use', 'part_mismatch'],
  hints: { idempotent: true },
  async handle(ctx, { params, body: { partNumbers, sha256: digests } }) {
    const upload = orNotFound(await ctx.data.uploads.lock(ctx.caller.userID, params.id), 'upload');
    const known = await multipartOf(ctx, upload);
    const sizeBytes = upload.declared_size_bytes!;
    const parts = partCount(sizeBytes);
    const beyond = partNumbers.findIndex((each) => each > parts);
    if (beyond >= 0) throw fieldProblem(`partNumbers/${beyond}`, `This upload has only ${parts} parts.`);
    if (digests && digests.length !== partNumbers.length)
      throw fieldProblem('sha256', `Send one hash for each of the ${partNumbers.length} partNumbers.`);
    const multipartID = await begin(ctx, upload, known, digests !== undefined);
    const signed = await Promise.all(
      partNumbers.map((each, index) =>
        ctx.objects.presignPart(upload.object_key, multipartID, {
          partNumber: each,
          contentLength: sizeOfPart(each, sizeBytes),
          sha256: digests?.[index] ?? null,
          expiresInSeconds: uploadURLSeconds,
        }),
      ),
    );
    return {
      partSizeBytes: partBytes,
      parts: signed.map((each, index) => ({ partNumber: partNumbers[index]!, method: 'PUT' as const, ...each })),
    };
  },
});

/**
 * Starts a multipart upload in the store, or returns the ID of the existing one. If the transaction rolls back, the
 * store later deletes the parts by itself. Replaced parts are almost as old as the store keeps any, so no client can
 * still add to them.
 */
async function begin(ctx: Context, upload: Upload, known: Multipart, hasSHA256: boolean): Promise<string> {
  if (known.multipart_id === null) {
    const facts = { contentType: upload.mime_type, hasSHA256 };
    const multipartID = await ctx.objects.createMultipart(upload.object_key, facts);
    const replaced = await ctx.data.multiparts.begin(upload.id, { multipartID, hasSHA256 });
    if (replaced !== null) await ctx.objects.abortMultipart(upload.object_key, replaced);
    return multipartID;
  }
  if (known.has_sha256 !== hasSHA256) {
    const detail = known.has_sha256
      ? 'This upload was started with sha256. Send sha256 for every part.'
      : 'This upload was started without sha256. Leave sha256 out, or create another upload.';
    throw fieldProblem('sha256', detail, 'part_mismatch');
  }
  return known.multipart_id;
}
