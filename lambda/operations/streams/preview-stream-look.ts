// POST /streams/{id}/look/preview: a picture of a stream as it would look.
import * as z from 'zod';
import type { Upload } from '../../data/media/uploads.ts';
import { frameKey } from '../../domain/media/content-pictures.ts';
import { formatName } from '../../domain/playout/rendition.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { isPlayable } from '../../domain/readiness/readiness.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { firstShown, previewedFormat } from '../../orchestration/playout/look-previews.ts';
import { loadParts, uploadFacts } from '../../orchestration/streams/stream-parts.ts';
import type { Context } from '../context.ts';
import { id, orNotFound, pathID, timestamp } from '../fields.ts';
import { streamLookInput, streamLookSettings } from '../look-fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const urlSeconds = 900;
/** So many are made for a user at a time. */
const mostPending = 10;
const widthPixels = 960;

export const previewStreamLook = operation(['service:read'], {
  id: 'previewStreamLook',
  summary: 'See how a stream would look',
  description: 'Changes nothing. url is null for about a second: ask again.',
  tag: 'streams',
  method: 'POST',
  path: '/streams/{id}/look/preview',
  params: { id: pathID },
  body: z.strictObject({
    look: streamLookInput,
    uploadID: id.optional().describe('What is shown. Default: its first item.'),
    atSeconds: z.number().min(0).max(86_400).default(1).describe('Of that.'),
  }),
  output: {
    status: 200,
    isPicture: true,
    body: z.object({ url: z.url().nullable(), expiresAt: timestamp }).meta({ id: 'LookPreview' }),
  },
  errors: ['not_found', 'preview_unavailable'],
  hints: { idempotent: true },
  async handle(ctx, { params, body }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const look = streamLookSettings(body.look);
    const parts = await loadParts(ctx.data, { ...stream, look });
    const upload = body.uploadID ? await ctx.data.uploads.find(stream.user_id, body.uploadID) : firstShown(parts);
    if (!upload || !isPlayable(uploadFacts(upload), 'video'))
      throw new ProblemError('preview_unavailable', 'There is nothing to show yet. Name an upload with pictures.');
    const format = await previewedFormat(ctx.data, parts, look, upload, {
      atSeconds: body.atSeconds,
      now: ctx.now,
    });
    const objectKey = await asked(ctx, upload, format, body.atSeconds);
    const expiresAt = new Date(ctx.now.getTime() + urlSeconds * 1000);
    return { url: objectKey && (await ctx.objects.presignGet(objectKey, { expiresInSeconds: urlSeconds })), expiresAt };
  },
});

/** @returns the key of the picture, which a worker makes; null until it is there */
async function asked(ctx: Context, upload: Upload, pictures: PictureFormat, atSeconds: number) {
  const format = formatName(pictures);
  const lastSeconds = Math.max(0, (upload.duration_seconds ?? 0) - 1);
  const frame = Math.round(Math.min(atSeconds, lastSeconds) * framesPerSecond[pictures.framerate]);
  const objectKey = frameKey(upload.content_hash ?? upload.id, format, frame, widthPixels);
  const wanted = { user_id: upload.user_id, upload_id: upload.id, frame, format, width: widthPixels, posters: null };
  const found = await ctx.data.frames.ask({ object_key: objectKey, ...wanted }, mostPending);
  if (found === null) throw new ProblemError('preview_unavailable', `${mostPending} others are being made. Ask again.`);
  if (found.state === 'failed') throw new ProblemError('preview_unavailable', 'No picture could be made of this file.');
  return found.state === 'ready' ? objectKey : null;
}
