// GET /streams/{id}/readiness: what is missing before the stream can start.
import * as z from 'zod';
import { adviceCodes, adviceFor } from '../../domain/readiness/readiness-advice.ts';
import {
  isBlocking,
  readinessCodes,
  readinessPaths,
  readinessStages,
} from '../../domain/readiness/readiness-issues.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { issuesOf, loadParts } from '../../orchestration/streams/stream-parts.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { backendOf, mayChangeBackend } from './stream-settings.ts';

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
        outputID: z.string().nullable().describe('null: not about an output.'),
      }),
    ),
    advice: z
      .array(z.object({ code: z.enum(adviceCodes), suggestion: z.string() }))
      .describe('What would be better; none of it keeps the stream from starting.'),
  })
  .meta({ id: 'Readiness' });

export const getStreamReadiness = operation(['service:read'], {
  id: 'getStreamReadiness',
  summary: 'Check whether a stream can start',
  description:
    'The checks of start_stream; nothing is changed or connected to. ' +
    'Each issue says what to do. Those of stage PREFLIGHT keep the stream from starting; ' +
    'those of PREPARATION say what a start leaves out. advice says what would be better.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}/readiness',
  params: { id: pathID },
  output: { status: 200, body: readiness },
  errors: ['not_found'],
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const issues = issuesOf(await loadParts(ctx.data, stream), ctx.settings, ctx.now);
    const advice = adviceFor(
      {
        isEncoded: backendOf(stream) === 'ffmpeg',
        isLive: isLive(stream.state),
        mayChangeBackend: await mayChangeBackend(ctx),
      },
      issues,
    );
    return { ready: !issues.some(isBlocking), issues, advice };
  },
});
