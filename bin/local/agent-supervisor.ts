// Keeps agent processes running: a dead agent is restarted, and others may claim its replicas at once.
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import type { Log } from '../../lambda/log.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { redeliver } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import type { Measured } from '../../lambda/telemetry/measures.ts';
import { environmentOf } from './agent-environment.ts';
import type { AgentSettings } from './agent-environment.ts';
import { startChild } from './child-process.ts';
import type { RunningChild } from './child-process.ts';

export interface AgentSupervisor {
  /** Stops the agents, which hand over their replicas. */
  stop(): Promise<void>;
  /** The measurements of the agents; none of an agent that does not answer soon. */
  readMeasures(): Promise<Measured[][]>;
}

interface SupervisorOptions {
  readonly settings: AgentSettings;
  readonly pool: Pool;
  /** Receives the output of agents, line by line. */
  readonly writeLog: (line: string) => void;
  readonly log: Log;
}

interface AgentOptions extends SupervisorOptions {
  /** Whether this is the only agent. */
  readonly isAlone: boolean;
}

/** Pause before a restart, so that an agent that dies while it starts is not restarted continuously. */
const restartDelayMs = 500;
const stopGraceMs = 8000;
const answersWithinMs = 1000;
/**
 * Almost all new objects of an agent are short-lived. V8 would keep up to 96 MiB for them under load, for example if a
 * destination floods the agent. With 24 MiB it collects more often, at almost no cost.
 */
export const youngHeap = '--max-semi-space-size=8';

/**
 * Starts agents and keeps them running.
 * @param options `settings.supervisor` is a name that no other supervisor has, and `settings.capacity` is the capacity
 *   of each agent
 */
export async function superviseAgents(count: number, options: SupervisorOptions): Promise<AgentSupervisor> {
  const { settings, pool } = options;
  // No agent of an earlier run is alive now, so their leases and commands are free.
  await databaseOn(pool).agents.declareDeadOfSupervisor(settings.supervisor);
  await recoverReplicas(pool);
  await databaseOn(pool).imports.freeAll();
  await databaseOn(pool).sources.freeAll();
  await redeliver(pool, null);
  const agents = Array.from({ length: count }, (_, index) => {
    const supervisor = `${settings.supervisor}/${index + 1}`;
    const ownSettings = { ...settings, supervisor, consumer: supervisor };
    return superviseAgent({ ...options, settings: ownSettings, isAlone: count === 1 });
  });
  return {
    async stop() {
      await Promise.all(agents.map((agent) => agent.stop()));
    },
    readMeasures: async () => (await Promise.all(agents.map((agent) => agent.readMeasures()))).flat(),
  };
}

function superviseAgent({ settings, pool, writeLog, log, isAlone }: AgentOptions): AgentSupervisor {
  let stopping = false;
  let child: RunningChild;
  let restart: NodeJS.Timeout | undefined;

  const freeWhatItHeld = async () => {
    await databaseOn(pool).agents.declareDeadOfSupervisor(settings.supervisor);
    await recoverReplicas(pool);
    await redeliver(pool, settings.supervisor);
    // Imports and sources do not record their agent. With several agents, they are free when their leases expire.
    if (isAlone) {
      await databaseOn(pool).imports.freeAll();
      await databaseOn(pool).sources.freeAll();
    }
  };
  const start = () => {
    child = startChild({
      command: process.execPath,
      args: [youngHeap, join(import.meta.dirname, 'agent.ts')],
      env: environmentOf(settings),
      ipc: true,
      log: writeLog,
    });
    void child.exited.then(async (exit) => {
      if (stopping) return;
      log('agent_died', { ...exit });
      await freeWhatItHeld().catch((error: unknown) => log('agent_not_buried', { error }));
      restart = setTimeout(start, restartDelayMs);
    });
  };
  start();

  return {
    async stop() {
      stopping = true;
      clearTimeout(restart);
      await child.stop('SIGTERM', stopGraceMs);
    },
    readMeasures: () => askForMeasures(child.process),
  };
}

interface MeasuresAnswer {
  readonly asked: string;
  readonly measured: Measured[];
}

function askForMeasures(agent: ChildProcess): Promise<Measured[][]> {
  if (!agent.connected) return Promise.resolve([]);
  const asked = randomUUID();
  const { promise, resolve } = Promise.withResolvers<Measured[][]>();
  const onMessage = (answer: unknown) => {
    const { asked: of, measured } = answer as MeasuresAnswer;
    if (of === asked) resolve([measured]);
  };
  const timer = setTimeout(() => resolve([]), answersWithinMs);
  agent.on('message', onMessage);
  agent.send(asked, () => {});
  return promise.finally(() => {
    clearTimeout(timer);
    agent.off('message', onMessage);
  });
}
