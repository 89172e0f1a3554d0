// The function behind the queue 'webhooks'.
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { newID } from '../data/shared/new-id.ts';
import { attemptSeconds } from '../domain/notices/webhook-retries.ts';
import { jsonLog } from '../log.ts';
import { connectDatabase, connectSealer } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { followOrigin } from '../ports/aws/public-origin.ts';
import { createSESMailer } from '../ports/mailer/ses-mailer.ts';
import { createNameResolver } from '../ports/outbound/name-resolver.ts';
import { telegramURL } from './deliver-alerts.ts';
import { measuredFunction } from '../telemetry/telemetry.ts';
import { tracedRecords } from '../telemetry/traced-records.ts';
import { readWebhookEnvironment } from './environment.ts';
import { createWebhooksHandler } from './webhooks.ts';

const { mailFrom, mailSets, ...environment } = readWebhookEnvironment(process.env);
// Several events are recorded at the same time.
const pool = connectDatabase(environment, poolSizes.webhooks);
const sealer = await connectSealer(pool, environment);

const connections = {
  pool,
  sealer,
  // In AWS, a webhook must never reach the VPC.
  attempts: { allowPrivateAddresses: false, resolve: createNameResolver(), timeoutMs: attemptSeconds * 1000 },
  mailer: mailFrom === null ? null : createSESMailer(new SESv2Client(), mailFrom, mailSets),
  telegramURL,
  newID: (prefix: string) => newID(prefix, new Date()),
  clock: () => new Date(),
  steadyClock: () => performance.now(),
  random: Math.random,
  log: jsonLog,
  signal: new AbortController().signal,
};

export const handler = measuredFunction(
  { env: process.env, service: 'jobs', log: jsonLog },
  await followOrigin(environment, (siteURL) =>
    tracedRecords('webhooks', createWebhooksHandler({ ...connections, siteURL })),
  ),
);
