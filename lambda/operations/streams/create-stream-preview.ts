// POST /streams/{id}/preview: returns the address of a live preview of a stream.
import * as z from 'zod';
import { previewSeconds } from '../../domain/playout/preview.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const preview = z
  .object({
    playlistURL: z
      .url()
      .describe('HLS playlist with fMP4 segments, some seconds behind the stream. It needs no credential.'),
    posterURL: z.url().describe('JPEG of the picture a few seconds ago.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'StreamPreview' });

export const createStreamPreview = operation(['service:read'], {
  summary: 'Preview an active stream',
  description:
    'Returns addresses of a live preview. The stream must be active. To watch past expiresAt, call this again.',
  tag: 'streams',
  route: 'POST /streams/{id}/preview',
  output: { status: 200, body: preview },
  errors: ['preview_unavailable'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    if (stream.state !== 'active' || stream.anchored_at === null)
      throw new ProblemError('preview_unavailable', 'The stream sends nothing. A preview needs an active stream.');
    const expiresAt = new Date(ctx.now.getTime() + previewSeconds * 1000);
    return {
      playlistURL: ctx.previewURL(stream.id, expiresAt),
      posterURL: ctx.posterURL(stream.id),
      expiresAt,
    };
  },
});
