// The function that applies due changes of streams. The queue 'timers' calls it.
import { jsonLog } from '../log.ts';
import { connectDatabase } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { createSQSCommandQueue } from '../ports/command-queue/sqs-command-queue.ts';
import { newID } from '../data/shared/new-id.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import { measuredFunction } from '../telemetry/telemetry.ts';
import { tracedRecords } from '../telemetry/traced-records.ts';
import { readTimersEnvironment } from './environment.ts';
import { createTimersHandler } from './timers.ts';

const environment = readTimersEnvironment(process.env);
const pool = connectDatabase(environment, poolSizes.timersJob);
const queue = createSQSCommandQueue({ pool, queueURLs: environment.queueURLs, log: jsonLog });
const clock = () => new Date();
const startOptions = { settings: environment, newID: (prefix: string) => newID(prefix, clock()), random: Math.random };

/** Well below the function's timeout. Agents or the sweep apply the rest. */
const dueMs = 15_000;

const fire: QueueHandler = (event) =>
  createTimersHandler({ pool, queue, startOptions, clock, signal: AbortSignal.timeout(dueMs) })(event);

export const handler = measuredFunction(
  { env: process.env, service: 'jobs', log: jsonLog },
  tracedRecords('timers', fire),
);
