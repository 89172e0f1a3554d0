// The arguments of `npm run cost`.
import { parseArgs } from 'node:util';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';

export interface CostOptions {
  /** The stages to compute, by name. */
  readonly stages: readonly (readonly [name: string, settings: StageSettings])[];
  /** Whether to put the tables into lib/README.md. */
  readonly write: boolean;
}

const purpose =
  'Computes what stages cost, from their templates and the list prices in lib/cost/list-prices.ts. Asks no network.';

const usage = `${purpose}

  npm run cost                  every stage
  npm run cost -- STAGE         one stage: ${Object.keys(stages).join(', ')}
  npm run cost -- --write       puts the tables of every stage into lib/README.md`;

/** @returns the options, or what to tell the user: help (exit code 0), or why the arguments are wrong (exit code 2) */
export function readOptions(
  args: readonly string[],
): CostOptions | { readonly text: string; readonly exitCode: 0 | 2 } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    });
    if (values.help) return { text: usage, exitCode: 0 };
    const unknown = positionals.find((name) => !Object.hasOwn(stages, name));
    if (unknown !== undefined) throw new Error(`There is no stage ${unknown}.`);
    if (values.write && positionals.length > 0) throw new Error('--write takes no stage: lib/README.md has them all.');
    return {
      stages: Object.entries(stages).filter(([name]) => positionals.length === 0 || positionals.includes(name)),
      write: values.write,
    };
  } catch (error) {
    return { text: `${(error as Error).message}\n\n${usage}`, exitCode: 2 };
  }
}
