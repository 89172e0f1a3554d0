// Called by the queue 'timers': something is due now. What it is stands in the rows; the message is only a wake-up.
import type { SQSBatchResponse } from 'aws-lambda';
import { readEnvironment } from '../api/environment.ts';
import { jsonLog } from '../log.ts';
import { fireDue } from '../orchestration/fire-due.ts';
import { connectAws } from '../ports/aws.ts';
import { newID } from '../surfaces/new-id.ts';

const environment = readEnvironment(process.env);
const { pool, queue } = await connectAws(environment, 1, jsonLog);

export async function handler(): Promise<SQSBatchResponse> {
  const clock = () => new Date();
  const fired = await fireDue(pool, { settings: environment, newID: (prefix) => newID(prefix, clock()), random: Math.random }, clock);
  await queue.relay();
  jsonLog('due_fired', { fired });
  return { batchItemFailures: [] };
}
