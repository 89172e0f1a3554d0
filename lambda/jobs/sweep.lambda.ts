// The minute sweep: called by EventBridge.
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { readEnvironment } from '../api/environment.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { createSchedulerTimers } from '../ports/timers/scheduler-timers.ts';
import { newID } from '../data/new-id.ts';
import { sweep } from './sweep.ts';

const environment = readEnvironment(process.env);
const { pool, queue } = await connectAws(environment, 1, jsonLog);
// Only the sweep arms timers, so only its bundle holds their client.
const timers = createSchedulerTimers({
  scheduler: new SchedulerClient(),
  groupName: environment.timerGroup,
  queueARN: environment.timerQueueARN,
  roleARN: environment.timerRoleARN,
});

export async function handler(): Promise<void> {
  const starting = { settings: environment, newID: (prefix: string) => newID(prefix, new Date()), random: Math.random };
  await sweep({ pool, queue, timers, starting, clock: () => new Date() });
}
