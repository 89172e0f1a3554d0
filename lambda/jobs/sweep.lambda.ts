// The minute sweep: called by EventBridge.
import { readEnvironment } from '../api/environment.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { newID } from '../data/new-id.ts';
import { sweep } from './sweep.ts';

const environment = readEnvironment(process.env);
const { pool, queue, timers } = await connectAws(environment, 1, jsonLog);

export async function handler(): Promise<void> {
  const starting = { settings: environment, newID: (prefix: string) => newID(prefix, new Date()), random: Math.random };
  await sweep({ pool, queue, timers, starting, clock: () => new Date() });
}
