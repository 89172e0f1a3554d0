// Keeps agent processes running: one that dies is started again at once, and what it held is free at once.
import { join } from 'node:path';
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import type { Log } from '../../lambda/log.ts';
import { recoverReplicas } from '../../lambda/orchestration/recover-replicas.ts';
import { redeliver } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { environmentOf } from './agent-environment.ts';
import type { AgentSettings } from './agent-environment.ts';
import { startChild } from './child-process.ts';
import type { RunningChild } from './child-process.ts';

export interface AgentSupervisor {
  /** Ends the agents; they give back what they hold. */
  stop(): Promise<void>;
}

interface Supervising {
  readonly settings: AgentSettings;
  readonly pool: Pool;
  readonly writeLog: (line: string) => void;
  readonly log: Log;
}

/** An agent that cannot even start is not started in a tight loop. */
const restartDelayMs = 500;
const stopGraceMs = 8000;

/** Nobody else supervises agents under the name in `settings.supervisor`; the slots there are all agents' together. */
export async function superviseAgents(count: number, supervising: Supervising): Promise<AgentSupervisor> {
  const { settings, pool } = supervising;
  // None of them lives at this moment: what one has a lease on, or a command that one took, is free.
  await databaseOn(pool).agents.expireOfSupervisor(settings.supervisor);
  await recoverReplicas(pool);
  await databaseOn(pool).imports.freeAll();
  await redeliver(pool, null);
  const slots = Math.ceil(settings.slots / count);
  const agents = Array.from({ length: count }, (_, index) => {
    const supervisor = `${settings.supervisor}/${index + 1}`;
    return superviseAgent(
      { ...supervising, settings: { ...settings, slots, supervisor, consumer: supervisor } },
      count === 1,
    );
  });
  return {
    async stop() {
      await Promise.all(agents.map((agent) => agent.stop()));
    },
  };
}

function superviseAgent({ settings, pool, writeLog, log }: Supervising, isAlone: boolean): AgentSupervisor {
  let stopping = false;
  let child: RunningChild;
  let restart: NodeJS.Timeout | undefined;

  const buryDead = async () => {
    await databaseOn(pool).agents.expireOfSupervisor(settings.supervisor);
    await recoverReplicas(pool);
    await redeliver(pool, settings.supervisor);
    // Imports do not say whose they are; where there are others, they are free when their leases are over.
    if (isAlone) await databaseOn(pool).imports.freeAll();
  };
  const start = () => {
    child = startChild({
      command: process.execPath,
      args: [join(import.meta.dirname, 'agent.ts')],
      env: environmentOf(settings),
      ipc: true,
      log: writeLog,
    });
    void child.exited.then(async (exit) => {
      if (stopping) return;
      log('agent_died', { ...exit });
      await buryDead().catch((error: unknown) => log('agent_not_buried', { error }));
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
  };
}
