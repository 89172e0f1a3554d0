// POST /streams/{id}/preview: answers the address of a playlist of what a stream sends.
import * as z from 'zod';
import { previewSeconds } from '../../domain/playout/preview.ts';
import { orNotFound, pathID, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const preview = z
  .object({
    playlistURL: z.url().describe('HLS with fMP4, seconds behind what is sent. It needs no credential.'),
    posterURL: z.url().describe('A JPEG of seconds ago.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'StreamPreview' });

export const createStreamPreview = operation(['service:read'], {
  id: 'createStreamPreview',
  summary: 'Look at what a stream sends',
  description: 'While it is active. For longer than until expiresAt, ask again.',
  tag: 'streams',
  method: 'POST',
  path: '/streams/{id}/preview',
  params: { id: pathID },
  output: { status: 200, body: preview },
  errors: ['not_found', 'preview_unavailable'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    if (stream.state !== 'active' || stream.anchored_at === null)
      throw new ProblemError(
        'preview_unavailable',
        'The stream sends nothing. It can be looked at while it is active.',
      );
    const expiresAt = new Date(ctx.now.getTime() + previewSeconds * 1000);
    return {
      playlistURL: ctx.previewURL(stream.id, expiresAt),
      posterURL: ctx.posterURL(stream.id),
      expiresAt,
    };
  },
});
