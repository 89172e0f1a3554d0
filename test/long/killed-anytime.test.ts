// `npm start` is killed at random moments, repeatedly. No process remains, and in the end the demo is live.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/ingests.ts';
import { apiClient, startLocalRun, temporaryDataFolder, until, watchChannels } from '../support/local-run.ts';
import { descendantsOf, nodeProcessesOf, survivorsOf } from '../support/processes.ts';

const rounds = 6;
const longestRunMs = 12_000;
const goneWithinMs = 10_000;
const root = join(import.meta.dirname, '../..');

/** Killed processes: npm alone, the platform alone, or the whole process group, as when a terminal closes. */
const victims = ['npm', 'platform', 'group'] as const;

describe('npm start, killed at random moments', { timeout: 15 * 60_000 }, async () => {
  const data = await temporaryDataFolder();
  afterAll(() => data.remove());

  it(`leaves no process behind, ${rounds} times in a row`, async () => {
    for (let round = 0; round < rounds; round++) {
      const victim = victims[round % victims.length]!;
      const npm = spawn('npm', ['start', '--', '--data', data.path, '--port', String(await freePort())], {
        cwd: root,
        detached: true,
        stdio: 'ignore',
      });
      const ranMs = Math.round(100 + Math.random() * longestRunMs);
      await setTimeout(ranMs);
      const processes = await descendantsOf(npm.pid!);
      await kill(npm, victim);
      const survivors = [...(await survivorsOf(processes, goneWithinMs)), ...(await namingFolder(data.path))];
      console.log(`round ${round + 1}: ${victim} killed after ${ranMs} ms with ${processes.length} processes`);
      expect({ round, victim, ranMs, survivors }).toMatchObject({ survivors: [] });
    }
  });

  it('has the demo once, complete and live', async () => {
    const run = await startLocalRun(data.path);
    const api = apiClient(run.connection);
    await until(async () => (await api('GET', '/streams')).data[0]?.state === 'active');
    const count = async (path: string) => (await api('GET', path)).data.length as number;
    expect({
      streams: await count('/streams'),
      uploads: await count('/uploads'),
      playlists: await count('/playlists'),
      destinations: await count('/destinations'),
    }).toEqual({ streams: 1, uploads: 2, playlists: 1, destinations: 2 });
    const playlist = (await api('GET', '/playlists')).data[0];
    expect(playlist.draft.items).toHaveLength(2);
    await until(async () => (await watchChannels(run)).some(({ live }) => live));
    expect(await run.interrupt()).toBe(0);
    await expect(readFile(join(data.path, 'connection.json'))).rejects.toThrow('ENOENT');
  });
});

async function kill(npm: ChildProcess, victim: (typeof victims)[number]): Promise<void> {
  const [platform] = await nodeProcessesOf(npm.pid!);
  if (victim === 'group') process.kill(-npm.pid!, 'SIGKILL');
  else if (victim !== 'platform' || !platform || !isKilled(platform.pid)) npm.kill('SIGKILL');
  if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit');
}

/** Kills a process. @returns false if it has already ended, as the set-up before the platform does */
function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** The commands of all programs with the data folder as argument, even if they started at the last moment. */
async function namingFolder(path: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(path)).map((command) => command.replaceAll('\0', ' '));
}
