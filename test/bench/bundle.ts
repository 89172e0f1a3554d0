// Sizes and import times of the surfaces' bundles, compared with pg and zod alone in the same run.
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
  'MCP function': 'lambda/api/mcp.lambda.ts',
  'GraphQL function': 'lambda/api/graphql.lambda.ts',
  'pg and zod alone': 'test/bench/bare-imports.ts',
};
const root = join(import.meta.dirname, '../..');

/** A function reads its environment after all of its modules were evaluated. The missing variables stop the clock. */
const timeImport = `
  const began = performance.now();
  await import(process.argv[1]).catch((error) => {
    if (!/environment variable/.test(error.message)) throw error;
  });
  console.log(performance.now() - began);`;

export async function bundleBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  try {
    const names = Object.keys(entries) as (keyof typeof entries)[];
    const importMs = new Map(names.map((name) => [name, [] as number[]]));
    const bundles = bundle(root, Object.values(entries), functionAliases);
    for (const name of names) writeBundle(bundles.get(entries[name])!, join(folder, name));
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        const args = ['--input-type=module', '--eval', timeImport, join(folder, name, 'index.mjs')];
        const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
        importMs.get(name)!.push(Number(stdout));
      }
    }
    const medianMs = (name: keyof typeof entries) =>
      importMs.get(name)!.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!;
    for (const name of names) {
      const { size } = await stat(join(folder, name, 'index.mjs'));
      const kilobytes = (size / 1000).toFixed(0).padStart(5);
      const ms = medianMs(name).toFixed(1);
      console.log(`${name.padEnd(20)} ${kilobytes} kB   import ${ms} ms (median of ${rounds})`);
    }
    for (const name of names.slice(0, -1)) {
      const ratio = medianMs(name) / medianMs('pg and zod alone');
      console.log(`${name}: ratio of the imports ${ratio.toFixed(2)}`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
