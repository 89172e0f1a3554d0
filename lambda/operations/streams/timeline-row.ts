// A row of a timeline: one playing of an item, as clients see it.
import * as z from 'zod';
import { timestamp } from '../fields.ts';

const aired = z
  .object({
    outputID: z.string().nullable().describe('null: the managed platform.'),
    fromSeconds: z.number(),
    toSeconds: z.number(),
    standInUploadID: z.string().nullable().describe('What played instead.'),
  })
  .meta({ id: 'AiredPart' });

export const timelineRow = z
  .object({
    startAt: timestamp,
    endAt: timestamp,
    playlistID: z.string().nullable(),
    itemID: z.string(),
    uploadID: z.string(),
    name: z.string().nullable(),
    title: z.string().nullable(),
    artist: z.string().nullable(),
    album: z.string().nullable(),
    positionSeconds: z.number().describe('Of the item, at `from`.'),
    aired: z.array(aired).nullable().describe('Seconds of the item that were acknowledged; null: it is to come.'),
  })
  .meta({ id: 'TimelineRow' });

export type TimelineRow = z.output<typeof timelineRow>;
