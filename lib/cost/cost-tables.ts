// The costs as Markdown tables, for the terminal and for lib/README.md.
import { egressTiers } from './list-prices.ts';
import { hoursOfMore, longestLogs, pricesByUse, standingCostsOf } from './stage-cost.ts';
import type { Template } from './stage-resources.ts';
import { streamHourCosts, type Backend, type StreamHourCost, type StreamKind } from './stream-hour-cost.ts';

/** A stage by its name, with the templates of all of its stacks. */
export type StageTemplates = readonly [name: string, templates: readonly Template[]];

/** Dollars a month of each stage while nothing is on air, a row for each thing that is paid for. */
export function standingTable(stages: readonly StageTemplates[]): string {
  const costs = stages.map(([, templates]) => new Map(standingCostsOf(templates).map((cost) => [cost.what, cost])));
  const rows = [...new Set(costs.flatMap((byWhat) => [...byWhat.keys()]))]
    .filter((what) => costs.some((byWhat) => (byWhat.get(what)?.usdPerMonth ?? 0) > 0))
    .map((what) => [what, ...costs.map((byWhat) => sized(byWhat.get(what)))]);
  const totals = costs.map(
    (byWhat) => `**${dollars([...byWhat.values()].reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0))}**`,
  );
  return table([['Dollars a month', ...stages.map(([name]) => name)], ...rows, ['**Together**', ...totals]]);
}

/** What use costs: the same in every stage, but for how long logs are kept. */
export function byUseTable(stages: readonly StageTemplates[]): string {
  const egress = egressTiers.map(({ price, upToTB }) =>
    Number.isFinite(upToTB) ? `${price.usd} up to ${upToTB} TB a month` : `${price.usd} beyond`,
  );
  const prices = new Map(stages.flatMap(([, templates]) => pricesByUse(templates)));
  const more = new Map(stages.flatMap(([, templates]) => hoursOfMore(templates)));
  const logs = stages.map(([name, templates]) => {
    const { days, usdPerGB } = longestLogs(templates);
    return `${dollars(usdPerGB)} for ${days} days (${name})`;
  });
  return table([
    ['Use', 'Dollars'],
    ['What streams send to their destinations, a GB', egress.join(', ')],
    ...[...more].map(([what, usdPerHour]) => [what, `${usdPerHour.toFixed(3)} an hour`]),
    ['Logs, a GB taken in and kept', logs.join(', ')],
    ...[...prices].map(([what, { usd, per }]) => [what, `${usd} a ${per}`]),
  ]);
}

/** Dollars an hour of each kind of stream: sold for, sent, computed, and what is left on each backend. */
export function streamHourTable(kinds: readonly StreamKind[], [, templates]: StageTemplates): string {
  const heading = [
    'Stream',
    'Price',
    'GB',
    'Egress',
    'Compute, ffmpeg',
    'Compute, manifest',
    'Left, ffmpeg',
    'Left, manifest',
  ];
  const rows = streamHourCosts(kinds, templates).map((cost) => [
    cost.name,
    dollars(cost.usdSoldFor),
    cost.gigabytes.toFixed(1),
    `${dollars(cost.usdEgress.dearest)} … ${dollars(cost.usdEgress.cheapest)}`,
    compute(cost, 'ffmpeg'),
    compute(cost, 'manifest'),
    left(cost, 'ffmpeg'),
    left(cost, 'manifest'),
  ]);
  return table([heading, ...rows]);
}

function sized(cost: { readonly size: string; readonly usdPerMonth: number } | undefined): string {
  return cost === undefined || cost.usdPerMonth === 0 ? '0' : `${dollars(cost.usdPerMonth)} (${cost.size})`;
}

function compute({ usdCompute }: StreamHourCost, backend: Backend): string {
  const usd = usdCompute[backend];
  return usd === null ? 'too large for an agent' : usd.toFixed(3);
}

/** Of the price, at the dearest and at the cheapest egress. */
function left({ usdSoldFor, usdEgress, usdCompute }: StreamHourCost, backend: Backend): string {
  const usd = usdCompute[backend];
  return usd === null
    ? '–'
    : [usdEgress.dearest, usdEgress.cheapest].map((egress) => dollars(usdSoldFor - egress - usd)).join(' … ');
}

function dollars(usd: number): string {
  return usd.toFixed(2).replace('-', '−');
}

function table([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heading), line(heading.map((_cell, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}
