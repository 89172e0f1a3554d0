// The recurrence of a schedule in requests.
import * as z from 'zod';
import { text } from '../fields.ts';

/** A recurrence in requests. INTERVAL and COUNT are counted from scheduleStartAt, the first start. */
export const recurrence = z
  .strictObject({
    rule: text(1, 512).describe('RFC 5545 recurrence rule, such as FREQ=WEEKLY;BYDAY=MO,FR. COUNT is at most 1000.'),
    timeZone: text(1, 64).describe(
      'IANA time zone, such as Europe/Berlin. Local start times stay the same when its clocks change.',
    ),
  })
  .meta({ id: 'Recurrence' });
