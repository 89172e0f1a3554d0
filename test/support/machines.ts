// A local run without agents, and supervisors in processes of their own: machines that tests kill.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { capacityFor } from './capacities.ts';
import { createLoop, startLocalRun, temporaryDataFolder, uploadFile } from './local-run.ts';
import { mediaSample } from './media-samples.ts';
import { nodeProcessesOf } from './processes.ts';

interface Machine {
  readonly name: string;
  process: ChildProcess;
}

/** @param room number of prepared streams at 720p30 that each machine has room for */
export async function startMachines(names: readonly string[], room = 100) {
  const folder = await temporaryDataFolder();
  const run = await startLocalRun(folder.path, '--no-demo', '--agents', '0');
  const { databaseURL, siteURL, rtmpURL } = run.connection;
  const { serviceSecret } = JSON.parse(await readFile(join(folder.path, 'identity.json'), 'utf8')) as {
    serviceSecret: string;
  };
  const tools = await findMediaTools(process.env);
  const pool = createPool({ connectionString: databaseURL, max: 3 });
  const boot = (name: string): Machine => {
    const child = fork(join(import.meta.dirname, 'machine.ts'));
    child.send({
      ...tools,
      encoder: { codec: 'libx264', preset: 'veryfast' },
      databaseURL,
      siteURL,
      serviceSecret,
      supervisor: name,
      capacity: capacityFor(room),
      legacyRtmpURL: rtmpURL,
      masterKeyFile: join(folder.path, 'master.key'),
      objectsFolder: join(folder.path, 'objects'),
    });
    return { name, process: child };
  };
  const machines = new Map(names.map((name) => [name, boot(name)]));
  const upload = await uploadFile(run.api, await mediaSample('plain.mp4'), 'video/mp4');

  const agentOf = async (name: string) => (await nodeProcessesOf(machines.get(name)!.process.pid!))[0];

  /** The machines with a living agent that holds streams, and the keys of these streams, by the database. */
  async function holders(): Promise<{ machine: string; keys: string[] }[]> {
    const { rows } = await pool.query<{ machine: string; keys: string[] }>(
      `select split_part(a.supervisor, '/', 1) as machine, array_agg(s.name) as keys
       from agents a
       join replicas r on r.agent_id = a.id
       join streams s on s.id = r.stream_id
       where a.lease_expires_at > now()
       group by 1`,
    );
    return rows;
  }

  return {
    run,
    pool,
    holders,

    /** Starts a stream of the prepared backend, named after its key. @returns the id of the stream */
    async stream(
      streamKey: string,
      urls: { rtmpURL: string; backupRtmpURL?: string },
      more: object = {},
    ): Promise<string> {
      const format = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
      const id = await createLoop(run.api, [upload], { streamKey, ...urls }, { name: streamKey, ...format, ...more });
      await run.api('POST', `/streams/${id}/start`);
      return id;
    },

    /** Whether every machine has an agent that has renewed for a whole lease. */
    async areAllUp(): Promise<boolean> {
      const { rows } = await pool.query<{ count: number }>(
        `select count(distinct split_part(supervisor, '/', 1))::int as count
         from agents
         where lease_expires_at > now() and renewing_since < now() - interval '5 seconds'`,
      );
      return rows[0]!.count === names.length;
    },

    /**
     * Kills the agent of a machine, which its supervisor notices, or both. @returns the time, in steady milliseconds
     */
    async kill(name: string, what: 'agent' | 'machine'): Promise<number> {
      const machine = machines.get(name)!;
      const agent = await agentOf(name);
      const killedAtMs = performance.now();
      if (what === 'machine') machine.process.kill('SIGKILL');
      if (agent) process.kill(agent.pid, 'SIGKILL');
      if (what === 'machine') {
        await once(machine.process, 'exit');
        // Another machine with the same name boots after a while.
        setTimeout(() => machines.set(name, boot(name)), rebootMs).unref();
      }
      return killedAtMs;
    },

    /**
     * Stops the agent of a machine, which its supervisor does not notice. @returns a function that resumes the agent
     */
    async freeze(name: string): Promise<() => void> {
      const { pid } = (await agentOf(name))!;
      process.kill(pid, 'SIGSTOP');
      return () => void process.kill(pid, 'SIGCONT');
    },

    async [Symbol.asyncDispose]() {
      for (const { process: child } of machines.values()) child.kill('SIGKILL');
      await pool.end();
      await run.interrupt();
      await folder.remove();
    },
  };
}

/** Longer than a lease: a machine that returns earlier frees the replicas of its agent at once. */
const rebootMs = 9000;
