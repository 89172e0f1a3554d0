// The GraphQL function as it is deployed: bundled and minified, called with API Gateway's events.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { createGraphqlFunction as createGraphqlFunctionType } from '../../lambda/graphql/graphql-function.ts';
import type { GraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { bundle, writeBundle } from '../../lib/shared/bundle.ts';
import { functionAliases } from '../../lib/shared/function-aliases.ts';
import { throughGateway } from './gateway.ts';

const entry = 'graphql/graphql-function.ts';

/** Everything of its entry but the connections, which are the test's. */
export async function bundledGraphql(): Promise<(...parts: Parameters<typeof createGraphqlFunctionType>) => GraphqlHandler> {
  const folder = mkdtempSync(join(tmpdir(), 'bundled-graphql-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  writeBundle(bundle(join(import.meta.dirname, '../../lambda'), [entry], functionAliases).get(entry)!, folder);
  const { createGraphqlFunction } = (await import(join(folder, 'index.mjs'))) as { createGraphqlFunction: typeof createGraphqlFunctionType };
  return (...parts) => {
    const handler = createGraphqlFunction(...parts);
    return (request, address) => throughGateway(handler, request, address);
  };
}
