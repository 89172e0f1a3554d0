// GET /programmes/{id}/simulation: the plan of days to come, with its figures.
import * as z from 'zod';
import { simulateProgramme as simulate } from '../../orchestration/programme/simulate-programme.ts';
import type { SimulatedProgramme } from '../../orchestration/programme/simulate-programme.ts';
import { orNotFound, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { csvOf } from './simulation-csv.ts';
import { presentRow, simulationSchema, timeOf } from './simulation-schema.ts';

const mostDays = 400;
const mostRows = 1000;
/** Rows that can be passed over: those of the longest programme of short items. */
const mostSkipped = 1_000_000;

export const simulateProgramme = operation(['service:read'], {
  summary: 'Simulate a programme',
  description:
    'Returns what the draft would play from a time on, behind what the stream has played, for up to 400 days: ' +
    'shares, issues, and rows with the reason of each choice.',
  tag: 'programmes',
  route: 'GET /programmes/{id}/simulation',
  query: {
    from: timestampInput.optional().describe('Beginning. Default: now.'),
    days: z.int().min(1).max(mostDays).default(7).describe('Days of figures and issues.'),
    skip: z.int().min(0).max(mostSkipped).default(0).describe('Rows to leave out at the beginning.'),
    rows: z.int().min(0).max(mostRows).default(50).describe('Maximum number of rows.'),
  },
  output: { status: 200, body: simulationSchema, csv: csvOf },
  async handle(ctx, { params, query }) {
    const programme = orNotFound(await ctx.data.programmes.find(ctx.caller.userID, params.id), 'programme');
    const from = query.from ?? (await ctx.data.now());
    const until = new Date(from.getTime() + query.days * 86_400_000);
    const found = await simulate(ctx.data, {
      programme,
      from,
      until,
      skip: query.skip,
      count: query.rows,
    });
    const to = timeOf(found.grid, found.endFrame);
    return {
      from,
      to,
      historyUntil: found.historyUntil,
      ...presentFigures(found),
      rows: found.rows.map((row) => presentRow(row, found.grid)),
      hasMoreRows: found.hasMore,
    };
  },
});

function presentFigures({ figures, rules, grid, issueOfSource }: SimulatedProgramme) {
  const secondsOf = (frames: number) => frames / grid.framesPerSecond;
  const kinds = ['item', 'insert', 'filler', 'off_air'] as const;
  const [items, inserts, filler, offAir] = kinds.map((kind) => figures.kind(kind)) as [Share, Share, Share, Share];
  const total = items.frames + inserts.frames + filler.frames + offAir.frames;
  const shareOf = ({ id }: { readonly id: string }) => {
    const { rows, frames } = figures.share(id);
    return { id, rows, seconds: secondsOf(frames), share: total === 0 ? 0 : frames / total };
  };
  return {
    rowCount: figures.rowCount,
    uploadCount: figures.uploads,
    cutOffCount: figures.cutOff,
    itemSeconds: secondsOf(items.frames),
    insertSeconds: secondsOf(inserts.frames),
    fillerSeconds: secondsOf(filler.frames),
    offAirSeconds: secondsOf(offAir.frames),
    blocks: rules.blocks.map(shareOf),
    steps: rules.blocks.flatMap(({ steps }) => steps.map(shareOf)),
    inserts: rules.inserts.map(shareOf),
    issues: figures.issues(issueOfSource).map(({ path, firstFrame, ...known }) => ({
      ...known,
      path: `/${path}`,
      firstAt: firstFrame === null ? null : timeOf(grid, firstFrame),
    })),
  };
}

type Share = ReturnType<SimulatedProgramme['figures']['kind']>;
