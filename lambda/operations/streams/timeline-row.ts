// A row of a timeline in answers: one playback of an item.
import * as z from 'zod';
import { rowKinds } from '../../domain/playout/planned-facts.ts';
import { timestamp } from '../fields.ts';

export const aired = z
  .object({
    outputID: z.string().nullable().describe('ID of the output. null: the managed platform.'),
    fromSeconds: z.number(),
    toSeconds: z.number(),
    standInUploadID: z
      .string()
      .nullable()
      .describe('ID of the upload that played in place of the item. null: none did.'),
    liveSessionID: z
      .string()
      .nullable()
      .describe('ID of the session of a live input that was shown in place of the item. null: none was.'),
    liveUploadID: z
      .string()
      .nullable()
      .describe('ID of the upload that this part of the session became. null: none, or it is not examined yet.'),
  })
  .meta({ id: 'AiredPart' });

export const timelineRow = z
  .object({
    startAt: timestamp,
    endAt: timestamp,
    playlistID: z.string().nullable().describe('null: the upload is not from a playlist.'),
    itemID: z.string(),
    uploadID: z.string(),
    name: z.string().nullable(),
    title: z.string().nullable(),
    artist: z.string().nullable(),
    album: z.string().nullable(),
    kind: z.enum(rowKinds).nullable().describe('Kind in its programme; queued: also of play_next. null: of a list.'),
    blockID: z.string().nullable(),
    stepID: z.string().nullable(),
    insertID: z.string().nullable(),
    orderReference: z.string().nullable().describe('Order of the upload when the row was planned. null: none.'),
    advertiser: z.string().nullable(),
    fromSeconds: z.number().describe('Seconds of the item before the row, which continues it after a break.'),
    positionSeconds: z.number().describe('Position in the item at `from`, in seconds.'),
    aired: z
      .array(aired)
      .nullable()
      .describe('Parts of the item that destinations acknowledged. null: the item lies in the future.'),
  })
  .meta({ id: 'TimelineRow' });

export type TimelineRow = z.output<typeof timelineRow>;
