// GET /streams/{id}/readiness: what is missing before the stream can start.
import * as z from 'zod';
import { isBlocking, readinessCodes, readinessPaths, readinessStages } from '../../domain/readiness-issues.ts';
import { issuesOf, loadParts } from '../../orchestration/stream-parts.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';

const readiness = z
  .object({
    ready: z.boolean(),
    issues: z.array(
      z.object({
        code: z.enum(readinessCodes),
        error: z.string(),
        path: z.enum(readinessPaths),
        stage: z.enum(readinessStages),
        suggestion: z.string(),
      }),
    ),
  })
  .meta({ id: 'Readiness' });

export const getStreamReadiness = operation(['service:read'], {
  id: 'getStreamReadiness',
  summary: 'Check whether a stream can start',
  description:
    'The same checks as start_stream, without changing anything or connecting anywhere. ' +
    'Each issue says what to do. Those of stage PREFLIGHT keep the stream from starting; ' +
    'those of PREPARATION say what a start leaves out.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}/readiness',
  params: { id: pathID },
  output: { status: 200, body: readiness },
  errors: ['not_found'],
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const issues = issuesOf(await loadParts(ctx.data, stream), ctx.settings, ctx.now);
    return { ready: !issues.some(isBlocking), issues };
  },
});
