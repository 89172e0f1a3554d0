// GET /me: who the caller is.
import * as z from 'zod';
import { limitNames, limits } from '../../domain/shared/limits.ts';
import { limitsOf } from '../../orchestration/shared/limits.ts';
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
    limits: z
      .array(
        z
          .object({
            limit: z.enum(limitNames),
            what: z.string().describe('What is counted.'),
            used: z.number(),
            allowed: z.number().describe('Credits raise most limits.'),
          })
          .meta({ id: 'LimitUse' }),
      )
      .describe('What you have of all that is limited. What would be more is refused with limit_reached.'),
  })
  .meta({ id: 'Me' });

export const getMe = operation(['service:read'], {
  id: 'getMe',
  summary: "The caller's profile",
  description:
    'Whose credential this is, what new streams take by default, which features are enabled, and how much of each ' +
    'limit is used.',
  tag: 'account',
  method: 'GET',
  path: '/me',
  output: { status: 200, body: me },
  errors: [],
  async handle(ctx) {
    const user = await ctx.data.users.find(ctx.caller.userID);
    // A token can still be valid for some seconds after its user was deleted.
    if (!user) throw new ProblemError('unauthenticated', 'There is no such user any more.');
    const wanted = ctx.isWanted('Me.limits');
    const uses = wanted ? await limitsOf(ctx.data, user.id, ctx.settings.limitFactor) : [];
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
      featureFlags: { streamBackendEdit: ctx.settings.streamBackendEdit || user.stream_backend_edit },
      limits: uses.map((use) => ({ ...use, what: limits[use.limit].what })),
    };
  },
});
