// Recovers a stage in AWS from a restored database: its function Migration does it, call by call.
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { RecoveryRequest } from '../../lambda/migrate/recover-stage.ts';
import { callAws } from '../../lambda/ports/aws/call-aws.ts';
import { invokeFunction, openCredentials, outputsOfStack, regionOfStage } from '../stages/standing-functions.ts';
import type { RecoverArguments } from './command-line.ts';
import { planText } from './plan-text.ts';

/** The function works for four minutes at a time; the remaining work needs further calls. */
const timeoutMs = 290_000;
const pauseMs = 5000;

const answer = z.object({
  isDone: z.boolean(),
  plan: z.object({
    source: z.object({
      identity: z.string(),
      migrations: z.array(z.string()),
      tables: z.array(z.object({ name: z.string(), blocks: z.number(), bytes: z.number() })),
      users: z.number(),
      streams: z.number(),
      livingAgents: z.number(),
      lastSeen: z.coerce.date().nullable(),
    }),
    replaced: z.object({ users: z.number(), streams: z.number() }),
    copiedBytes: z.number(),
    isDone: z.boolean(),
    obstacles: z.array(z.string()),
  }),
});

/** @throws if there is no such stage, AWS refuses the caller, or the recovery is refused */
export async function recoverStanding({
  stage,
  isOwn,
  profile,
  from: host,
  secretARN,
  carryOut,
}: RecoverArguments): Promise<void> {
  const region = regionOfStage(stage, isOwn);
  const credentials = await openCredentials(region, profile);
  const functionName = (await outputsOfStack(`${stage}-Database`, region, credentials))('MigrationFunction');
  const { SecretString } = await callAws<{ SecretString: string }>(
    'secretsmanager',
    'GetSecretValue',
    { SecretId: secretARN },
    { region, credentials: await credentials() },
  );
  const { username, password } = JSON.parse(SecretString) as { username: string; password: string };
  const ask = async (request: RecoveryRequest) =>
    answer.parse(await invokeFunction({ functionName, region, credentials, event: { recover: request }, timeoutMs }));
  const looked = await ask({ host, username, password, carryOut: false });
  console.log(planText(looked.plan));
  if (!carryOut) {
    console.log('Nothing was changed. Add --carry-out to carry the plan out.');
    return;
  }
  const beganMs = performance.now();
  for (;;) {
    const { isDone, plan } = await ask({ host, username, password, carryOut: true });
    if (isDone) break;
    console.log(`${(plan.copiedBytes / 2 ** 20).toFixed(1)} MiB are copied`);
    await delay(pauseMs);
  }
  const minutes = ((performance.now() - beganMs) / 60_000).toFixed(1);
  console.log(`Done after ${minutes} minutes. The function Reconcile proves the books: invoke it now.`);
}
