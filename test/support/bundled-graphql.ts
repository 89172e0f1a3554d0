// The GraphQL function as deployed, behind API Gateway and the distribution.
import type * as Module from '../../lambda/api/graphql-function.ts';
import type { GraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { importBundled } from './bundled-function.ts';
import { throughDistribution } from './distribution.ts';

export async function bundledGraphql(): Promise<
  (...parts: Parameters<typeof Module.createGraphqlFunction>) => GraphqlHandler
> {
  const { createGraphqlFunction } = await importBundled<typeof Module>('api/graphql-function.ts');
  return (...parts) => {
    const handler = createGraphqlFunction(...parts);
    return (request, address) => throughDistribution(handler, request, address);
  };
}
