// The rows of a simulation as CSV.
import type * as z from 'zod';
import { csvTable } from '../csv.ts';
import type { simulationSchema } from './simulation-schema.ts';

const columns = [
  'startAt',
  'endAt',
  'kind',
  'name',
  'uploadID',
  'blockID',
  'stepID',
  'insertID',
  'cutOff',
  'title',
  'artist',
  'fromSeconds',
] as const;

export function csvOf({ rows }: z.output<typeof simulationSchema>): string {
  const lines = rows.map((row) => columns.map((column) => (column === 'cutOff' ? String(row.cutOff) : row[column])));
  return csvTable([columns, ...lines]);
}
