// Keeps an agent process running: one that dies is started again at once, and what it held is free at once.
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
  /** Ends the agent; it gives back what it holds. */
  stop(): Promise<void>;
}

/** An agent that cannot even start is not started in a tight loop. */
const restartDelayMs = 500;
const stopGraceMs = 8000;

export async function superviseAgent(settings: AgentSettings, pool: Pool, writeLog: (line: string) => void, log: Log): Promise<AgentSupervisor> {
  let stopping = false;
  let child: RunningChild;
  let restart: NodeJS.Timeout | undefined;

  // No agent of this supervisor lives at this moment: what one has a lease on, or a command that one took, is free.
  const buryDead = async () => {
    await databaseOn(pool).agents.expireOfSupervisor(settings.supervisor);
    await recoverReplicas(pool);
    await databaseOn(pool).imports.freeAll();
    await redeliver(pool);
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
  await buryDead();
  start();

  return {
    async stop() {
      stopping = true;
      clearTimeout(restart);
      await child.stop('SIGTERM', stopGraceMs);
    },
  };
}
