// `npm run cost`: what stages cost in a month, and streams in an hour, from the templates and AWS' list prices.
import { readFileSync, writeFileSync } from 'node:fs';
import { costSection, withCostSection } from './cost/cost-section.ts';
import { idleRows } from './cost/idle-rows.ts';
import { readOptions } from './cost/options.ts';
import { templatesOf } from './cost/stage-templates.ts';

const readme = new URL('../lib/README.md', import.meta.url);

const options = readOptions(process.argv.slice(2));
if ('text' in options) {
  (options.exitCode === 0 ? console.log : console.error)(options.text);
  process.exit(options.exitCode);
}

try {
  const templates = options.stages.map(([name, settings]) => [name, templatesOf(name, settings)] as const);
  const section = costSection(templates, idleRows(options.stages));
  if (options.write) writeFileSync(readme, withCostSection(readFileSync(readme, 'utf8'), section));
  console.log(section);
} catch (error) {
  // A size without a price: the message says which, and where to add it.
  console.error((error as Error).message);
  process.exitCode = 1;
}
