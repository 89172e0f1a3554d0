// POST /programmes/{id}/revert: makes the rules of a published version the draft.
import * as z from 'zod';
import { fieldProblem } from '../field-problems.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { assertRules } from './assert-rules.ts';
import { presentProgramme, programmeSchema } from './programme-schema.ts';

export const revertProgramme = operation(['service:write'], {
  summary: 'Revert the draft of a programme',
  description:
    'Replaces the draft by the rules of a published version. With the live version, it discards the draft. Next: ' +
    'publish_programme.',
  tag: 'programmes',
  route: 'POST /programmes/{id}/revert',
  body: z.strictObject({ version: z.int32().describe('One of list_programme_versions.') }),
  output: { status: 200, body: programmeSchema },
  errors: ['programme_invalid'],
  hints: { idempotent: true, destructive: true },
  async handle(ctx, { params, body: { version } }) {
    const programme = orNotFound(await ctx.data.programmes.lock(ctx.caller.userID, params.id), 'programme');
    const found = await ctx.data.programmes.version(programme.id, version);
    if (!found) throw fieldProblem('version', 'There is no such published version.');
    await assertRules(ctx, programme, found.rules);
    return presentProgramme(await ctx.data.programmes.saveDraft(programme.id, found.rules));
  },
});
