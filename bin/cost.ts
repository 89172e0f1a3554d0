// `npm run cost`: the price of a month of each stage and an hour of streams, from templates and AWS' list prices.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { stages } from '../lib/stages.ts';
import { costSection, withCostSection } from './cost/cost-section.ts';

const readme = new URL('../lib/README.md', import.meta.url);
const usage = `Computes the costs of stages from their templates and the prices in bin/cost/prices.ts, offline.

  npm run cost                  prints the tables
  npm run cost -- --write       puts them into lib/README.md`;

try {
  const { values } = parseArgs({ options: { write: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) console.log(usage);
  else {
    const section = costSection(stages);
    if (values.write) writeFileSync(readme, withCostSection(readFileSync(readme, 'utf8'), section));
    console.log(section);
  }
} catch (error) {
  // An unknown argument, or a size without a price: the message names it, and the place to add it.
  console.error((error as Error).message);
  process.exitCode = 1;
}
