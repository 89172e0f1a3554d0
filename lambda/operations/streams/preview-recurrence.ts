// GET /schedule/preview: the start times of a recurrence, before a stream is scheduled with it.
import * as z from 'zod';
import { faultOfRecurrence, startsOf } from '../../domain/streams/recurrence.ts';
import { budgetOf, inTurns } from '../../orchestration/programme/planning-turns.ts';
import { timestamp, timestampInput } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { operation } from '../operation.ts';
import { recurrence } from './recurrence-fields.ts';

const { rule, timeZone } = recurrence.shape;

export const previewRecurrence = operation(['service:read'], {
  summary: 'Preview a recurrence',
  description: 'Returns the start times of a recurrence without changing anything. Next: schedule_stream.',
  tag: 'schedule',
  route: 'GET /schedule/preview',
  query: {
    scheduleStartAt: timestampInput.describe('First start.'),
    rule: rule.describe('RFC 5545 recurrence rule.'),
    timeZone: timeZone.describe('IANA time zone.'),
    count: z.int().min(1).max(20).default(5).describe('Number of starts to return.'),
  },
  output: { status: 200, body: z.object({ starts: z.array(timestamp) }).meta({ id: 'RecurrencePreview' }) },
  handle: (ctx, { query: { scheduleStartAt, count, ...repeats } }) =>
    inTurns(budgetOf(ctx.data), async (nextTurn) => {
      const fault = await faultOfRecurrence(repeats, scheduleStartAt, nextTurn);
      if (fault) throw fieldProblem(`query/${fault.field}`, fault.detail);
      const series = { ...repeats, firstStartAt: scheduleStartAt, lengthSeconds: null };
      return { starts: await startsOf(series, scheduleStartAt, count, nextTurn) };
    }),
});
