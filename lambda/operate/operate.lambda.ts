// The function of operators. It has no network endpoint, and accepts only sessions of the operators' role.
import { jsonLog } from '../log.ts';
import { connectDatabase } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { createSQSCommandQueue } from '../ports/command-queue/sqs-command-queue.ts';
import { createSQSDeadLetters } from '../ports/dead-letters/sqs-dead-letters.ts';
import { requiredVariable } from '../required-variable.ts';
import type { Reply } from './carry-out.ts';
import { readOperateEnvironment } from './environment.ts';
import { createOperate } from './operate.ts';

const environment = readOperateEnvironment(process.env);
const pool = connectDatabase(environment, poolSizes.operate);
const queue = createSQSCommandQueue({ pool, queueURLs: environment.queueURLs, log: jsonLog });
const operate = createOperate({
  pool,
  deadLetters: createSQSDeadLetters(environment),
  clock: () => new Date(),
  log: jsonLog,
  functionName: requiredVariable(process.env, 'AWS_LAMBDA_FUNCTION_NAME'),
  region: environment.databaseRegion,
  operatorRoleARN: environment.operatorRoleARN,
});

export async function handler(event: unknown): Promise<Reply> {
  const reply = await operate(event);
  // The deletion of content that was taken down is a command.
  await queue.relay();
  return reply;
}
