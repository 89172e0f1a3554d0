// The MCP function: the operations as tools for agents, apart from REST, as its library is large.
import { readEnvironment, readPaymentEnvironment } from '../api/environment.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { connectPaymentProviders } from '../ports/payment-providers.ts';
import { createMcpFunction } from './mcp-function.ts';

const environment = readEnvironment(process.env);
const connections = await connectAws(environment, 1, jsonLog);
const providers = await connectPaymentProviders(readPaymentEnvironment(process.env).secretARN, connections.origin);

export const handler = createMcpFunction({ ...connections, ...providers }, environment, jsonLog);
