// Timers in AWS: schedules of EventBridge Scheduler. Each sends to the SQS queue 'timers' once.
import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import type { CreateScheduleCommandInput, SchedulerClient } from '@aws-sdk/client-scheduler';
import { createHash } from 'node:crypto';
import type { Timers } from './timers.ts';

export interface SchedulerTimersOptions {
  readonly scheduler: SchedulerClient;
  readonly groupName: string;
  readonly queueARN: string;
  /** Lets the scheduler send to that queue. */
  readonly roleARN: string;
  readonly now?: () => Date;
}

/** Least lead in seconds: the scheduler refuses a time in the past, and the request takes a moment too. */
const shortestLeadSeconds = 5;

/**
 * Timers that fire up to a minute late (EventBridge Scheduler user guide, "Schedule types": 60 second precision).
 * Agents fire due times to the second. A timer that is armed again just after it fired can be lost, while the scheduler
 * deletes its schedule; the sweep of every minute then finds the due time. Decision D5.
 */
export function createSchedulerTimers({
  scheduler,
  groupName,
  queueARN,
  roleARN,
  now = () => new Date(),
}: SchedulerTimersOptions): Timers {
  return {
    async arm(id, at, body) {
      const schedule: CreateScheduleCommandInput = {
        Name: scheduleName(id),
        GroupName: groupName,
        ScheduleExpression: `at(${scheduledTime(at, now())})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: { Arn: queueARN, RoleArn: roleARN, Input: JSON.stringify(body) },
      };
      try {
        await scheduler.send(new CreateScheduleCommand(schedule));
      } catch (error) {
        if (!(error instanceof ConflictException)) throw error;
        await scheduler.send(new UpdateScheduleCommand(schedule)).catch(async (error: unknown) => {
          if (!(error instanceof ResourceNotFoundException)) throw error;
          // The former schedule fired between the two requests, and is gone.
          await scheduler.send(new CreateScheduleCommand(schedule));
        });
      }
    },
    async disarm(id) {
      try {
        await scheduler.send(new DeleteScheduleCommand({ Name: scheduleName(id), GroupName: groupName }));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
  };
}

/** Name of an id's schedule: the beginning of the id, and its hash. At most 64 letters, digits, `-`, `_` and `.`. */
export function scheduleName(id: string): string {
  return `${id.slice(0, 31).replaceAll(/[^\w.-]/g, '_')}-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** The scheduler's form of a time, in whole seconds: rounded up, so that nothing fires early. */
function scheduledTime(at: Date, now: Date): string {
  const seconds = Math.max(Math.ceil(at.getTime() / 1000), Math.ceil(now.getTime() / 1000) + shortestLeadSeconds);
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}
