// How large the bundles of the surfaces' functions are, and how long they take to import, beside pg and zod alone in the same run.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle, writeBundle } from '../../lib/shared/bundle.ts';
import { functionAliases } from '../../lib/shared/function-aliases.ts';

const rounds = 15;
const entries = {
  'REST function': 'lambda/api/api.lambda.ts',
  'MCP function': 'lambda/mcp/mcp.lambda.ts',
  'GraphQL function': 'lambda/graphql/graphql.lambda.ts',
  'pg and zod alone': 'test/bench/bare-imports.ts',
};
const root = join(import.meta.dirname, '../..');

/** The function reads its environment once all its modules have been evaluated, and finds none: that is where the clock stops. */
const timeImport = `const began = performance.now(); await import(process.argv[1]).catch((error) => { if (!/environment variable/.test(error.message)) throw error; }); console.log(performance.now() - began);`;

export async function bundleBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  try {
    const names = Object.keys(entries) as (keyof typeof entries)[];
    const importMs = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
      keyof typeof entries,
      number[]
    >;
    const bundles = bundle(root, Object.values(entries), functionAliases);
    for (const name of names) writeBundle(bundles.get(entries[name])!, join(folder, name));
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        const { stdout } = await promisify(execFile)(
          process.execPath,
          ['--input-type=module', '--eval', timeImport, join(folder, name, 'index.mjs')],
          { env: {} },
        );
        importMs[name].push(Number(stdout));
      }
    }
    const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
    for (const name of names) {
      const { size } = await stat(join(folder, name, 'index.mjs'));
      console.log(
        `${name.padEnd(20)} ${(size / 1000).toFixed(0).padStart(5)} kB   import ${median(importMs[name]).toFixed(1)} ms (median of ${rounds})`,
      );
    }
    for (const name of names.slice(0, -1))
      console.log(
        `${name}: ratio of the imports ${(median(importMs[name]) / median(importMs['pg and zod alone'])).toFixed(2)}`,
      );
  } finally {
    await rm(folder, { recursive: true });
  }
}
