// The live ingest in AWS: the process of an ECS task. Its counterpart on one machine is bin/local/live-ingest.ts.
// Decision D249.
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { describeEcsTask } from '../container/ecs-task.ts';
import { TaskKeeper } from '../container/task-keeper.ts';
import { newID } from '../data/shared/new-id.ts';
import { limitWaits } from '../data/shared/queryable.ts';
import { ingestPlaces } from '../domain/live/ingest-places.ts';
import { jsonLog } from '../log.ts';
import { connectDatabase } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { createS3ObjectStore } from '../ports/object-store/s3-object-store.ts';
import { agentHealthPort, loadMetrics } from '../publisher/environment.ts';
import { loadFields, untilNextReportMs } from '../publisher/load-report.ts';
import { chooseEncoder, encoderChoice } from '../publisher/media/choose-encoder.ts';
import { findMediaTools } from '../publisher/media/media-tools.ts';
import { measures } from '../telemetry/measures.ts';
import { answerMetrics } from '../telemetry/metrics-page.ts';
import { observePool, observeProcess } from '../telemetry/process-measures.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { livePort, readLiveEnvironment } from './environment.ts';
import { LiveIngest } from './live-ingest.ts';
import { openRtmpListener } from './rtmp-listener.ts';

/** ECS kills a container two minutes after it has asked it to end (`stopTimeout` of lib/publishing/agent-tasks.ts). */
const sessionsEndAfterMs = 100_000;

const environment = readLiveEnvironment(process.env);
const { databaseRegion: region, uploadsBucket: bucket, cores, protocol, releaseParameter } = environment;
const clock = () => new Date();
const steadyClock = () => performance.now();
const task = await describeEcsTask(process.env, releaseParameter, region, steadyClock);
// An ingest reads strangers' bytes, so it gets no secret and no key: it knows contributors by hashes of their keys.
const pool = connectDatabase(environment, poolSizes.liveIngest);
limitWaits(pool);
const tools = await findMediaTools(process.env);
const encoder = await chooseEncoder(tools, 'h264', jsonLog);
const keeper = new TaskKeeper<'sessions'>(task, jsonLog);

const stopping = Promise.withResolvers<void>();
process.on('SIGTERM', () => stopping.resolve());
// The health check answers as long as the event loop runs.
const health = createServer((request, response) => {
  if (!answerMetrics(measures, request, response)) response.end();
}).listen(agentHealthPort, '127.0.0.1');
observeProcess(measures);
observePool(measures, pool);
const telemetry = startTelemetry({ env: process.env, service: 'live', instanceID: task.arn, log: jsonLog });
const door = new LiveIngest({
  pool,
  // The load balancer has no SRT.
  sealer: null,
  objects: createS3ObjectStore({ bucket, client: { region } }),
  tools,
  encoderFor: encoderChoice(tools, jsonLog, encoder),
  places: ingestPlaces(cores),
  onSessions: (count) => keeper.setWork('sessions', count),
  newID: (prefix) => newID(prefix, clock()),
  clock,
  steadyClock,
  log: jsonLog,
});
const listening = { door, host: '0.0.0.0', port: livePort, tls: null, proxyProtocol: true, protocol };
const listener = await openRtmpListener({ ...listening, log: jsonLog, steadyClock });
jsonLog('live_ingest_started', { task: task.arn, cores });
let everyMinute = setTimeout(attendToTask, untilNextReportMs(clock()));

try {
  await stopping.promise;
  // The load balancer sends new contributors to other tasks. Those who stay are disconnected, and connect there.
  await Promise.race([door.leave(), wait(sessionsEndAfterMs, undefined, { ref: false })]);
} finally {
  clearTimeout(everyMinute);
  await door[Symbol.asyncDispose]();
  await listener.close();
  health.close();
  await telemetry?.[Symbol.asyncDispose]();
  await pool.end();
}

function attendToTask(): void {
  everyMinute = setTimeout(attendToTask, untilNextReportMs(clock()));
  const { capacityUsed, capacity } = loadMetrics;
  const values = [[capacityUsed, (100 * door.placesInUse) / cores] as const, [capacity, 100] as const];
  jsonLog('live_load', loadFields({ cluster: task.cluster, backend: 'live', now: clock() }, values));
  keeper.everyMinute();
}
