// GET /me: the profile, the defaults and the limits of the caller.
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
      streamDuration: z.int32().describe('Longest time that a new stream stays live, in seconds. 0: no limit.'),
      quality,
      framerate,
    }),
    featureFlags: z.object({
      streamBackendEdit: z.boolean().describe('true: the user can change streamBackend of an existing stream.'),
    }),
    limits: z
      .array(
        z
          .object({
            limit: z.enum(limitNames),
            what: z.string().describe('Name of the counted unit, for people.'),
            used: z.number(),
            allowed: z.number().describe('Highest amount allowed. Credits raise most limits.'),
          })
          .meta({ id: 'LimitUse' }),
      )
      .describe('Use of every limit. A request that would exceed a limit is refused with limit_reached.'),
  })
  .meta({ id: 'Me' });

export const getMe = operation(['service:read'], {
  summary: "The caller's profile",
  description:
    'Returns the user that the credential belongs to, the defaults of new streams, the enabled features, and ' +
    'the use of each limit.',
  tag: 'account',
  route: 'GET /me',
  output: { status: 200, body: me },
  async handle(ctx) {
    const user = await ctx.data.users.find(ctx.caller.userID);
    // A token stays valid for some seconds after its user is deleted.
    if (!user) throw new ProblemError('unauthenticated', 'This user no longer exists.');
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
