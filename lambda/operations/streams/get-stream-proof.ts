// GET /streams/{id}/proof: a signed statement of what a stream played on a day, and what destinations took of it.
import * as z from 'zod';
import { onAirStatement } from '../../orchestration/playout/on-air-statement.ts';
import { orNotFound, pathID, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const dayMs = 86_400_000;
/** Signed, it is a third longer, and a function answers with 6 MB at most. */
const mostBytes = 4_000_000;

export const getStreamProof = operation(['service:read'], {
  id: 'getStreamProof',
  summary: 'Get a signed statement of what a stream sent on a day',
  description:
    'A JWS (ES256) by a key of the JWKS, which is to be kept with it: keys are replaced. It has the timeline, what ' +
    'was acknowledged, and the SHA-256 of each file. bin/verify-on-air.mjs in our repository makes the log of it.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}/proof',
  params: { id: pathID },
  query: { day: z.iso.date().optional().describe('In UTC. Default: today, until now.') },
  output: {
    status: 200,
    body: z.object({ from: timestamp, to: timestamp, statement: z.string() }).meta({ id: 'OnAirProof' }),
  },
  errors: ['not_found'],
  async handle(ctx, { params, query }) {
    const now = await ctx.data.now();
    const from = new Date(`${query.day ?? now.toISOString().slice(0, 'YYYY-MM-DD'.length)}T00:00:00Z`);
    if (from >= now) throw refuse('The day is yet to come.');
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const to = new Date(Math.min(from.getTime() + dayMs, now.getTime()));
    const runs = await onAirStatement(ctx.data, stream, from, to);
    const stated = { stream: stream.id, name: stream.name, from: from.toISOString(), to: to.toISOString(), runs };
    if (runs === null || JSON.stringify(stated).length > mostBytes)
      throw refuse('So much happened on this day that no statement holds it. The timeline has it, page by page.');
    return { from, to, statement: await ctx.signStatement(stated) };
  },
});

function refuse(detail: string): ProblemError {
  const errors = [{ path: '/query/day', code: 'validation_failed', detail }];
  return new ProblemError('validation_failed', detail, { errors });
}
