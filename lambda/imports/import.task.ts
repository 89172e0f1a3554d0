// An import worker in AWS: the process of an ECS task. Here it runs beside the agent (bin/local/agent.ts).
import { createServer } from 'node:http';
import { readEnvironment } from '../api/environment.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { describeEcsTask } from '../publisher/ecs-task.ts';
import { agentHealthPort } from '../publisher/environment.ts';
import { resolveBySystem } from '../ports/outbound/checked-lookup.ts';
import { readImportEnvironment } from './environment.ts';
import { importLimits } from './import-limits.ts';
import { importWorkerDefaults, runImportWorker } from './import-worker.ts';

const keepEveryMs = 60_000;
const databaseConnections = 4;

const platform = readEnvironment(process.env);
const steadyClock = () => performance.now();
const task = await describeEcsTask(
  process.env,
  readImportEnvironment(process.env).releaseParameter,
  platform.databaseRegion,
  steadyClock,
);
// Workers give out no addresses, and run before the public one is known.
const connections = await connectAws({ ...platform, origin: '' }, databaseConnections, jsonLog);

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
// Answers as long as the event loop turns.
const health = createServer((_request, response) => response.end()).listen(agentHealthPort, '127.0.0.1');
let importsUnderWay = 0;
const keeping = setInterval(keepTask, keepEveryMs);

try {
  await runImportWorker(
    {
      ...connections,
      ...importWorkerDefaults,
      source: { allowPrivateAddresses: platform.allowPrivateAddresses, resolve: resolveBySystem, limits: importLimits },
      steadyClock,
      random: Math.random,
      log: jsonLog,
      onLoad(count) {
        importsUnderWay = count;
        keepTask();
      },
    },
    stopping.signal,
  );
} finally {
  clearInterval(keeping);
  health.close();
  await connections.pool.end();
}

function keepTask(): void {
  void task.keepWhile(() => importsUnderWay > 0).catch((error: unknown) => jsonLog('task_not_protected', { error }));
}
