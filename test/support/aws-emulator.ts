// An emulator of AWS for tests of the AWS adapters. Only on request: it comes from PyPI and starts slowly.
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../../bin/local/child-process.ts';
import { freePort } from './ingests.ts';
import { pythonEnvironment } from './python-environment.ts';

export interface AWSEmulator {
  /** Whether tests must be skipped, because no emulator is available. */
  readonly missing: boolean;
  /** Suffix for test titles: empty, or the reason for skipping. */
  readonly note: string;
  /** For the constructor of any client of the AWS SDK. The credentials are valid only in the emulator. */
  readonly clientConfig: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  stop(): Promise<void>;
}

const emulatorVersion = '1.5.33';

/**
 * Finds the emulator at AWS_EMULATOR_URL, or starts one with RUN_AWS_EMULATOR=1. The test file that calls this stops it
 * after its tests.
 */
export async function findAWSEmulator(): Promise<AWSEmulator> {
  const { AWS_EMULATOR_URL: url, RUN_AWS_EMULATOR: run } = process.env;
  if (url) return emulatorAt(url, async () => {});
  if (run === '1') return startEmulator();
  const note = '(skipped: set RUN_AWS_EMULATOR=1, which needs python3 and PyPI, or AWS_EMULATOR_URL)';
  console.warn(`no AWS emulator ${note}`);
  return { ...emulatorAt('http://127.0.0.1', async () => {}), missing: true, note };
}

function emulatorAt(endpoint: string, stop: AWSEmulator['stop']): AWSEmulator {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return { missing: false, note: '', clientConfig: { endpoint, region: 'us-east-1', credentials }, stop };
}

/**
 * Starts an emulator on loopback. It ends with this process, however that ends.
 * @param environment variables for it and for the Lambda functions that it runs
 * @param log gets each line of its output
 * @throws if there is no python3, or PyPI does not have it
 */
export async function startEmulator(
  environment: NodeJS.ProcessEnv = {},
  log: (line: string) => void = () => {},
): Promise<AWSEmulator> {
  const programs = await pythonEnvironment(`ministack==${emulatorVersion}`);
  const folder = await mkdtemp(join(tmpdir(), 'aws-emulator-'));
  // Lambda includes the SDK. Functions without a bundled SDK find ours here, because they run in folders below this
  // one.
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  const port = String(await freePort());
  const child = startChild({
    command: join(programs, 'python'),
    args: ['-m', 'ministack'],
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      STATE_DIR: folder,
      S3_DATA_DIR: folder,
      IOT_MTLS_ENABLED: '0',
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: port,
      ...environment,
    },
    log,
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    // The emulator does not end on SIGTERM.
    await child.stop('SIGKILL', 0);
    await rm(folder, { recursive: true, force: true });
  };
  await Promise.race([
    answers(url),
    child.exited.then(({ code }) => Promise.reject(new Error(`the emulator ended with ${code}`))),
  ]);
  return emulatorAt(url, stop);
}

async function answers(url: string): Promise<void> {
  while (!(await fetch(url).catch(() => null))) await delay(50);
}
