#!/usr/bin/env node
// The command `loop`. In a clone without packages it installs them first, with any Node of version 18 or newer.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const neededNodeMajor = 24;

if (Number(process.versions.node.split('.')[0]) >= neededNodeMajor && existsSync(join(root, 'node_modules/commander')))
  await import('./loop.ts');
else {
  // Answers of `loop` are read by programs: the installer may only write beside them.
  const installed = spawnSync(process.execPath, [join(root, 'bin/local/set-up.mjs')], { stdio: ['ignore', 2, 2] });
  if (installed.status !== 0) process.exit(1);
  const args = [join(root, 'bin/loop.ts'), ...process.argv.slice(2)];
  // By the channel, the command learns that this process was killed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const [status, signal] = await once(spawn(join(root, 'node_modules/.bin/node'), args, { stdio }), 'exit');
  process.exit(status ?? 128 + constants.signals[signal]);
}
