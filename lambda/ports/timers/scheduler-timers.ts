// The timers in AWS: one-time schedules of EventBridge Scheduler that send to the SQS queue 'timers' and then delete themselves.
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

/** A time in the past is refused, and the request takes a moment too. */
const shortestLeadSeconds = 5;

/**
 * Fires up to a minute late (EventBridge Scheduler user guide, "Schedule types": 60 second precision); agents fire due rows to the second.
 * Re-arming an id in the seconds after it fired can be lost with the schedule that is just being deleted; the minute sweep finds the row then.
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
          // It fired between the two requests.
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

/** Another name for every id, readable at its beginning: at most 64 letters, digits, `-`, `_` and `.`. */
export function scheduleName(id: string): string {
  return `${id.slice(0, 31).replaceAll(/[^\w.-]/g, '_')}-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** Whole seconds, rounded up so that nothing fires early. */
function scheduledTime(at: Date, now: Date): string {
  const seconds = Math.max(Math.ceil(at.getTime() / 1000), Math.ceil(now.getTime() / 1000) + shortestLeadSeconds);
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}
