// Writes the costs as tables in Markdown, for the terminal and for lib/README.md.
import { scalePlan } from './scale-plan.ts';
import { egressTiers } from './list-prices.ts';
import { hoursOfMore, longestLogs, pricesByUse, standingCostsOf } from './stage-cost.ts';
import type { Template } from './stage-resources.ts';
import { lookHourCosts, type LookTimes } from './look-hour-cost.ts';
import { streamHourCosts, type Backend, type StreamHourCost, type StreamKind } from './stream-hour-cost.ts';

/** The name of a stage, and the templates of all of its stacks. */
export type StageTemplates = readonly [name: string, templates: readonly Template[]];

/** US dollars a month of each stage while nothing is on air, with a row for each thing that is paid for. */
export function standingTable(stages: readonly StageTemplates[]): string {
  const costs = stages.map(([, templates]) => new Map(standingCostsOf(templates).map((cost) => [cost.what, cost])));
  const everyWhat = new Set(costs.flatMap((byWhat) => [...byWhat.keys()]));
  const rows = [...everyWhat]
    .filter((what) => costs.some((byWhat) => (byWhat.get(what)?.usdPerMonth ?? 0) > 0))
    .map((what) => [what, ...costs.map((byWhat) => sized(byWhat.get(what)))]);
  const totals = costs.map((byWhat) => {
    const usd = [...byWhat.values()].reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0);
    return `**${dollars(usd)}**`;
  });
  return table([['Dollars a month', ...stages.map(([name]) => name)], ...rows, ['**Together**', ...totals]]);
}

/** What a stage may do without. */
export interface IdleRow {
  readonly what: string;
  readonly takesAway: string;
  /** Of each stage: whether it has it, and US dollars a month that it costs there, or would. */
  readonly stages: readonly { readonly isThere: boolean; readonly usdPerMonth: number }[];
}

/** US dollars a month of each thing that stages may do without. @param names of the stages */
export function idleTable(names: readonly string[], rows: readonly IdleRow[]): string {
  const cell = ({ isThere, usdPerMonth }: IdleRow['stages'][number]) =>
    isThere ? dollars(usdPerMonth) : `without (${dollars(usdPerMonth)})`;
  return table([
    ['Dollars a month', ...names, 'What it takes away'],
    ...rows.map(({ what, stages, takesAway }) => [what, ...stages.map(cell), takesAway]),
  ]);
}

/** What use costs. It is the same in every stage, but stages keep their logs for different times. */
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

/** US dollars an hour of each kind of stream: its price, its egress, its compute, and what is left on each backend. */
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

/** US dollars an hour of looking at each kind of stream. */
export function lookHourTable(kinds: readonly StreamKind[], times: LookTimes): string {
  const heading = [
    'Stream',
    'Preview, each who looks',
    'Preview, once for all',
    'Posters, each who looks',
    'Posters, once for all',
  ];
  const rows = lookHourCosts(kinds, times).map(({ name, usdPreview, usdPieces, usdPoster, usdPictures }) => [
    name,
    ...[usdPreview, usdPieces, usdPoster, usdPictures].map((usd) => usd.toFixed(3)),
  ]);
  return table([heading, ...rows]);
}

/** What many prepared streams of one kind take on the agents of a stage. */
export function scaleTable(kind: StreamKind, [, templates]: StageTemplates): string {
  const [hour] = streamHourCosts([kind], templates);
  const heading = [
    'Streams',
    'Agents',
    'Cores of Postgres',
    'Connections of agents, in Postgres',
    'Egress, Gbit/s',
    'Dollars an hour: compute, egress',
    'Stages (databases)',
    'What breaks first',
  ];
  const rows = [10_000, 100_000, 1_000_000].map((streams) => {
    const plan = scalePlan(streams, kind, hour!, templates);
    return [
      String(streams),
      String(plan.agents),
      plan.postgresCores.toFixed(1),
      `${plan.clientConnections}, ${plan.databaseConnections}`,
      plan.egressGbps.toFixed(0),
      `${plan.usdComputePerHour.toFixed(0)}, ${plan.usdEgressPerHour.toFixed(0)}`,
      String(plan.cells),
      plan.breaksFirst,
    ];
  });
  return table([heading, ...rows]);
}

function sized(cost: { readonly size: string; readonly usdPerMonth: number } | undefined): string {
  return cost === undefined || cost.usdPerMonth === 0 ? '0' : `${dollars(cost.usdPerMonth)} (${cost.size})`;
}

function compute({ usdCompute }: StreamHourCost, backend: Backend): string {
  const usd = usdCompute[backend];
  return usd === null ? 'too large for an agent' : usd.toFixed(3);
}

/** What is left of the price, at the dearest and at the cheapest egress. */
function left({ usdSoldFor, usdEgress, usdCompute }: StreamHourCost, backend: Backend): string {
  const usd = usdCompute[backend];
  if (usd === null) return '–';
  return [usdEgress.dearest, usdEgress.cheapest].map((egress) => dollars(usdSoldFor - egress - usd)).join(' … ');
}

function dollars(usd: number): string {
  return usd.toFixed(2).replace('-', '−');
}

function table([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const alignment = heading.map((_cell, column) => (column === 0 ? '---' : '---:'));
  return [heading, alignment, ...rows].map(line).join('\n');
}
