// Uploads that are sent in parts: their fields, and how the parts are joined.
import * as z from 'zod';
import type { Multipart } from '../../data/media/multiparts.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { missingParts, MultipartLost } from '../../domain/media/upload-parts.ts';
import { abandonedAfterDays } from '../../domain/media/upload-times.ts';
import type { Context } from '../context.ts';
import { ProblemError } from '../problem-codes.ts';

export const partNumber = z.int32().describe('Number of the part, from 1.');

export const sha256 = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, { error: 'Use 32 bytes in Base64.' });

/** The most missing parts that a problem names: as many URLs can be requested at once. */
const maxNamed = 100;

/**
 * The state of an upload that is being sent in parts.
 * @throws {ProblemError} resource_in_use for any other upload
 */
export async function multipartOf(ctx: Context, upload: Upload): Promise<Multipart> {
  const known = await ctx.data.multiparts.find(upload.id, abandonedAfterDays);
  if (known !== null) return known;
  throw new ProblemError(
    'resource_in_use',
    upload.uploaded
      ? 'This upload is complete, and streams may play it. Create another upload for a new file.'
      : 'This upload is not sent in parts. Create another upload with multipart.',
  );
}

/**
 * Joins the parts that have arrived into the object.
 * @throws {ProblemError} parts_missing, or upload_incomplete if a part was just replaced
 */
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
    // An earlier call created the object but was cut off before it recorded this, or a part was just replaced.
    if (await ctx.objects.head(key)) return;
    throw new ProblemError(
      'upload_incomplete',
      'A part changed during this call. Read list_upload_parts, send the missing parts, and call this again.',
      { cause: error },
    );
  }
}

function partsMissing(missing: readonly number[]): ProblemError {
  const named = missing.slice(0, maxNamed);
  const more = missing.length > named.length ? ', and more' : '';
  return new ProblemError(
    'parts_missing',
    `${missing.length} parts are missing: ${named.join(', ')}${more}. Send them, then call this again.`,
    { members: { partNumbers: named } },
  );
}
