// GET /programmes/{id}/comparison: the rows that a publish of the draft would change.
import * as z from 'zod';
import { causesOf } from '../../domain/programme/comparison.ts';
import type { PlanDifference } from '../../domain/programme/comparison.ts';
import { compareProgramme as compare } from '../../orchestration/programme/compare-programme.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentRow, simulatedRow, timeOf } from './simulation-schema.ts';

/** Rows of both plans in one answer. */
const mostRows = 1000;

const difference = z
  .object({
    causes: z
      .array(z.string())
      .describe('Changed rules of these rows. Empty: they follow from earlier rows, or from a rule without rows.'),
    before: z.array(simulatedRow),
    after: z.array(simulatedRow),
  })
  .meta({ id: 'ProgrammeDifference' });

export const comparisonSchema = z
  .object({
    from: timestamp,
    to: timestamp,
    changedRules: z.array(z.string()).describe('Such as blocks/ID, inserts/ID or separation.'),
    sameRows: z.int32(),
    movedRows: z.int32().describe('Rows in the same order, at another time.'),
    differences: z.array(difference),
    hasMore: z.boolean().describe('true: further differences are left out.'),
  })
  .meta({ id: 'ProgrammeComparison' });

export const compareProgramme = operation(['service:read'], {
  summary: 'Compare a programme',
  description:
    'Returns the rows that publish_programme would change, by plans of the live version and of the draft from the ' +
    'next item on.',
  tag: 'programmes',
  route: 'GET /programmes/{id}/comparison',
  query: { hours: z.int().min(1).max(48).default(24).describe('Hours to compare.') },
  output: {
    status: 200,
    body: comparisonSchema,
  },
  async handle(ctx, { params, query: { hours } }) {
    const programme = orNotFound(await ctx.data.programmes.find(ctx.caller.userID, params.id), 'programme');
    const now = await ctx.data.now();
    const { comparison, changed, grid, fromFrame, endFrame } = await compare(ctx.data, programme, { now, hours });
    const { sameRows, movedRows, differences } = comparison;
    const shown = firstOf(differences);
    return {
      from: timeOf(grid, fromFrame),
      to: timeOf(grid, endFrame),
      changedRules: [...changed],
      sameRows,
      movedRows,
      differences: shown.map((each) => ({
        causes: causesOf(each, changed),
        before: each.before.map((row) => presentRow(row, grid)),
        after: each.after.map((row) => presentRow(row, grid)),
      })),
      hasMore: rowCountOf(shown) < rowCountOf(differences),
    };
  },
});

/** The first differences, with at most `mostRows` rows together. */
function firstOf(differences: readonly PlanDifference[]): PlanDifference[] {
  const shown: PlanDifference[] = [];
  let left = mostRows;
  for (const each of differences) {
    const before = each.before.slice(0, left);
    const after = each.after.slice(0, left - before.length);
    left -= before.length + after.length;
    if (before.length + after.length > 0) shown.push({ before, after });
    if (left === 0) break;
  }
  return shown;
}

function rowCountOf(differences: readonly PlanDifference[]): number {
  return differences.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
}
