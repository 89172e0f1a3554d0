// The GraphQL surface on the service of a test file, called without a network.
import { createGraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import type { GraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import type { TestService, TestUser } from './service.ts';

export interface GraphqlAnswer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
  readonly body: any;
}

export const graphqlURL = 'http://127.0.0.1:3999/graphql';

/** Sends a query as JSON, with the API key of the user. */
export type Ask = (
  user: Pick<TestUser, 'apiKey'> | null,
  query: string,
  variables?: unknown,
  headers?: Record<string, string>,
) => Promise<GraphqlAnswer>;

export function graphqlOn(service: TestService): { readonly handler: () => GraphqlHandler; readonly ask: Ask } {
  let made: GraphqlHandler | undefined;
  const handler = () => (made ??= createGraphqlHandler(service.service()));
  return {
    handler,
    async ask(user, query, variables, headers = {}) {
      const request = new Request(graphqlURL, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(user ? { 'x-api-key': user.apiKey } : {}), ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const response = await handler()(request, '192.0.2.1');
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
  };
}
