// How many calls of functions a stage has at once.
import type { SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';

/** Duration of most requests in seconds. */
const requestSeconds = 0.1;

/** Calls at once of each function that consumes a queue. Without RDS Proxy, it has the fewest that SQS allows. */
export function queueCallsMax({ databaseProxy }: { readonly databaseProxy: boolean }): number {
  return databaseProxy ? 10 : 2;
}

/** Calls of the functions of REST, MCP, GraphQL and identity at once, if each takes as long as most. */
export function requestsAtOnce({ apiRequestsPerSecond }: { readonly apiRequestsPerSecond: number }): number {
  return Math.ceil(apiRequestsPerSecond * requestSeconds);
}

/** How a function consumes its queue. Calls are limited, so that waiting ones do not occupy the database. */
export function consumption(settings: { readonly databaseProxy: boolean }): SqsEventSourceProps {
  return { batchSize: 10, maxConcurrency: queueCallsMax(settings), reportBatchItemFailures: true };
}
