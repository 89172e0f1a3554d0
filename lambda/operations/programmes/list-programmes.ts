// GET /programmes: the caller's programmes, newest first.
import { id, pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentProgramme, programmeSchema } from './programme-schema.ts';

/** The most bytes of rules that a page reads, drafts and published ones. The largest rules have about 200,000. */
const rulesBytesOfPage = 1_000_000;

export const listProgrammes = operation(['service:read'], {
  summary: 'List programmes',
  description:
    'Returns programmes, newest first. A programme is a set of rules that plan a channel. A page ends early ' +
    'at 1 MB of rules.',
  tag: 'programmes',
  route: 'GET /programmes',
  query: { ...pageQuery, streamID: id.optional().describe('Only the programmes of this stream.') },
  output: { status: 200, body: pageOf(programmeSchema).meta({ id: 'ProgrammePage' }) },
  handle(ctx, { query }) {
    const streamID = query.streamID ?? null;
    return pageThrough(
      ctx,
      `programmes streamID=${streamID}`,
      query,
      presentProgramme,
      (before, count) => ctx.data.programmes.list(ctx.caller.userID, streamID, before, count, rulesBytesOfPage),
      { sizeOf: (programme) => programme.rules_bytes, maxSize: rulesBytesOfPage },
    );
  },
});
