// The identity function as deployed: bundled, minified, behind API Gateway and the distribution.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { createAuthHandler as createAuthHandlerType } from '../../lambda/auth/auth-handler.ts';
import type { AuthHandler } from '../../lambda/auth/auth-handler.ts';
import type { AuthorizationServerOptions } from '../../lambda/auth/authorization-server.ts';
import type { createEventHandler as createEventHandlerType } from '../../lambda/auth/event-handler.ts';
import { bundle } from '../../lib/shared/bundle.ts';
import { throughDistribution } from './distribution.ts';

const entries = ['auth/auth-handler.ts', 'auth/event-handler.ts'];

/** Everything of the function's entry except its connections, which the test provides. */
export async function bundledAuth(): Promise<(options: AuthorizationServerOptions) => AuthHandler> {
  const folder = mkdtempSync(join(tmpdir(), 'bundled-auth-'));
  const bundles = bundle(join(import.meta.dirname, '../../lambda'), entries);
  const load = async (entry: string) => {
    const code = Buffer.from(bundles.get(entry)!.get('index.mjs')!).toString();
    const file = join(folder, `${basename(entry)}.mjs`);
    // The code is loaded without its source map, because the files that the map names are missing here.
    writeFileSync(file, code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, ''));
    return (await import(file)) as unknown;
  };
  const { createAuthHandler } = (await load(entries[0]!)) as { createAuthHandler: typeof createAuthHandlerType };
  const { createEventHandler } = (await load(entries[1]!)) as { createEventHandler: typeof createEventHandlerType };
  rmSync(folder, { recursive: true });
  return (options) => {
    const handler = createEventHandler(createAuthHandler(options), options.origin);
    return (request, address) => throughDistribution(handler, request, address);
  };
}
