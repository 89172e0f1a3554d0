// A takeover of a stream in answers.
import * as z from 'zod';
import { timestamp } from '../fields.ts';

export const begunTakeover = z
  .object({
    takeoverID: z.string(),
    liveInputID: z.string(),
    shownAt: timestamp
      .nullable()
      .describe(
        'Time at which viewers see the contributor, apart from the delay of their platform. null: it waits for ' +
          'startAt, or for a stable contributor.',
      ),
  })
  .meta({ id: 'BegunTakeover' });

export const streamTakeover = z
  .object({
    takeoverID: z.string(),
    liveInputID: z.string().nullable().describe('null: the input is deleted.'),
    state: z
      .enum(['planned', 'waiting', 'shown', 'lost', 'ending'])
      .meta({ id: 'TakeoverState' })
      .describe('waiting: for a stable contributor. lost: the next session of the input continues it.'),
    startAt: timestamp.nullable().describe('Planned beginning. null: none.'),
    shownAt: timestamp.nullable().describe('Time at which its session begins on air. null: not known yet.'),
    endAt: timestamp.nullable().describe('Planned end. null: none.'),
    returnsAt: timestamp.nullable().describe('Time of the return to the timeline. null: none.'),
  })
  .meta({ id: 'StreamTakeover' });
