// An agent in AWS: the process of an ECS task. The counterpart of bin/local/agent.ts.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { readEnvironment } from '../api/environment.ts';
import { databaseOn } from '../data/database.ts';
import { limitWaits } from '../data/queryable.ts';
import { jsonLog } from '../log.ts';
import { recoverReplicas } from '../orchestration/recover-replicas.ts';
import { connectAws } from '../ports/aws.ts';
import { newID } from '../data/new-id.ts';
import { runAgent } from './agent.ts';
import type { AgentLoad } from './agent-options.ts';
import { describeEcsTask } from './ecs-task.ts';
import { agentHealthPort, agentPeerPort, loadMetrics, readAgentEnvironment } from './environment.ts';
import { createMediaWorker } from './media-worker.ts';
import { chooseEncoder, encoderChoice, encodingSlots } from './media/choose-encoder.ts';
import { findMediaTools } from './media/media-tools.ts';

const minuteMs = 60_000;
const databaseConnections = 10;

const platform = readEnvironment(process.env);
const { backends, slots: slotsGiven, releaseParameter } = readAgentEnvironment(process.env);
const task = await describeEcsTask(process.env, releaseParameter, platform.databaseRegion, () => performance.now());
// Agents give out no addresses, and run before the public one is known.
const connections = await connectAws({ ...platform, origin: '' }, databaseConnections, jsonLog);
limitWaits(connections.pool);
const tools = await findMediaTools(process.env);
const encoder = await chooseEncoder(tools, 'h264', jsonLog);
const slots = backends.includes('ffmpeg') ? encodingSlots(encoder, slotsGiven, availableParallelism()) : slotsGiven;
const clock = () => new Date();

// The container was started again in its task: what its last process held is free at once.
await databaseOn(connections.pool).agents.expireOfSupervisor(task.arn);
await recoverReplicas(connections.pool);

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
// Answers as long as the event loop turns. It says nothing of the database: without one an agent goes on sending.
const health = createServer((_request, response) => response.end()).listen(agentHealthPort, '127.0.0.1');
let load: AgentLoad = { replicas: 0, slotsUsed: 0 };
let everyMinute = setTimeout(attendToTask, untilNextReportMs());

try {
  await runAgent(
    {
      ...connections,
      agentID: `agent_${randomUUID()}`,
      supervisor: task.arn,
      release: task.release,
      slots,
      zone: task.zone,
      peering: { host: '0.0.0.0', port: agentPeerPort, address: backends.length > 0 ? task.address : null },
      backends,
      settings: platform,
      tools,
      encoder,
      handleMedia: createMediaWorker({
        ...connections,
        tools,
        encoderOf: encoderChoice(tools, jsonLog, encoder),
        random: Math.random,
        log: jsonLog,
      }),
      starting: { newID: (prefix) => newID(prefix, clock()), random: Math.random },
      steadyClock: () => performance.now(),
      log: jsonLog,
      onLoad: (current) => {
        const isFirst = load.replicas === 0 && current.replicas > 0;
        load = current;
        if (isFirst) keepProtected();
      },
    },
    stopping.signal,
  );
} finally {
  clearTimeout(everyMinute);
  health.close();
  await connections.pool.end();
}

/** Half past each minute, so that each minute of the metrics has one report of each agent. */
function untilNextReportMs(): number {
  return minuteMs - ((clock().getTime() + minuteMs / 2) % minuteMs);
}

function attendToTask(): void {
  everyMinute = setTimeout(attendToTask, untilNextReportMs());
  reportLoad();
  keepProtected();
}

function keepProtected(): void {
  void task.keepWhile(() => load.replicas > 0).catch((error: unknown) => jsonLog('task_not_protected', { error }));
}

/** CloudWatch makes metrics of it (embedded metric format). */
function reportLoad(): void {
  const { namespace: Namespace, replicas, slotsUsed, slots: slotsThere } = loadMetrics;
  const Metrics = [replicas, slotsUsed, slotsThere].map((Name) => ({ Name, Unit: 'Count' }));
  const _aws = {
    Timestamp: clock().getTime(),
    CloudWatchMetrics: [{ Namespace, Dimensions: [['Cluster', 'Backend']], Metrics }],
  };
  const values = { [replicas]: load.replicas, [slotsUsed]: load.slotsUsed, [slotsThere]: slots };
  for (const Backend of backends)
    jsonLog('agent_load', { _aws, Cluster: task.cluster, Backend, encoder: encoder.codec, ...values });
}
