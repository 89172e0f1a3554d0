// A queued item of a programme in answers.
import * as z from 'zod';
import type { NamedQueuedRow } from '../../data/programme/queued-items.ts';
import { timestamp } from '../fields.ts';
import { shownColumns } from '../shown-columns.ts';

export const queuedItemSchema = z
  .object({
    id: z.string(),
    uploadID: z.string(),
    name: z.string(),
    queuedAt: timestamp,
    byGuest: z.boolean().describe('A guest asked for it.'),
    playsAt: timestamp.nullable().describe('Planned start. null: none yet.'),
  })
  .meta({ id: 'QueuedItem' });

export function presentQueuedItem(item: NamedQueuedRow): z.input<typeof queuedItemSchema> {
  return shownColumns(queuedItemSchema, item);
}
