// GET /me: who the caller is.
import * as z from 'zod';
import { framerate, quality, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const me = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    createdAt: timestamp,
    defaults: z.object({
      streamDuration: z.int32().describe('Seconds; 0 means that a stream never expires.'),
      quality,
      framerate,
    }),
    featureFlags: z.object({
      streamBackendEdit: z.boolean().describe('streamBackend may be changed on existing streams.'),
    }),
  })
  .meta({ id: 'Me' });

export const getMe = operation(['service:read'], {
  id: 'getMe',
  summary: "The caller's profile",
  description: 'Whose credential this is, what new streams take by default, and which features are enabled.',
  tag: 'account',
  method: 'GET',
  path: '/me',
  output: { status: 200, body: me },
  errors: [],
  async handle(ctx) {
    const user = await ctx.data.users.find(ctx.caller.userID);
    // A token can still be valid for some seconds after its user was deleted.
    if (!user) throw new ProblemError('unauthenticated', 'There is no such user any more.');
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      createdAt: user.created_at,
      defaults: {
        streamDuration: user.default_stream_duration_seconds,
        quality: user.default_quality,
        framerate: user.default_framerate,
      },
      featureFlags: { streamBackendEdit: user.stream_backend_edit },
    };
  },
});
