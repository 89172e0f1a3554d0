// Child processes: their output arrives, a stop ends them, and they never outlive the process that started them.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { startChild } from '../../bin/local/child-process.ts';

const env = { PATH: process.env.PATH };
const nobody = { uid: 65_534, gid: 65_534 };
const patiently = { interval: 10, timeout: 5000 };
const isRoot = process.getuid?.() === 0;
const hasSetpriv = (() => {
  try {
    execFileSync('setpriv', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

test('both outputs of a child arrive by line, even an unfinished last one', async () => {
  const lines: string[] = [];
  const child = startChild({
    command: 'sh',
    args: ['-c', 'echo one; echo two >&2; printf three; exit 5'],
    env,
    log: (line) => lines.push(line),
  });
  expect(await child.exited).toEqual({ code: 5, signal: null });
  expect(lines.toSorted()).toEqual(['one', 'three', 'two']);
});

test('a command that does not exist ends with 127, and its output says so', async () => {
  const lines: string[] = [];
  const child = startChild({ command: 'no-such-command', args: [], env, log: (line) => lines.push(line) });
  expect((await child.exited).code).toBe(127);
  expect(lines.join('\n')).toContain('no-such-command');
});

test('stop asks a child to end, and kills one that does not listen, with what it started', async () => {
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  const log = (line: string) => {
    lines.push(line);
    ready.resolve();
  };
  const polite = startChild({
    command: 'sh',
    args: ['-c', 'trap "exit 3" TERM; echo ready; while :; do sleep 0.05; done'],
    env,
    log,
  });
  await ready.promise;
  expect(await polite.stop('SIGTERM', 10_000)).toEqual({ code: 3, signal: null });

  const deafReady = Promise.withResolvers<number>();
  const deaf = startChild({
    command: 'sh',
    args: ['-c', 'trap "" TERM; sleep 1000 & echo $!; wait; wait'],
    env,
    log: (line) => deafReady.resolve(Number(line)),
  });
  const grandchild = await deafReady.promise;
  expect(await deaf.stop('SIGTERM', 20)).toEqual({ code: null, signal: 'SIGKILL' });
  await expect.poll(() => commandLine(grandchild), patiently).toBe('');
});

test('parent and child talk over the message channel', async () => {
  const shout = 'process.once("message", (text) => process.send(text.toUpperCase(), () => process.disconnect()))';
  const args = ['-e', shout];
  const child = startChild({ command: process.execPath, args, env, ipc: true, log: () => {} });
  const answer = once(child.process, 'message');
  child.process.send('hello');
  expect((await answer)[0]).toBe('HELLO');
  expect(await child.exited).toEqual({ code: 0, signal: null });
});

describe('when the parent is killed with SIGKILL', () => {
  test.skipIf(!hasSetpriv)('the kernel ends the child', async () => {
    const parent = await startThroughParent({ path: process.env.PATH });
    parent.kill('SIGKILL');
    await expect.poll(() => commandLine(parent.child), patiently).toBe('');
  });

  test('a shell ends the child where there is no setpriv', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'child-process-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    await copyFile('/bin/sleep', join(folder, 'sleep'));
    const parent = await startThroughParent({ path: folder });
    parent.kill('SIGKILL');
    await expect.poll(() => commandLine(parent.child), patiently).toBe('');
  });

  test.runIf(isRoot && hasSetpriv)('a child that runs as another user ends too', async () => {
    const parent = await startThroughParent({ path: process.env.PATH, user: nobody });
    parent.kill('SIGKILL');
    await expect.poll(() => commandLine(parent.child), patiently).toBe('');
  });
});

describe.runIf(isRoot && hasSetpriv)('a child that runs as another user', () => {
  test('has only the rights of that user, or may pass closed folders, too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'child-process-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    await chmod(folder, 0o700);
    await writeFile(join(folder, 'inside'), '');
    // The child also calls access(2), which has other rules than open(2): initdb looks for postgres with it.
    const look = (passesClosedFolders: boolean) =>
      startChild({
        command: process.execPath,
        args: ['-e', 'fs.accessSync(process.argv[1]); fs.readFileSync(process.argv[1])', join(folder, 'inside')],
        env,
        user: nobody,
        passesClosedFolders,
        log: () => {},
      }).exited;
    expect((await look(false)).code).not.toBe(0);
    expect((await look(true)).code).toBe(0);

    const lines: string[] = [];
    const identity = startChild({
      command: 'sh',
      args: ['-c', 'id -u; id -G'],
      env,
      user: nobody,
      passesClosedFolders: true,
      log: (line) => lines.push(line),
    });
    await identity.exited;
    expect(lines).toEqual(['65534', '65534']);
  });
});

/**
 * Starts a parent process whose child is `sleep`. @returns the pid of the child, and a function that kills the parent
 */
async function startThroughParent(options: { path?: string; user?: typeof nobody }) {
  const source = new URL('../../bin/local/child-process.ts', import.meta.url).href;
  const user = JSON.stringify(options.user);
  const script = [
    `import { startChild } from ${JSON.stringify(source)};`,
    `const options = { env: process.env, user: ${user}, log: () => {} };`,
    "const child = startChild({ command: 'sleep', args: ['1000'], ...options });",
    'console.log(child.process.pid);',
  ].join('\n');
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: options.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUps.push(() => void parent.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  return { child: Number(line), kill: (signal: NodeJS.Signals) => parent.kill(signal) };
}

/** The command of a process that is not our child. It is empty once the process has ended. */
async function commandLine(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}
