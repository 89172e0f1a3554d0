// The timers of AWS fulfil the contract.
import { CreateScheduleGroupCommand, ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { createSQSCommandQueue } from '../../lambda/ports/command-queue/sqs-command-queue.ts';
import { createSchedulerTimers, scheduleName } from '../../lambda/ports/timers/scheduler-timers.ts';
import { findAWSEmulator } from '../support/aws-emulator.ts';
import { testDatabase } from '../support/database.ts';
import { timersContract } from './timers-contract.ts';

const emulator = await findAWSEmulator();

describe.skipIf(emulator.missing)(`EventBridge Scheduler timers ${emulator.note}`, { timeout: 90_000 }, () => {
  const scheduler = new SchedulerClient(emulator.clientConfig);
  const sqs = new SQSClient(emulator.clientConfig);
  const database = testDatabase();
  afterAll(() => emulator.stop());

  timersContract(async () => {
    const groupName = randomUUID();
    await scheduler.send(new CreateScheduleGroupCommand({ Name: groupName }));
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `${groupName}-timers` }));
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    const timers = createSchedulerTimers({
      scheduler,
      groupName,
      queueARN: Attributes?.QueueArn ?? '',
      roleARN: 'arn:aws:iam::000000000000:role/scheduler',
    });
    const commandQueue = createSQSCommandQueue({
      client: emulator.clientConfig,
      pool: database.pool(),
      queueURLs: { timers: QueueUrl },
      log: () => {},
    });
    const armed = async () =>
      (await scheduler.send(new ListSchedulesCommand({ GroupName: groupName }))).Schedules?.length ?? 0;
    return { timers, commandQueue, armed };
  });
});

describe('names of schedules', () => {
  const id = fc.string({ unit: 'binary', maxLength: 100 });

  test('are valid for every id', () => {
    fc.assert(
      fc.property(id, (each) => {
        expect(scheduleName(each)).toMatch(/^[0-9a-zA-Z_.-]{1,64}$/);
      }),
    );
  });

  test('are different for different ids', () => {
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 2, maxLength: 20 }), (ids) => {
        expect(new Set(ids.map(scheduleName)).size).toBe(ids.length);
      }),
    );
  });
});
