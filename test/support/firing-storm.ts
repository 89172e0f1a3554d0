// Processes that fire what is due. One is killed at each step, and some more at random.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { bundle, writeBundle } from '../../lib/shared/bundle.ts';
import { countConnectionsOf } from './database-outage.ts';
import type { Step } from './firing-process.ts';
import { until } from './local-run.ts';
import { seeded } from './seeded.ts';

const program = 'firing-process.ts';
const processes = 4;
/** The share of processes that are killed at a step after the first one, which always is. */
const killedShare = 0.003;

/** Its disposal kills all processes, and resolves when Postgres has noticed that. */
export interface FiringStorm extends AsyncDisposable {
  /** The names of the steps at which a process was killed, as `WORK: SQL`. */
  readonly steps: ReadonlySet<string>;
  /** Faults, such as the end of a process that the test did not kill; it is not replaced. */
  readonly faults: readonly unknown[];
}

/** @param meanwhile is called at each step: when a process was killed there, else before it continues */
export function startFiringStorm(
  pool: () => Pool,
  databaseURL: string,
  meanwhile: (step: Step, isKilled: boolean) => Promise<void>,
): FiringStorm {
  const name = 'firing storm';
  const url = new URL(databaseURL);
  url.searchParams.set('application_name', name);
  // A bundle begins several times as fast as its modules.
  const folder = mkdtempSync(join(tmpdir(), 'firing-storm-'));
  writeBundle(bundle(import.meta.dirname, [program]).get(program)!, folder);
  const random = seeded(1);
  const steps = new Set<string>();
  const living = new Set<ChildProcess>();
  const faults: unknown[] = [];
  let isOver = false;

  const reach = async (child: ChildProcess, step: Step) => {
    const stepName = `${step.work}: ${step.next}${step.before > 0 ? ` after ${step.before}` : ''}`;
    const isKilled = !steps.has(stepName) || random() < killedShare;
    steps.add(stepName);
    if (isKilled) child.kill('SIGKILL');
    await meanwhile(step, isKilled);
    // Questions that a process asked before it died are steps as well: it does not continue.
    if (!child.killed) child.send(step.number);
  };
  const boot = () => {
    const child = fork(join(folder, 'index.mjs'), { env: { PATH: process.env['PATH'], DATABASE_URL: url.href } });
    living.add(child);
    child.on('message', (step: Step) => void reach(child, step).catch((error: unknown) => faults.push(error)));
    child.on('exit', (code, signal) => {
      living.delete(child);
      if (signal !== 'SIGKILL') faults.push(`exit with ${code ?? signal}`);
      else if (!isOver) boot();
    });
  };
  for (let count = 0; count < processes; count++) boot();

  return {
    steps,
    faults,
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const child of living) child.kill('SIGKILL');
      await until(async () => (await countConnectionsOf({ pool }, name)) === 0);
      rmSync(folder, { recursive: true });
    },
  };
}
