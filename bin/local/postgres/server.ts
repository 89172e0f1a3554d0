// Starts the server process on a data folder, and waits until it answers.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { RunningChild } from '../child-process.ts';
import type { ServerAccess } from './access.ts';
import { launcherFile } from './leftovers.ts';
import { runProgram } from './programs.ts';
import type { ServerPrograms } from './programs.ts';

const startTimeoutMs = 60_000;
const stopGraceMs = 15_000;

/**
 * Resolves when the server has answered a connection to `url`.
 * @param access the URL to try, and all settings of the server
 * @throws if the server does not start in time, or ends meanwhile (with the end of its log)
 */
export async function startServer(
  programs: ServerPrograms,
  dataFolder: string,
  { url, settings }: ServerAccess,
): Promise<RunningChild> {
  const { promise: announced, resolve } = Promise.withResolvers<'announced'>();
  const settingArguments = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const server = await runProgram('postgres', programs, dataFolder, settingArguments, (line) => {
    if (line.includes('database system is ready to accept connections')) resolve('announced');
  });
  const timeout = new AbortController();
  try {
    await writeFile(join(dataFolder, launcherFile), String(process.pid));
    const first = await Promise.race([
      announced,
      server.child.exited,
      delay(startTimeoutMs, undefined, { signal: timeout.signal }),
    ]);
    if (first !== 'announced') {
      const what = first ? 'ended while it started' : 'did not start in time';
      throw new Error(`Postgres ${what}. ${server.endOfLog()}`);
    }
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.end();
    return server.child;
  } catch (error) {
    await server.child.stop('SIGQUIT', stopGraceMs);
    throw error;
  } finally {
    timeout.abort();
  }
}
