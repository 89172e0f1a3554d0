// An agent in AWS: the process of an ECS task. Its counterpart on one machine is bin/local/agent.ts.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { databaseOn } from '../data/database.ts';
import { limitWaits } from '../data/shared/queryable.ts';
import { jsonLog } from '../log.ts';
import { recoverReplicas } from '../orchestration/fleet/recover-replicas.ts';
import { connectDatabase, connectSealer } from '../ports/aws/connect-aws.ts';
import { createSQSCommandQueue } from '../ports/command-queue/sqs-command-queue.ts';
import { createS3ObjectStore } from '../ports/object-store/s3-object-store.ts';
import { newID } from '../data/shared/new-id.ts';
import { runAgent } from './agent/agent.ts';
import { capacityOf } from '../domain/fleet/capacity.ts';
import type { CarriedLoad } from './agent/agent-options.ts';
import { describeEcsTask } from '../container/ecs-task.ts';
import { TaskKeeper } from '../container/task-keeper.ts';
import { measures } from '../telemetry/measures.ts';
import { answerMetrics } from '../telemetry/metrics-page.ts';
import { observePool, observeProcess } from '../telemetry/process-measures.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { agentHealthPort, agentPeerPort, loadMetrics, readAgentEnvironment } from './environment.ts';
import { loadFields, untilNextReportMs } from './load-report.ts';
import type { LoadBackend } from './load-report.ts';
import { Inspector } from './inspecting/inspector.ts';
import { createMediaWorker } from './media-worker.ts';
import { chooseEncoder, encoderChoice } from './media/choose-encoder.ts';
import { readGpuFigures } from './media/gpu-figures.ts';
import { measureMachine } from './media/measure-machine.ts';
import { findMediaTools } from './media/media-tools.ts';

/** ECS kills a container two minutes after it has asked it to end (`stopTimeout` of lib/publishing/agents.ts). */
const returnsAfterMs = 90_000;
/** An agent with room claims what waits within a second or two. */
const claimedWithinSeconds = 10;

const environment = readAgentEnvironment(process.env);
const { backends, machineSeconds, releaseParameter, sealingKeyARN, region, databaseRegion } = environment;
const task = await describeEcsTask(process.env, releaseParameter, region, () => performance.now());
// An agent reads untrusted bytes, so it gets only the secrets that it needs: not the one that signs sessions, and the
// key to stream keys only if it publishes.
const pool = connectDatabase(environment, environment.databaseConnections);
const sealer = sealingKeyARN === null ? null : await connectSealer(pool, { sealingKeyARN });
const ofStage = { region: databaseRegion };
const objects = createS3ObjectStore({ bucket: environment.uploadsBucket, client: ofStage });
const queue = createSQSCommandQueue({ pool, queueURLs: environment.queueURLs, log: jsonLog, client: ofStage });
limitWaits(pool);
const tools = await findMediaTools(process.env);
const encoder = await chooseEncoder(tools, 'h264', jsonLog);
const capacity = capacityOf(await measureMachine({ tools, encoder, ...environment, log: jsonLog }));
const inspector = new Inspector({ pool, objects, tools, limitFactor: environment.limitFactor, log: jsonLog });
const clock = () => new Date();

// ECS may have restarted this container within its task: the replicas of the previous process are then free at once.
await databaseOn(pool).agents.declareDeadOfSupervisor(task.arn);
await recoverReplicas(pool);

const stopping = new AbortController();
/** Aborted when media commands under way must be given back to the queue. */
const returning = new AbortController();
process.on('SIGTERM', () => {
  stopping.abort();
  setTimeout(() => returning.abort(), returnsAfterMs).unref();
});
// The health check answers as long as the event loop runs. It does not query the database, since an agent continues to
// send without one. A scraper in the task can read metrics here.
const health = createServer((request, response) => {
  if (!answerMetrics(measures, request, response)) response.end();
}).listen(agentHealthPort, '127.0.0.1');
const agentID = `agent_${randomUUID()}`;
observeProcess(measures);
observePool(measures, pool);
const telemetry = startTelemetry({ env: process.env, service: 'agent', instanceID: agentID, log: jsonLog });
let load: CarriedLoad = { replicas: { ffmpeg: 0, manifest: 0 }, usedShare: 0, behindReason: null };
const keeper = new TaskKeeper<'replicas' | 'media commands'>(task, jsonLog);
let everyMinute = setTimeout(attendToTask, untilNextReportMs(clock()));

try {
  await runAgent(
    {
      pool,
      queue,
      objects,
      sealer,
      agentID,
      supervisor: task.arn,
      release: task.release,
      capacity,
      ...(machineSeconds !== null && { machineSeconds }),
      zone: task.zone,
      peering: { host: '0.0.0.0', port: agentPeerPort, address: backends.length > 0 ? task.address : null },
      backends,
      settings: environment,
      tools,
      encoder,
      handleMedia: createMediaWorker({
        pool,
        objects,
        tools,
        encoderOf: encoderChoice(tools, jsonLog, encoder),
        random: Math.random,
        limitFactor: environment.limitFactor,
        log: jsonLog,
        returning: returning.signal,
        onContent: () => inspector.wake(),
        onLoad: (commandsUnderWay) => keeper.setWork('media commands', commandsUnderWay),
      }),
      inspector,
      startOptions: { newID: (prefix) => newID(prefix, clock()), random: Math.random },
      steadyClock: () => performance.now(),
      log: jsonLog,
      onLoad: (current) => {
        load = current;
        // A replica that has been off the air for minutes takes no share, and is handed over like any other.
        keeper.setWork('replicas', current.usedShare);
      },
    },
    stopping.signal,
  );
} finally {
  clearTimeout(everyMinute);
  health.close();
  await telemetry?.[Symbol.asyncDispose]();
  await pool.end();
}

function attendToTask(): void {
  everyMinute = setTimeout(attendToTask, untilNextReportMs(clock()));
  reportLoad();
  if (machineSeconds !== null) void reportWaiting().catch((error: unknown) => hindered('report_waiting', error));
  if (encoder.codec === 'h264_nvenc') void reportGpu().catch((error: unknown) => hindered('report_gpu', error));
  keeper.everyMinute();
}

/** Reports the number of waiting streams, for scaling machines. Agents get some seconds to claim them first. */
async function reportWaiting(): Promise<void> {
  const { waiting } = loadMetrics;
  const count = await databaseOn(pool).replicaClaims.waitingFor('ffmpeg', claimedWithinSeconds);
  jsonLog('streams_waiting', metricsOf('ffmpeg', [[waiting, count]]));
}

function hindered(work: string, error: unknown): void {
  jsonLog('agent_hindered', { agentID, work, error: String(error) });
}

/** Writes the load to the log. */
function reportLoad(): void {
  const { replicas, capacityUsed, capacity: capacityThere } = loadMetrics;
  // An agent that does not keep up counts as full, whatever its streams should cost, so that further agents start.
  const used = load.behindReason === null ? load.usedShare : Math.max(1, load.usedShare);
  for (const backend of backends) {
    const values = [
      [replicas, load.replicas[backend]],
      [capacityUsed, 100 * used],
      [capacityThere, 100],
    ] as const;
    jsonLog('agent_load', metricsOf(backend, values));
  }
}

async function reportGpu(): Promise<void> {
  const figures = await readGpuFigures();
  if (figures === null) return;
  const { gpuEncoder, gpuDecoder, gpuMemory, gpuSessions } = loadMetrics;
  const values = [
    [gpuEncoder, figures.encoderPercent],
    [gpuDecoder, figures.decoderPercent],
    [gpuMemory, figures.memoryPercent],
    [gpuSessions, figures.sessions],
  ] as const;
  jsonLog('gpu_load', metricsOf(backends[0] ?? 'media', values));
}

/** Fields of a report. */
function metricsOf(backend: LoadBackend, values: Parameters<typeof loadFields>[1]) {
  return { ...loadFields({ cluster: task.cluster, backend, now: clock() }, values), encoder: encoder.codec };
}
