// A simulation of a programme in answers.
import * as z from 'zod';
import { rowKinds } from '../../domain/playout/planned-facts.ts';
import type { FrameGrid } from '../../domain/programme/frame-grid.ts';
import type { PlannedRow } from '../../domain/programme/planned-row.ts';
import { runClock } from '../../domain/streams/run-clock.ts';
import { timestamp } from '../fields.ts';

const refused = z
  .object({
    uploadID: z.string(),
    rules: z.array(z.int32()).describe('Places in separation. Empty: too long.'),
  })
  .meta({ id: 'RefusedItem' });

export const simulatedRow = z
  .object({
    startAt: timestamp,
    endAt: timestamp,
    kind: z.enum(rowKinds),
    uploadID: z.string(),
    name: z.string(),
    title: z.string().nullable(),
    artist: z.string().nullable(),
    fromSeconds: z.number().describe('Seconds of the upload before the row.'),
    cutOff: z.boolean().describe('true: a hard start cuts it off.'),
    blockID: z.string().nullable(),
    stepID: z.string().nullable(),
    insertID: z.string().nullable(),
    candidates: z.int32().describe('Uploads considered.'),
    refused: z.array(refused).describe('Uploads passed over.'),
    relaxed: z.array(z.int32()).describe('Places in separation of the rules that it breaks.'),
  })
  .meta({ id: 'SimulatedRow' });

const share = z
  .object({
    id: z.string(),
    rows: z.int32(),
    seconds: z.number(),
    share: z.number().describe('Share of all seconds, 0 to 1.'),
  })
  .meta({ id: 'ProgrammeShare' });

const issue = z
  .object({
    code: z.enum([
      'programme_gap',
      'collection_empty',
      'collection_cut',
      'rule_relaxed',
      'block_never_plays',
      'insert_never_plays',
    ]),
    path: z.string().describe('Place in the programme, such as /blocks/0.'),
    count: z.int32(),
    firstAt: timestamp.nullable().describe('First occasion. null: all the time.'),
  })
  .meta({ id: 'ProgrammeIssue' });

export const simulationSchema = z
  .object({
    from: timestamp,
    to: timestamp.describe('Before the end of `days` if there are more than 300,000 rows.'),
    historyUntil: timestamp.nullable().describe('End of the rows that it continues. null: none.'),
    rowCount: z.int32(),
    uploadCount: z.int32().describe('Different uploads.'),
    cutOffCount: z.int32(),
    itemSeconds: z.number(),
    insertSeconds: z.number(),
    fillerSeconds: z.number(),
    offAirSeconds: z.number().describe('Seconds of sign-off blocks.'),
    blocks: z.array(share),
    steps: z.array(share),
    inserts: z.array(share),
    issues: z.array(issue).describe('Rules that the plan cannot keep.'),
    rows: z.array(simulatedRow),
    hasMoreRows: z.boolean(),
  })
  .meta({ id: 'Simulation' });

export const timeOf = ({ anchoredAtMs, framesPerSecond }: FrameGrid, frame: number): Date =>
  runClock(new Date(anchoredAtMs), framesPerSecond).timeOf(frame);

export function presentRow(planned: PlannedRow, grid: FrameGrid): z.input<typeof simulatedRow> {
  const { item, startFrame, frameCount, isCutOff, stepID, insertID, part, refused = [], ...row } = planned;
  return {
    startAt: timeOf(grid, startFrame),
    endAt: timeOf(grid, startFrame + frameCount),
    kind: row.kind,
    uploadID: item.uploadID,
    name: item.name,
    title: item.titles.title ?? null,
    artist: item.titles.artist ?? null,
    fromSeconds: part?.fromSeconds ?? 0,
    cutOff: isCutOff,
    blockID: row.blockID,
    stepID: stepID ?? null,
    insertID: insertID ?? null,
    candidates: row.candidates ?? 1,
    refused: refused.map(({ uploadID, by }) => ({ uploadID, rules: by === 'too_long' ? [] : [...by] })),
    relaxed: [...(row.relaxed ?? [])],
  };
}
