// Uploads that are sent in parts: their fields, and how the parts become the object.
import * as z from 'zod';
import type { Multipart } from '../../data/media/multiparts.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { missingParts, MultipartLost } from '../../domain/media/upload-parts.ts';
import { abandonedAfterDays } from '../../domain/media/upload-times.ts';
import type { Context } from '../context.ts';
import { ProblemError } from '../problem-codes.ts';

export const partNumber = z.int32().describe('From 1.');

export const sha256 = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, { error: 'Must be 32 bytes in Base64.' });

/** So many of the parts that are missing are named, which is how many URLs can be asked for at once. */
const maxNamed = 100;

/** The parts of an upload that is being sent in parts. @throws {ProblemError} resource_in_use for any other upload */
export async function multipartOf(ctx: Context, upload: Upload): Promise<Multipart> {
  const known = await ctx.data.multiparts.find(upload.id, abandonedAfterDays);
  if (known !== null) return known;
  throw new ProblemError(
    'resource_in_use',
    upload.uploaded
      ? 'This upload is complete, and streams may play it. Create another upload for other bytes.'
      : 'This upload is not sent in parts. Create one with multipart.',
  );
}

/** Makes the object of the parts that have arrived. @throws {ProblemError} where some are missing */
export async function joinParts(ctx: Context, upload: Upload): Promise<void> {
  const { multipart_id: multipartID } = await multipartOf(ctx, upload);
  const { object_key: key } = upload;
  try {
    const stored = multipartID === null ? [] : await ctx.objects.listParts(key, multipartID);
    const missing = missingParts(stored, upload.declared_size_bytes!);
    if (missing.length > 0) throw partsMissing(missing);
    await ctx.objects.completeMultipart(key, multipartID!, stored);
  } catch (error) {
    if (!(error instanceof MultipartLost)) throw error;
    // An earlier call has made the object and was cut off before that could be noted; or a part was just replaced.
    if (await ctx.objects.head(key)) return;
    throw new ProblemError(
      'upload_incomplete',
      'A part has changed meanwhile. Look at list_upload_parts, send what is missing, and call this again.',
      { cause: error },
    );
  }
}

function partsMissing(missing: readonly number[]): ProblemError {
  const named = missing.slice(0, maxNamed);
  const more = missing.length > named.length ? ', and more' : '';
  return new ProblemError(
    'parts_missing',
    `${missing.length} of the parts are missing: ${named.join(', ')}${more}. Send them and call this again.`,
    { members: { partNumbers: named } },
  );
}
