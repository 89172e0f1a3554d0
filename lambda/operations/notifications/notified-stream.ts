// The schema of a stream that a notification or an event names, beside others.
import * as z from 'zod';

export const notifiedStreamSchema = z
  .object({ id: z.string(), name: z.string().nullable().describe('Its name at the time. null: none is known.') })
  .meta({ id: 'NotifiedStream' });
