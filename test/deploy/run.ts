// `npm run test:deploy`: deploys the platform into an emulator of AWS, uses it as a client does, and deploys it again as an update.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { startPostgres } from '../../bin/local/postgres.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashApiKey } from '../../lambda/surfaces/authenticate.ts';
import { startEmulator } from '../support/aws-emulator.ts';
import { onServer, urlOfDatabase } from '../support/database.ts';
import { apiClient } from '../support/local-run.ts';
import {
  assertOtherBytesRefused,
  assertSeenByAgents,
  assertSeenByFrontEnds,
  createWebhook,
  prepareStream,
  scheduleStream,
  startStream,
  takePublishCommand,
  timerArmed,
  timerFired,
  webhookAttempted,
} from './client-session.ts';
import { changedRetentionDays, EmulatedAccount } from './emulated-account.ts';
import type { DeployedResources } from './emulated-account.ts';
import { startMediaWorker } from './media-worker.ts';
import { databaseHost, masterCredentials, startPostgresProxy } from './postgres-proxy.ts';

const stepTimeoutMs = 3 * 60_000;
const quotedLines = 60;
const databaseName = 'platform';
const apiKey = 'lss_of_the_deploy_test';
/** What the emulator and the programs of ours in it print, the end of it. */
const output: string[] = [];

const lacking = ['python3', 'openssl'].filter((command) => spawnSync(command, ['--version']).error);
if (lacking.length > 0)
  console.log(`skipped: the deploy test needs ${lacking.join(' and ')}, which this machine lacks`);
else process.exit(await run());

/** @returns the exit code */
async function run(): Promise<number> {
  const cleanup = new AsyncDisposableStack();
  const interrupted = Promise.withResolvers<never>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => interrupted.reject(new Error(`interrupted by ${signal}`)));
  try {
    await Promise.race([deployTwice(cleanup), interrupted.promise]);
    return 0;
  } catch (error) {
    console.error(output.join('\n'));
    console.error(error);
    return 1;
  } finally {
    await cleanup.disposeAsync();
  }
}

async function deployTwice(cleanup: AsyncDisposableStack): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'deploy-test-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const database = await step('A Postgres that is reached as RDS Proxy is', () => startDatabase(cleanup, folder));
  const emulator = await step('An emulator of AWS', () => startEmulator(database.environment, log));
  cleanup.defer(() => emulator.stop());
  const account = new EmulatedAccount(emulator.clientConfig, folder);
  cleanup.defer(() => account.stop());

  await step('cdk bootstrap', () => account.bootstrap());
  await step('cdk deploy', () => account.deploy({ isChanged: false }));
  const deployed = await account.resources();
  await step('The deployment has migrated the database', async () =>
    assert.deepEqual([...database.users], [masterCredentials.username]),
  );

  const restApi = the('AWS::ApiGateway::RestApi', 'Api', deployed);
  const origin = `${emulator.clientConfig.endpoint}/restapis/${restApi}/live/_user_request_`;
  const api = apiClient({ apiURL: `${origin}/v1`, apiKey });
  const worker = the('AWS::ECS::TaskDefinition', 'MediaWorkers', deployed);
  const variables = await account.environmentOfTask(worker);
  const publishQueue = (JSON.parse(variables['QUEUE_URLS'] ?? '{}') as Record<string, string>)['publish-ffmpeg'] ?? '';
  const timerGroup = variables['TIMER_GROUP'] ?? '';
  const prepareStreams = (count: number) =>
    withMediaWorker(worker, { ...account.environment, ...database.environment, ...variables }, async () => {
      const streamIDs: string[] = [];
      while (streamIDs.length < count) streamIDs.push(await prepareStream(api));
      return streamIDs;
    });
  const preparation = 'Upload by presigned URL, examined; destination, stream, playlist, published';
  const startAndTakeCommand = async (streamID: string) =>
    takePublishCommand(account, publishQueue, await startStream(api, streamID));

  await createUser(database.url);
  await step('A presigned URL refuses other bytes than were announced', () => assertOtherBytesRefused(api));
  const [first = '', second = ''] = await step(`Twice: ${preparation}`, () => prepareStreams(2));
  assert.ok(database.users.has('service'), 'nobody has used the database by an IAM token');
  await step('A front end sees it', () => assertSeenByFrontEnds(`${origin}/graphql`, apiKey, first));
  const webhook = await createWebhook(api);
  await step('Start, and its command on the queue', () => startAndTakeCommand(first));
  await step('A webhook is told of it, as far as its name leads', () => webhookAttempted(api, webhook));
  await step('An agent sees it', () => assertSeenByAgents(`${origin}/mcp`, apiKey, first));
  const scheduled = await step('Schedule', () => scheduleStream(api, second));
  const armed = timerArmed(account, timerGroup);

  await step('cdk deploy of changes', () => account.deploy({ isChanged: true }));
  const jobLogs = the('AWS::Logs::LogGroup', 'TimersJob', deployed);
  await step(`The changes are there, and all ${deployed.size} resources are the same`, async () => {
    assert.equal(await account.retentionDays(jobLogs), changedRetentionDays);
    assertInPlace(deployed, await account.resources());
  });

  await step('The minute sweep has armed a timer', () => armed);
  await step('EventBridge Scheduler fires, and the stream moves', () =>
    timerFired(account, timerGroup, jobLogs, api, scheduled),
  );
  await step('Its command on the queue', () => takePublishCommand(account, publishQueue, scheduled.id));
  const [third = ''] = await step(preparation, () => prepareStreams(1));
  await step('Start, and its command on the queue', () => startAndTakeCommand(third));
}

/** The server is reached by TLS at a port of its own, which the driver takes from the environment, as it does what certificates to trust. */
async function startDatabase(cleanup: AsyncDisposableStack, folder: string) {
  const keyFile = join(folder, 'key.pem');
  const certificateFile = join(folder, 'certificate.pem');
  const names = ['-subj', '/CN=test', '-addext', `subjectAltName=DNS:${databaseHost}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  await promisify(execFile)('openssl', ['req', '-x509', ...key, '-days', '1', ...names, '-out', certificateFile]);

  const postgres = await startPostgres({ durable: false });
  cleanup.defer(() => postgres.stop());
  await onServer(postgres.url, `create database ${databaseName}`);
  const socketFolder = new URL(postgres.url).searchParams.get('host') ?? '';
  const certificate = { cert: await readFile(certificateFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
  const proxy = await startPostgresProxy({ socketFolder, certificate });
  cleanup.defer(() => proxy.close());
  return {
    url: urlOfDatabase(postgres.url, databaseName),
    users: proxy.users,
    environment: { PGPORT: String(proxy.port), NODE_EXTRA_CA_CERTS: certificateFile },
  };
}

/** As signing up and paying would. */
async function createUser(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url });
  const { accounts, billing } = databaseOn(pool);
  const userID = 'usr_of_the_deploy_test';
  await accounts.ensureUser({ id: userID, email: 'someone@example.com', name: 'Someone' });
  await accounts.ensureKey({
    id: 'key_of_the_deploy_test',
    userID,
    name: 'test',
    keySha256: hashApiKey(apiKey),
    keyStart: apiKey.slice(0, 10),
  });
  await billing.ensurePaidInvoice({
    id: 'inv_of_the_deploy_test',
    userID,
    type: 'adjustment',
    method: 'grant',
    cost: 0,
    credits: 1000,
  });
  await pool.end();
}

/** Only while it is needed, as an agent also starts streams that are due. The emulator gives what it has asked for last to nobody else for 20 s. */
async function withMediaWorker<Result>(
  taskDefinition: string,
  environment: NodeJS.ProcessEnv,
  work: () => Promise<Result>,
): Promise<Result> {
  const worker = await startMediaWorker(taskDefinition, environment, log);
  const result = await Promise.race([work(), worker.works]);
  await worker.stop();
  return result;
}

/** Physical id of the one resource of a type whose logical id has this in it. */
function the(type: string, inLogicalID: string, resources: DeployedResources): string {
  const found = [...resources].filter(
    ([id, resource]) => resource.type === type && id.split('/')[1]?.includes(inLogicalID),
  );
  assert.equal(found.length, 1, `${type} ${inLogicalID}`);
  return found[0]![1].physicalID;
}

/** @throws naming what has become another resource, or is gone; only a version of a function is another one each time */
function assertInPlace(before: DeployedResources, after: DeployedResources): void {
  const replaced = [...before].filter(
    ([id, { type, physicalID }]) => type !== 'AWS::Lambda::Version' && after.get(id)?.physicalID !== physicalID,
  );
  assert.deepEqual(replaced, []);
}

async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  const beganMs = performance.now();
  console.log(`… ${title}`);
  const timeout = new AbortController();
  const tooLong = setTimeout(stepTimeoutMs, undefined, { signal: timeout.signal }).then(() =>
    Promise.reject(new Error(`took longer than ${stepTimeoutMs / 1000} s: ${title}`)),
  );
  tooLong.catch(() => {});
  const result = await Promise.race([work(), tooLong]);
  timeout.abort();
  console.log(`✓ ${title} (${((performance.now() - beganMs) / 1000).toFixed(1)} s)`);
  return result;
}

function log(line: string): void {
  output.push(line);
  if (output.length > quotedLines) output.shift();
}
