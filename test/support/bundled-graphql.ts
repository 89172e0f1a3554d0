// The GraphQL function as it is deployed, called with API Gateway's events.
import type * as Module from '../../lambda/graphql/graphql-function.ts';
import type { GraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { importBundled } from './bundled-function.ts';
import { throughGateway } from './gateway.ts';

export async function bundledGraphql(): Promise<
  (...parts: Parameters<typeof Module.createGraphqlFunction>) => GraphqlHandler
> {
  const { createGraphqlFunction } = await importBundled<typeof Module>('graphql/graphql-function.ts');
  return (...parts) => {
    const handler = createGraphqlFunction(...parts);
    return (request, address) => throughGateway(handler, request, address);
  };
}
