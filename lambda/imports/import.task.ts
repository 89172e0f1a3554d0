// An import worker in AWS: the process of an ECS task. On one machine it runs inside the agent (bin/local/agent.ts).
import { createServer } from 'node:http';
import { newID } from '../data/shared/new-id.ts';
import { jsonLog } from '../log.ts';
import { connectDatabase, connectSealer } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { createSQSCommandQueue } from '../ports/command-queue/sqs-command-queue.ts';
import { createS3ObjectStore } from '../ports/object-store/s3-object-store.ts';
import { createSTSRoleSessions } from '../ports/role-sessions/sts-role-sessions.ts';
import { describeEcsTask } from '../container/ecs-task.ts';
import { agentHealthPort } from '../publisher/environment.ts';
import { createNameResolver } from '../ports/outbound/name-resolver.ts';
import { measures } from '../telemetry/measures.ts';
import { answerMetrics } from '../telemetry/metrics-page.ts';
import { observePool, observeProcess } from '../telemetry/process-measures.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { readImportEnvironment } from './environment.ts';
import { importLimits } from './import-limits.ts';
import { importWorkerDefaults, runImportWorker } from './import-worker.ts';
import { pollMs, runScanWorker } from './sources/scan-worker.ts';

const keepEveryMs = 60_000;

const environment = readImportEnvironment(process.env);
const clock = () => new Date();
const steadyClock = () => performance.now();
const task = await describeEcsTask(process.env, environment.releaseParameter, environment.databaseRegion, steadyClock);
// A worker reads untrusted bytes, so it gets no secrets, and only the key that opens credentials of sources.
const pool = connectDatabase(environment, poolSizes.importWorker);
const sourceSealer = await connectSealer(pool, environment, 'sources');

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
// The health check answers as long as the event loop runs.
const health = createServer((request, response) => {
  if (!answerMetrics(measures, request, response)) response.end();
}).listen(agentHealthPort, '127.0.0.1');
observeProcess(measures);
observePool(measures, pool);
const telemetry = startTelemetry({ env: process.env, service: 'imports', instanceID: task.arn, log: jsonLog });
let importsUnderWay = 0;
const keeping = setInterval(keepTask, keepEveryMs);

try {
  const options = {
    pool,
    queue: createSQSCommandQueue({ pool, queueURLs: environment.queueURLs, log: jsonLog }),
    objects: createS3ObjectStore({ bucket: environment.uploadsBucket }),
    ...importWorkerDefaults,
    limitFactor: environment.limitFactor,
    source: {
      allowPrivateAddresses: environment.allowPrivateAddresses,
      resolve: createNameResolver(),
      limits: importLimits,
    },
    sourceSealer,
    roles: createSTSRoleSessions(environment.rolePrincipal, { region: environment.databaseRegion }),
    steadyClock,
    random: Math.random,
    pollMs,
    newID: (prefix: string) => newID(prefix, clock()),
    clock,
    log: jsonLog,
    onLoad(count: number) {
      importsUnderWay = count;
      keepTask();
    },
  };
  await Promise.all([runImportWorker(options, stopping.signal), runScanWorker(options, stopping.signal)]);
} finally {
  clearInterval(keeping);
  health.close();
  await telemetry?.[Symbol.asyncDispose]();
  await pool.end();
}

function keepTask(): void {
  void task.keepWhile(() => importsUnderWay > 0).catch((error: unknown) => jsonLog('task_not_protected', { error }));
}
