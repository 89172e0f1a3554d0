// `npm run cost`: what the stages cost in a month, and an hour of a stream, from their templates and AWS' list prices.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { stages } from '../lib/stages.ts';
import { costSection, withCostSection } from './cost/cost-section.ts';
import { templatesOf } from './cost/stage-templates.ts';

const usage = `Computes what stages cost, from their templates and the list prices in lib/cost/list-prices.ts. Asks no network.

  npm run cost                  every stage
  npm run cost -- STAGE         one stage: ${Object.keys(stages).join(', ')}
  npm run cost -- --write       puts the tables into lib/README.md`;
const readme = new URL('../lib/README.md', import.meta.url);

process.exitCode = run(process.argv.slice(2));

function run(args: readonly string[]): 0 | 2 {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } } });
    if (values.help) return say(usage);
    const chosen = positionals.length === 0 ? Object.entries(stages) : Object.entries(stages).filter(([name]) => positionals.includes(name));
    if (chosen.length < positionals.length) throw new Error(`There is no stage ${positionals.join(' ')}.`);
    if (values.write && positionals.length > 0) throw new Error('--write takes no stage: the README has them all.');
    const section = costSection(chosen.map(([name, settings]) => [name, templatesOf(name, settings)]));
    if (values.write) writeFileSync(readme, withCostSection(readFileSync(readme, 'utf8'), section));
    return say(section);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
}

function say(text: string): 0 {
  console.log(text);
  return 0;
}
