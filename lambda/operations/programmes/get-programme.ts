// GET /programmes/{id}.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentProgramme, programmeSchema } from './programme-schema.ts';

export const getProgramme = operation(['service:read'], {
  summary: 'Get a programme',
  description: 'Returns the rules of one programme.',
  tag: 'programmes',
  route: 'GET /programmes/{id}',
  output: { status: 200, body: programmeSchema },
  handle: async (ctx, { params }) =>
    presentProgramme(orNotFound(await ctx.data.programmes.find(ctx.caller.userID, params.id), 'programme')),
});
