// GET /schedule/preview: when a stream would start by a recurrence, before it is scheduled.
import * as z from 'zod';
import { faultOfRecurrence, startsOf } from '../../domain/streams/recurrence.ts';
import { timestamp, timestampInput } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { operation } from '../operation.ts';
import { recurrence } from './stream-schema.ts';

const { rule, timeZone } = recurrence.shape;

export const previewRecurrence = operation(['service:read'], {
  id: 'previewRecurrence',
  summary: 'Preview a recurrence',
  description: 'Changes nothing. Next: schedule_stream.',
  tag: 'schedule',
  method: 'GET',
  path: '/schedule/preview',
  query: {
    scheduleStartAt: timestampInput.describe('The first start.'),
    rule: rule.describe('RFC 5545.'),
    timeZone: timeZone.describe('IANA.'),
    count: z.int().min(1).max(20).default(5).describe('How many.'),
  },
  output: { status: 200, body: z.object({ starts: z.array(timestamp) }).meta({ id: 'RecurrencePreview' }) },
  errors: [],
  async handle(_ctx, { query: { scheduleStartAt, count, ...repeats } }) {
    const fault = await faultOfRecurrence(repeats, scheduleStartAt);
    if (fault) throw fieldProblem(`query/${fault.field}`, fault.detail);
    return {
      starts: await startsOf(
        { ...repeats, firstStartAt: scheduleStartAt, lengthSeconds: null },
        scheduleStartAt,
        count,
      ),
    };
  },
});
