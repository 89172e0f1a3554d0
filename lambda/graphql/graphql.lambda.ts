// The GraphQL function: a function of its own, so that those of REST do not start with its library.
import { readEnvironment, readPaymentEnvironment } from '../api/environment.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { connectPaymentProviders } from '../ports/payment-providers.ts';
import { createGraphqlFunction } from './graphql-function.ts';

const environment = readEnvironment(process.env);
const connections = await connectAws(environment, 1, jsonLog);
const providers = await connectPaymentProviders(readPaymentEnvironment(process.env).secretARN, connections.origin);

export const handler = createGraphqlFunction({ ...connections, ...providers }, environment, jsonLog);
