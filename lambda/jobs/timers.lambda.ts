// Called by the queue 'timers'.
import { readEnvironment } from '../api/environment.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { newID } from '../data/new-id.ts';
import { createTimersHandler } from './timers.ts';

const environment = readEnvironment(process.env);
const { pool, queue } = await connectAws(environment, 1, jsonLog);
const clock = () => new Date();
const starting = { settings: environment, newID: (prefix: string) => newID(prefix, clock()), random: Math.random };

export const handler = createTimersHandler({ pool, queue, starting, clock });
