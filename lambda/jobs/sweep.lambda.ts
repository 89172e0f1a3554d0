// The function that sweeps. EventBridge calls it every minute.
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { jsonLog } from '../log.ts';
import { connectDatabase } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { createSQSCommandQueue } from '../ports/command-queue/sqs-command-queue.ts';
import { createSchedulerTimers } from '../ports/timers/scheduler-timers.ts';
import { newID } from '../data/shared/new-id.ts';
import { readSweepEnvironment } from './environment.ts';
import { sweep } from './sweep.ts';

const environment = readSweepEnvironment(process.env);
const pool = connectDatabase(environment, poolSizes.sweep);
const queue = createSQSCommandQueue({ pool, queueURLs: environment.queueURLs, log: jsonLog });
// Only the sweep arms timers, so only its bundle contains their client.
const timers = createSchedulerTimers({
  scheduler: new SchedulerClient(),
  groupName: environment.timerGroup,
  queueARN: environment.timerQueueARN,
  roleARN: environment.timerRoleARN,
});

export async function handler(): Promise<void> {
  const startOptions = {
    settings: environment,
    newID: (prefix: string) => newID(prefix, new Date()),
    random: Math.random,
  };
  const turn = Math.floor(Date.now() / 60_000);
  await sweep({ pool, queue, timers, startOptions, storage: environment, clock: () => new Date(), turn });
}
