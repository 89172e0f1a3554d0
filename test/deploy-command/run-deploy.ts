// Runs bin/deploy.ts as a child process, without the credentials and the configuration of the tests' user.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export const root = join(import.meta.dirname, '../..');
export const home = mkdtempSync(join(tmpdir(), 'deploy-command-'));
afterAll(() => rmSync(home, { recursive: true }));

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const bareEnvironment = { PATH: process.env.PATH, HOME: home, AWS_EC2_METADATA_DISABLED: 'true', CI: '1' };

export async function runDeploy(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, ['bin/deploy.ts', ...args], {
    cwd: root,
    env: { ...bareEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, output: chunks.join('') };
}
