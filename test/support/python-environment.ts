// Programs from PyPI for tests, in a temporary virtual environment that does not change the machine's Python.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' }).status === 0;
}

/**
 * Makes a virtual environment with these packages in the folder for temporary files, or finds it there. The folder gets
 * its name when it is complete, so that parallel test files never see a partial one.
 * @param requirements in pip's format, each with its version: `ministack==1.4.21`
 * @returns the folder of `python` and of its programs. The programs contain the folder's original name: start them as
 *   `python PROGRAM`.
 * @throws pip's output, if a package is not available
 */
export async function pythonEnvironment(...requirements: [string, ...string[]]): Promise<string> {
  const folder = join(tmpdir(), requirements.join('-').replaceAll(/[^\w.-]/g, '-'));
  if (!existsSync(folder)) {
    const run = promisify(execFile);
    const unfinished = await mkdtemp(`${folder}-`);
    await run('python3', ['-m', 'venv', unfinished]);
    await run(join(unfinished, 'bin/python'), ['-m', 'pip', 'install', '--quiet', ...requirements]);
    await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(folder, 'bin');
}
