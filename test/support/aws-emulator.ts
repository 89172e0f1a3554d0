// An emulator of AWS on this machine, for tests of the AWS adapters. Only on request, since it comes from PyPI and takes a while.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface AWSEmulator {
  /** Whether tests have to be skipped, because there is none. */
  readonly missing: boolean;
  /** For titles of tests: empty, or why they are skipped. */
  readonly note: string;
  /** For the constructor of any client of the AWS SDK. The credentials are the emulator's, valid nowhere else. */
  readonly clientConfig: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  stop(): Promise<void>;
}

const emulatorVersion = '1.4.21';

/** The emulator at AWS_EMULATOR_URL, or with RUN_AWS_EMULATOR=1 one started for the calling test file, which stops it after its tests. */
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

async function startEmulator(): Promise<AWSEmulator> {
  const python = await installEmulator();
  const folder = await mkdtemp(join(tmpdir(), 'aws-emulator-'));
  const port = String(await freePort());
  // A process group of its own, so that what it starts ends with it. It does not end on SIGTERM.
  const child = spawn(python, ['-m', 'ministack'], {
    detached: true,
    stdio: 'ignore',
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, STATE_DIR: folder, S3_DATA_DIR: folder, BIND_HOST: '127.0.0.1', GATEWAY_PORT: port, IOT_MTLS_ENABLED: '0' },
  });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', kill);
  const url = `http://127.0.0.1:${port}`;
  const ended = once(child, 'exit');
  await Promise.race([answers(url), ended.then(([code]) => Promise.reject(new Error(`the emulator ended with ${code}`)))]);
  const stop = async () => {
    kill();
    await ended;
    process.off('exit', kill);
    await rm(folder, { recursive: true, force: true });
  };
  return emulatorAt(url, stop);
}

/** A virtual environment that gets its name once complete, so that test files starting at the same time cannot meet half of it. Answers with its Python. */
async function installEmulator(): Promise<string> {
  const folder = join(tmpdir(), `ministack-${emulatorVersion}`);
  const run = promisify(execFile);
  if (!existsSync(folder)) {
    const unfinished = await mkdtemp(`${folder}-`);
    await run('python3', ['-m', 'venv', unfinished]);
    await run(join(unfinished, 'bin/python'), ['-m', 'pip', 'install', '--quiet', `ministack==${emulatorVersion}`]);
    await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(folder, 'bin/python');
}

async function answers(url: string): Promise<void> {
  while (!(await fetch(url).catch(() => null))) await delay(50);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
