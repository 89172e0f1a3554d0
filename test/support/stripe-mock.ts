// Stripe's mock server (github.com/stripe/stripe-mock), which checks requests against Stripe's OpenAPI document.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './ingests.ts';

export interface StripeMock {
  /** Whether tests must be skipped, because there is no mock server. */
  readonly missing: boolean;
  /** Suffix for test titles: empty, or the reason for skipping. */
  readonly note: string;
  readonly port: number;
  stop(): Promise<void>;
}

const version = 'v0.203.0';

/**
 * Starts the program at STRIPE_MOCK_PATH, or builds it with Go first if RUN_STRIPE_MOCK=1. The calling test file stops
 * it.
 */
export async function findStripeMock(): Promise<StripeMock> {
  const path = process.env.STRIPE_MOCK_PATH ?? (process.env.RUN_STRIPE_MOCK === '1' ? await buildStripeMock() : null);
  if (path !== null) return startStripeMock(path);
  const note = '(skipped: set STRIPE_MOCK_PATH, or RUN_STRIPE_MOCK=1, which needs Go and its module proxy)';
  console.warn(`no stripe-mock ${note}`);
  return { missing: true, note, port: 0, stop: () => Promise.resolve() };
}

async function startStripeMock(path: string): Promise<StripeMock> {
  const port = await freePort();
  const child = spawn(path, ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit');
  await Promise.race([answers(port), ended.then(() => Promise.reject(new Error('stripe-mock ended by itself')))]);
  return {
    missing: false,
    note: '',
    port,
    async stop() {
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
}

/** Builds the program. Its folder gets its name when complete, so that other test files never see a partial one. */
async function buildStripeMock(): Promise<string> {
  const folder = join(tmpdir(), `stripe-mock-${version}`);
  if (!existsSync(folder)) {
    const unfinished = await mkdtemp(`${folder}-`);
    const env = { ...process.env, GOPATH: join(unfinished, 'go'), GOBIN: unfinished, GOFLAGS: '-modcacherw' };
    await promisify(execFile)('go', ['install', `github.com/stripe/stripe-mock@${version}`], { env });
    await rm(join(unfinished, 'go'), { recursive: true });
    await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(folder, 'stripe-mock');
}

async function answers(port: number): Promise<void> {
  while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => null))) await delay(50);
}
