// `npm run test:deploy`: deploys the platform into an emulator of AWS, uses it as a client does, and updates it.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { startEmulator } from '../support/aws-emulator.ts';
import { onServer, urlOfDatabase } from '../support/database.ts';
import { apiClient } from '../support/local-run.ts';
import {
  assertOtherBytesRefused,
  assertSeenByAIClients,
  assertSeenByFrontEnds,
  createWebhook,
  prepareStream,
  scheduleStream,
  startStream,
  stopStreams,
  takePublishCommand,
  timerArmed,
  timerFired,
  webhookAttempted,
} from './client-session.ts';
import { changedRetentionDays, EmulatedAccount } from './emulated-account.ts';
import type { DeployedResources } from './emulated-account.ts';
import { CallRecorder } from './call-recorder.ts';
import { liveThroughSecondDay } from './second-day.ts';
import { linesOf, newCalls } from './recorded-calls.ts';
import { startTask } from './task.ts';
import type { Task } from './task.ts';
import { importPrepareAndPublish } from './tasks.ts';
import type { TaskName } from './tasks.ts';
import { databaseHost, masterCredentials, startPostgresProxy } from './postgres-proxy.ts';

const stepTimeoutMs = 3 * 60_000;
/** Time for the tasks with all deployments in between. */
const secondDayTimeoutMs = 15 * 60_000;
const quotedLines = 60;
const databaseName = 'platform';
/** The name in app.ts. */
const stageName = 'emulated';
const apiKey = 'lss_of_the_deploy_test';
/** The last lines of output of the emulator and of our programs in it. */
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
  const recorder = new CallRecorder();
  cleanup.defer(() => recorder.close());
  const database = await step('A Postgres that is reached as RDS Proxy is', () =>
    startDatabase(cleanup, folder, recorder),
  );
  const recording = await recorder.environmentOfEmulator(folder);
  const emulator = await step('An emulator of AWS', () =>
    startEmulator({ ...database.environment, ...recording }, log),
  );
  recorder.forwardTo(emulator.clientConfig.endpoint);
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
  const start = async (name: TaskName): Promise<Task> => {
    const [id, { physicalID }] = entryOf('AWS::ECS::TaskDefinition', name, deployed);
    const caller = id.split('/')[1]!;
    const endpoint = await recorder.endpointFor(caller);
    const variables = await account.environmentOfTask(physicalID);
    return startTask({
      entry: name === 'ImportWorkers' ? 'imports/import.task.ts' : 'publisher/agent.task.ts',
      taskDefinition: physicalID,
      environment: {
        ...account.environment,
        ...database.environment,
        ...variables,
        ALLOW_PRIVATE_ADDRESSES: 'true',
        AWS_ENDPOINT_URL: endpoint,
        // The client of SQS calls the host in a queue's URL.
        QUEUE_URLS: variables['QUEUE_URLS']?.replaceAll(emulator.clientConfig.endpoint, endpoint),
        PGAPPNAME: caller,
      },
      log,
      onProtect: () => recorder.note({ caller, action: 'ecs:UpdateTaskProtection', resource: cluster, part: 'ID' }),
    });
  };
  const cluster = the('AWS::ECS::Cluster', 'Agents', deployed);
  const publishQueue = the('AWS::SQS::Queue', /CommandsPublishFfmpeg(?!DeadLetters)/, deployed);
  const timerGroup = the('AWS::Scheduler::ScheduleGroup', 'StreamTimers', deployed);
  const prepareStreams = (count: number) =>
    withMediaWorker(start, async () => {
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
  await step('The identity function shows its keys', async () => {
    const { status } = await fetch(`${origin}/api/auth/jwks`);
    assert.equal(status, 200);
  });
  const webhook = await createWebhook(api);
  await step('Start, and its command on the queue', () => startAndTakeCommand(first));
  await step('A webhook is told of it, as far as its name leads', () => webhookAttempted(api, webhook));
  await step('An AI client sees it', () => assertSeenByAIClients(`${origin}/mcp`, apiKey, first));
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
  await step('Streams that nobody has taken are stopped', () => stopStreams(api, [first, scheduled.id]));
  await step(
    'Tasks import, prepare, and take streams',
    () =>
      importPrepareAndPublish({
        api,
        databaseURL: database.url,
        waitingStreamID: third,
        start,
        hasCalled: (name, action) =>
          recorder.recorded.some((right) => right.caller.includes(name) && right.action === action),
        whileOnAir: (assertOnAir) => liveThroughSecondDay({ account, step, folder, assertOnAir }),
      }),
    secondDayTimeoutMs,
  );
  await step('Every call of AWS is one that is known', async () => assertKnown(recorder, await account.resources()));
}

/** `npm test` evaluates the known calls. `--record` adds the unknown ones. */
function assertKnown({ recorded, unknown, calls }: CallRecorder, resources: DeployedResources): void {
  assert.deepEqual(unknown, []);
  const lines = linesOf(recorded, resources, stageName);
  const rights = new Set(lines.map((line) => line.split(' ').slice(0, 2).join(' ')));
  console.log(`  ${calls} calls, ${lines.length} different ones, ${rights.size} rights of roles`);
  assert.deepEqual(newCalls(lines, { record: process.argv.includes('--record') }), []);
}

/**
 * Starts the database behind TLS, on a port of its own. The driver takes the port and the trusted certificates from the
 * environment.
 */
async function startDatabase(cleanup: AsyncDisposableStack, folder: string, recorder: CallRecorder) {
  const keyFile = join(folder, 'key.pem');
  const certificateFile = join(folder, 'certificate.pem');
  const names = ['-subj', '/CN=test', '-addext', `subjectAltName=DNS:${databaseHost}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  await promisify(execFile)('openssl', ['req', '-x509', ...key, '-days', '1', ...names, '-out', certificateFile]);

  const postgres = await startThrowawayPostgres();
  cleanup.defer(() => postgres.stop());
  await onServer(postgres.url, `create database ${databaseName}`);
  const socketFolder = new URL(postgres.url).searchParams.get('host') ?? '';
  const certificate = { cert: await readFile(certificateFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
  const proxy = await startPostgresProxy({
    socketFolder,
    certificate,
    onToken: (user, caller) => recorder.note({ caller, action: 'rds-db:connect', resource: databaseHost, part: user }),
  });
  cleanup.defer(() => proxy.close());
  return {
    url: urlOfDatabase(postgres.url, databaseName),
    users: proxy.users,
    environment: { PGPORT: String(proxy.port), NODE_EXTRA_CA_CERTS: certificateFile },
  };
}

/** Creates a user with a key and credits, as sign-up and payment would. */
async function createUser(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url });
  const { users, invoices } = databaseOn(pool);
  const userID = 'usr_of_the_deploy_test';
  await users.ensureUser({ id: userID, email: 'someone@example.com', name: 'Someone' });
  await users.ensureKey({
    id: 'key_of_the_deploy_test',
    userID,
    name: 'test',
    keySha256: hashApiKey(apiKey),
    keyStart: apiKey.slice(0, 10),
  });
  await invoices.ensurePaid({
    id: 'inv_of_the_deploy_test',
    userID,
    type: 'adjustment',
    method: 'grant',
    cost: 0,
    credits: 1000,
  });
  await pool.end();
}

/**
 * Runs a media worker only during some work, because every agent also starts due streams. For 20 s the emulator
 * reserves commands for the worker that requested them last.
 */
async function withMediaWorker<Result>(
  start: (name: TaskName) => Promise<Task>,
  work: () => Promise<Result>,
): Promise<Result> {
  const worker = await start('MediaWorkers');
  const result = await Promise.race([work(), worker.works]);
  await worker.stop();
  return result;
}

/** The one resource of a type whose logical id contains a text. */
function entryOf(type: string, inLogicalID: string | RegExp, resources: DeployedResources) {
  const found = [...resources].filter(
    ([id, resource]) => resource.type === type && id.split('/')[1]!.search(inLogicalID) >= 0,
  );
  assert.equal(found.length, 1, `${type} ${inLogicalID}`);
  return found[0]!;
}

/** The physical id of the one resource of a type whose logical id contains a text. */
function the(type: string, inLogicalID: string | RegExp, resources: DeployedResources): string {
  return entryOf(type, inLogicalID, resources)[1].physicalID;
}

/**
 * @throws the names of resources that were replaced or deleted. Only versions of functions may be replaced each time.
 */
function assertInPlace(before: DeployedResources, after: DeployedResources): void {
  const lasting = [...before].filter(([, { type }]) => type !== 'AWS::Lambda::Version');
  const replaced = lasting.filter(([id, { physicalID }]) => after.get(id)?.physicalID !== physicalID);
  assert.deepEqual(replaced, []);
}

/** Runs a step with its title on the console, and fails it after its time limit. */
async function step<Result>(title: string, work: () => Promise<Result>, timeoutMs = stepTimeoutMs): Promise<Result> {
  const beganMs = performance.now();
  console.log(`… ${title}`);
  const timeout = new AbortController();
  const tooLong = setTimeout(timeoutMs, undefined, { signal: timeout.signal }).then(() =>
    Promise.reject(new Error(`took longer than ${timeoutMs / 1000} s: ${title}`)),
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
