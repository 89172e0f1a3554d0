// The tables of costs in Markdown, between two marks in lib/README.md.
import { connectionBudget, sumOf } from '../../lib/database/connection-budget.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { templatesOf } from '../stages/templates.ts';
import { byUse, egressTiers } from './prices.ts';
import { monthOf } from './stage-month.ts';
import { streamHours, type StreamHour } from './stream-hour.ts';

const begin = '<!-- npm run cost -- --write: begin -->';
const end = '<!-- npm run cost -- --write: end -->';

/** @param stages stages by name; the table of costs per hour is about streams on the last stage */
export function costSection(stages: Readonly<Record<string, StageSettings>>): string {
  const [last, settings] = Object.entries(stages).at(-1)!;
  return [
    'A month of each stage while nothing is on air, at the sizes of its templates:',
    monthTable(stages),
    'Connections to the database, if everything in a stage is at the maximum of its settings. Without RDS Proxy, all ' +
      'tasks count twice, as during a deployment. A stage whose sum does not fit is refused at synth.',
    connectionTable(stages),
    'Prices by use:',
    byUseTable(),
    `An hour of a stream on the agents of ${last}, in dollars. ` +
      'Egress, and the rest of the price, at the first and the last tier.',
    streamHourTable(streamHours(settings)),
  ].join('\n\n');
}

/** @returns the text with a new section between its marks @throws if the text lacks the marks */
export function withCostSection(text: string, section: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`lib/README.md lacks the marks ${begin} and ${end}`);
  return `${before}${begin}\n\n${section}\n\n${end}${after}`;
}

function monthTable(stages: Readonly<Record<string, StageSettings>>): string {
  const months = Object.entries(stages).map(([name, settings]) => monthOf(templatesOf(name, settings)));
  const cell = ({ usd, size }: { usd: number; size: string }) => (usd === 0 ? '0' : `${dollars(usd)} (${size})`);
  const rows = months[0]!
    .map(({ what }, row) => ({ what, costs: months.map((month) => month[row]!) }))
    .filter(({ costs }) => costs.some(({ usd }) => usd > 0))
    .map(({ what, costs }) => [what, ...costs.map(cell)]);
  const totals = months.map((month) => `**${dollars(month.reduce((sum, { usd }) => sum + usd, 0))}**`);
  return table([['Dollars a month', ...Object.keys(stages)], ...rows, ['**Together**', ...totals]]);
}

function connectionTable(stages: Readonly<Record<string, StageSettings>>): string {
  const budgets = Object.values(stages).map(connectionBudget);
  const rows = budgets[0]!.uses.map(({ who }, row) => [
    who,
    ...budgets.map(({ uses }) => {
      const { processes, each } = uses[row]!;
      return `${processes * each} (${processes} × ${each})`;
    }),
  ]);
  return table([
    ['Connections', ...Object.keys(stages)],
    ...rows,
    ['**Together**', ...budgets.map(({ uses }) => `**${sumOf(uses)}**`)],
    ['For these, of all that Postgres allows', ...budgets.map(({ shared, allowed }) => `${shared} of ${allowed}`)],
  ]);
}

function byUseTable(): string {
  const egress = egressTiers.map(([upToTB, usd]) =>
    Number.isFinite(upToTB) ? `${usd} up to ${upToTB} TB a month` : `${usd} beyond`,
  );
  return table([
    ['Use', 'Dollars'],
    ['Media sent to destinations, a GB', egress.join(', ')],
    ...byUse.map(([what, usd, unit]) => [what, `${usd} a ${unit}`]),
  ]);
}

function streamHourTable(hours: readonly StreamHour[]): string {
  const compute = (usd: number | null) => usd?.toFixed(3) ?? 'too large for an agent';
  const left = ({ usdSoldFor, usdEgress }: StreamHour, usd: number | null) =>
    usd === null ? '–' : range(usdSoldFor - usdEgress.dearest - usd, usdSoldFor - usdEgress.cheapest - usd);
  return table([
    ['Stream', 'Price', 'GB', 'Egress', ...['Compute', 'Left'].flatMap((of) => [`${of}, ffmpeg`, `${of}, manifest`])],
    ...hours.map((hour) => [
      hour.name,
      dollars(hour.usdSoldFor),
      hour.gigabytes.toFixed(1),
      range(hour.usdEgress.dearest, hour.usdEgress.cheapest),
      compute(hour.usdCompute.ffmpeg),
      compute(hour.usdCompute.manifest),
      left(hour, hour.usdCompute.ffmpeg),
      left(hour, hour.usdCompute.manifest),
    ]),
  ]);
}

function range(first: number, last: number): string {
  return `${dollars(first)} … ${dollars(last)}`;
}

function dollars(usd: number): string {
  return usd.toFixed(2).replace('-', '−');
}

function table([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const alignment = heading.map((_cell, column) => (column === 0 ? '---' : '---:'));
  return [heading, alignment, ...rows].map(line).join('\n');
}
