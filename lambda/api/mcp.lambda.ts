// The MCP function, which offers the operations as tools to AI clients.
// It is separate because its library is large.
import { connectProviders } from './connect-providers.ts';
import { readEnvironment, readPaymentEnvironment } from './environment.ts';
import { versionedLog } from '../log.ts';
import { connectAws } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { followOrigin } from '../ports/aws/public-origin.ts';
import { measuredFunction } from '../telemetry/telemetry.ts';
import { createMcpFunction } from './mcp-function.ts';

const log = versionedLog(process.env);
const environment = readEnvironment(process.env);
const connections = await connectAws(environment, poolSizes.surface, log);
const { secretARN } = readPaymentEnvironment(process.env);

export const handler = measuredFunction(
  { env: process.env, service: 'api', log },
  await followOrigin(environment, async (origin) =>
    createMcpFunction({ ...connections, ...(await connectProviders(secretARN, origin)), origin }, environment, log),
  ),
);
