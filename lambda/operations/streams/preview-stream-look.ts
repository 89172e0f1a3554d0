// POST /streams/{id}/look/preview: a picture of a stream with another look.
import * as z from 'zod';
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import { frameKey } from '../../domain/media/content-pictures.ts';
import { formatName } from '../../domain/playout/rendition.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { isPlayable } from '../../domain/readiness/readiness.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { firstShown, previewedFormat } from '../../orchestration/playout/look-previews.ts';
import { loadParts } from '../../orchestration/streams/stream-parts.ts';
import { uploadFacts } from '../../orchestration/shared/upload-facts.ts';
import type { Context } from '../context.ts';
import { id, orNotFound, timestamp } from '../fields.ts';
import { streamLookInput, streamLookSettings } from '../look-fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const urlSeconds = 900;
/** The most pictures that are made for a user at a time. */
const mostPending = 10;
const widthPixels = 960;

export const previewStreamLook = operation(['service:read'], {
  summary: 'See how a stream would look',
  description:
    'Returns a picture of the stream with the given look, without changing the stream. url is null while the ' +
    'picture is being made, for about one second: call this again.',
  tag: 'streams',
  route: 'POST /streams/{id}/look/preview',
  body: z.strictObject({
    look: streamLookInput,
    uploadID: id.optional().describe("Upload to show. Default: the stream's first item."),
    atSeconds: z.number().min(0).max(86_400).default(1).describe('Position in the upload, in seconds.'),
  }),
  output: {
    status: 200,
    isPicture: true,
    body: z
      .object({ url: z.url().nullable().describe('URL of a JPEG. null: it is being made.'), expiresAt: timestamp })
      .meta({ id: 'LookPreview' }),
  },
  errors: ['preview_unavailable'],
  hints: { idempotent: true },
  async handle(ctx, { params, body }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const look = streamLookSettings(body.look);
    const parts = await loadParts(ctx.data, { ...stream, look });
    const upload = body.uploadID ? await ctx.data.uploads.find(stream.user_id, body.uploadID) : firstShown(parts);
    if (!upload || !isPlayable(uploadFacts(upload), 'video'))
      throw new ProblemError(
        'preview_unavailable',
        'The stream has no item to show. Set uploadID to an upload with pictures.',
      );
    const format = await previewedFormat(ctx.data, parts, look, upload, {
      atSeconds: body.atSeconds,
      now: ctx.now,
    });
    const objectKey = await asked(ctx, upload, format, body.atSeconds);
    const expiresAt = new Date(ctx.now.getTime() + urlSeconds * 1000);
    return { url: objectKey && (await ctx.objects.presignGet(objectKey, { expiresInSeconds: urlSeconds })), expiresAt };
  },
});

/**
 * Requests the picture from a worker.
 * @returns the key of the picture; null until it is ready
 */
async function asked(ctx: Context, upload: PartUpload, pictures: PictureFormat, atSeconds: number) {
  const format = formatName(pictures);
  const lastSeconds = Math.max(0, (upload.duration_seconds ?? 0) - 1);
  const frame = Math.round(Math.min(atSeconds, lastSeconds) * framesPerSecond[pictures.framerate]);
  const objectKey = frameKey(upload.content_hash ?? upload.id, format, frame, widthPixels);
  const wanted = { user_id: upload.user_id, upload_id: upload.id, frame, format, width: widthPixels, posters: null };
  const found = await ctx.data.frames.ask({ object_key: objectKey, ...wanted }, mostPending);
  if (found === null)
    throw new ProblemError(
      'preview_unavailable',
      `${mostPending} other pictures are being made. Try again in a moment.`,
    );
  if (found.state === 'failed')
    throw new ProblemError('preview_unavailable', 'No picture could be made of this upload.');
  return found.state === 'ready' ? objectKey : null;
}
