// GET /streams/{id}/proof: a signed record of one day of a stream.
// It contains the timeline, and the media that destinations acknowledged.
import * as z from 'zod';
import { onAirStatement } from '../../orchestration/playout/on-air-statement.ts';
import { fieldProblem } from '../field-problems.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';

const dayMs = 86_400_000;
/** The largest statement, in bytes. Signing makes it a third longer, and a function can return at most 6 MB. */
const mostBytes = 4_000_000;

export const getStreamProof = operation(['service:read'], {
  summary: "Get a signed record of a stream's day",
  description:
    'Returns a JWS (ES256), signed with a key of the JWKS. Keep that key with it, because keys are replaced. It ' +
    'contains the timeline, the acknowledged media, and the SHA-256 of each file. bin/verify-on-air.mjs in our ' +
    'repository turns it into a log.',
  tag: 'streams',
  route: 'GET /streams/{id}/proof',
  query: { day: z.iso.date().optional().describe('Day in UTC. Default: today until now.') },
  output: {
    status: 200,
    body: z.object({ from: timestamp, to: timestamp, statement: z.string() }).meta({ id: 'OnAirProof' }),
  },
  async handle(ctx, { params, query }) {
    const now = await ctx.data.now();
    const from = new Date(`${query.day ?? now.toISOString().slice(0, 'YYYY-MM-DD'.length)}T00:00:00Z`);
    if (from >= now) throw fieldProblem('query/day', 'The day is in the future.');
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const to = new Date(Math.min(from.getTime() + dayMs, now.getTime()));
    const runs = await onAirStatement(ctx.data, stream, from, to);
    const stated = { stream: stream.id, name: stream.name, from: from.toISOString(), to: to.toISOString(), runs };
    if (runs === null || JSON.stringify(stated).length > mostBytes)
      throw fieldProblem(
        'query/day',
        'This day has too many events for one statement. Read get_stream_timeline page by page instead.',
      );
    return { from, to, statement: await ctx.signStatement(stated) };
  },
});
