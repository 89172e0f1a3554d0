// Called by the queue 'webhooks'.
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { readEnvironment } from '../api/environment.ts';
import { attemptSeconds } from '../domain/webhook-retries.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { createSESMailer } from '../ports/mailer/ses-mailer.ts';
import { resolveBySystem } from '../ports/outbound/checked-lookup.ts';
import { readWebhookEnvironment } from './environment.ts';
import { createWebhooksHandler } from './webhooks.ts';

const { allowPrivateAddresses, ...environment } = readEnvironment(process.env);
const { mailFrom } = readWebhookEnvironment(process.env);
// Several events are settled at once.
const connections = await connectAws(environment, 4, jsonLog);

export const handler = createWebhooksHandler({
  ...connections,
  attempts: { allowPrivateAddresses, resolve: resolveBySystem, timeoutMs: attemptSeconds * 1000 },
  mailer: mailFrom === null ? null : createSESMailer(new SESv2Client(), mailFrom),
  siteURL: connections.origin,
  clock: () => new Date(),
  steadyClock: () => performance.now(),
  random: Math.random,
  log: jsonLog,
  signal: new AbortController().signal,
});
