// A function's module as deployed: bundled and minified.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, writeBundle } from '../../lib/shared/bundle.ts';
import { functionAliases } from '../../lib/shared/function-aliases.ts';

/** @param entry file below `lambda` with everything of a function except its connections, which the test provides */
export async function importBundled<Module>(entry: string): Promise<Module> {
  const folder = mkdtempSync(join(tmpdir(), 'bundled-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  writeBundle(bundle(join(import.meta.dirname, '../../lambda'), [entry], functionAliases).get(entry)!, folder);
  return (await import(join(folder, 'index.mjs'))) as Module;
}
