// The function that a deployment calls before it creates a service of agents whose machines start only for streams.
import { jsonLog } from '../log.ts';
import { requiredVariable } from '../required-variable.ts';
import { readFirstCountEnvironment } from './environment.ts';
import { startWithNone } from './first-count.ts';

const agents = readFirstCountEnvironment(process.env);
const place = { region: requiredVariable(process.env, 'AWS_REGION') };

export async function handler(): Promise<void> {
  jsonLog('first_count', { outcome: await startWithNone(agents, place) });
}
