// An agent process of the local run: the agent of AWS with local adapters of all ports, and workers of imports.
import { randomUUID } from 'node:crypto';
import { jsonLog } from '../../lambda/log.ts';
import type { Log } from '../../lambda/log.ts';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import { importLimits } from '../../lambda/imports/import-limits.ts';
import { importWorkerDefaults, runImportWorker } from '../../lambda/imports/import-worker.ts';
import { pollMs, runScanWorker } from '../../lambda/imports/sources/scan-worker.ts';
import { runAgent } from '../../lambda/publisher/agent/agent.ts';
import { Inspector } from '../../lambda/publisher/inspecting/inspector.ts';
import { createMediaWorker } from '../../lambda/publisher/media-worker.ts';
import { encoderChoice } from '../../lambda/publisher/media/choose-encoder.ts';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { limitWaits } from '../../lambda/data/shared/queryable.ts';
import { measures } from '../../lambda/telemetry/measures.ts';
import { observePool, observeProcess } from '../../lambda/telemetry/process-measures.ts';
import { startTelemetry } from '../../lambda/telemetry/telemetry.ts';
import { readAgentSettings } from './agent-environment.ts';
import { localSettings } from '../../lambda/settings.ts';
import { allowPrivateAddresses, connectLocally } from './connections.ts';

const settings = readAgentSettings();
/** The number of this process among the agents of the run: the last part of its supervisor's name. */
const agent = settings.supervisor.slice(settings.supervisor.lastIndexOf('/') + 1);
const log: Log = (event, fields) => jsonLog(event, { agent, ...fields });
const connections = await connectLocally(settings, settings.connections, log);
limitWaits(connections.pool);
const tools = { ffmpegPath: settings.ffmpegPath, ffprobePath: settings.ffprobePath };
const { encoder } = settings;
const inspector = new Inspector({ ...connections, tools, limitFactor: localSettings.limitFactor, log });
const clock = () => new Date();

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
// The channel closes when the supervisor is gone, however it ended. No process of a run may outlive it.
process.on('disconnect', () => stopping.abort());

const importOptions = {
  ...connections,
  ...importWorkerDefaults,
  limitFactor: localSettings.limitFactor,
  roles: null,
  source: { allowPrivateAddresses, resolve: createNameResolver(), limits: importLimits },
  steadyClock: () => performance.now(),
  random: Math.random,
  pollMs,
  newID: (prefix: string) => newID(prefix, clock()),
  clock,
  log,
};
const agentID = `agent_${agent}_${randomUUID()}`;
observeProcess(measures);
observePool(measures, connections.pool);
const telemetry = startTelemetry({ env: process.env, service: 'agent', instanceID: agentID, log });
// The site shows the measurements of all processes of the run.
process.on('message', (asked) => void process.send?.({ asked, measured: measures.read() }));

const importing = Promise.all([
  runImportWorker(importOptions, stopping.signal),
  runScanWorker(importOptions, stopping.signal),
]);
await runAgent(
  {
    ...connections,
    agentID,
    supervisor: settings.supervisor,
    release: 'local',
    capacity: settings.capacity,
    zone: null,
    peering: { host: '127.0.0.1', port: 0, address: '127.0.0.1' },
    backends: streamBackends,
    settings: { ...localSettings, allowPrivateAddresses, legacyRtmpURL: settings.legacyRtmpURL },
    tools,
    encoder,
    handleMedia: createMediaWorker({
      ...connections,
      tools,
      encoderOf: encoderChoice(tools, log, encoder),
      random: Math.random,
      limitFactor: localSettings.limitFactor,
      log,
      onContent: () => inspector.wake(),
    }),
    inspector,
    startOptions: { newID: importOptions.newID, random: Math.random },
    steadyClock: () => performance.now(),
    log,
  },
  stopping.signal,
);
await importing;
await telemetry?.[Symbol.asyncDispose]();
await connections.pool.end();
// An open message channel to the supervisor would keep this process alive.
if (process.connected) process.disconnect();
