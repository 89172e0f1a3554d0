// PATCH /programmes/{id}: changes the rules of a programme.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { assertRules } from './assert-rules.ts';
import { presentProgramme, programmeSchema, rulesInput } from './programme-schema.ts';

export const updateProgramme = operation(['service:write'], {
  summary: 'Change a programme',
  description:
    'Changes the rules: blocks of days and hours that draw from collections, inserts between items, distances ' +
    'between repetitions, and filler. A field that is given replaces the whole field: send all blocks to change one. ' +
    'compare_programme has the rows that a publish then changes.',
  tag: 'programmes',
  route: 'PATCH /programmes/{id}',
  body: z
    .strictObject({
      ...rulesInput,
      expectedVersion: z.int32().describe('If the programme has another version, it is refused.'),
    })
    .partial(),
  output: { status: 200, body: programmeSchema },
  errors: ['programme_invalid', 'version_conflict'],
  hints: { idempotent: true },
  async handle(ctx, { params, body: { expectedVersion, ...given } }) {
    const programme = orNotFound(await ctx.data.programmes.lock(ctx.caller.userID, params.id), 'programme');
    const { version } = programme;
    if (expectedVersion !== undefined && expectedVersion !== version)
      throw new ProblemError('version_conflict', `The programme has version ${version}, not ${expectedVersion}.`);
    const fields = Object.entries(given).filter(([, value]) => value !== undefined);
    const draft = { ...programme.draft, ...Object.fromEntries(fields) };
    await assertRules(ctx, programme, draft);
    return presentProgramme(await ctx.data.programmes.saveDraft(programme.id, draft));
  },
});
