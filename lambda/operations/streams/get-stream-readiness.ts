// GET /streams/{id}/readiness: checks whether a stream can start.
import * as z from 'zod';
import { adviceCodes, adviceFor } from '../../domain/readiness/readiness-advice.ts';
import {
  isBlocking,
  readinessCodes,
  readinessPaths,
  readinessStages,
} from '../../domain/readiness/readiness-issues.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { warningsOf } from '../../orchestration/programme/programme-outlook.ts';
import { issuesOf } from '../../orchestration/streams/part-issues.ts';
import { liveUsesOf, loadParts } from '../../orchestration/streams/stream-parts.ts';
import { orNotFound } from '../fields.ts';
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
        outputID: z.string().nullable().describe('ID of the affected output. null: the issue concerns no output.'),
      }),
    ),
    advice: z
      .array(z.object({ code: z.enum(adviceCodes), suggestion: z.string() }))
      .describe('Recommendations. They never keep the stream from starting.'),
  })
  .meta({ id: 'Readiness' });

export const getStreamReadiness = operation(['service:read'], {
  summary: 'Check whether a stream can start',
  description:
    'Runs the checks of start_stream without a change, or a connection to a destination. Issues of stage PREFLIGHT ' +
    'keep the stream from starting. Issues of stage PREPARATION describe what a start leaves out.',
  tag: 'streams',
  route: 'GET /streams/{id}/readiness',
  readsMuch: true,
  output: { status: 200, body: readiness },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const parts = await loadParts(ctx.data, stream);
    const issues = issuesOf(
      parts,
      ctx.settings,
      ctx.now,
      await liveUsesOf(ctx.data, [parts]),
      await warningsOf(ctx.data, stream, parts.programmes, ctx.now),
    );
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
