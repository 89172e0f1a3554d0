// A local run for all tests of a file, in a data folder of its own, which is removed after them.
import { afterAll, beforeAll, expect } from 'vitest';
import { startLocalRun, temporaryDataFolder } from './local-run.ts';
import type { LocalRun } from './local-run.ts';

export interface TestLocalRun extends Pick<LocalRun, 'api' | 'connection' | 'process'> {
  readonly dataFolder: string;
}

const startTimeoutMs = 120_000;
const endTimeoutMs = 60_000;

/**
 * Starts a local run before the tests of the calling file or `describe`. After them it must end with exit code 0. Use
 * the result only within tests and hooks.
 */
export function testLocalRun(...args: string[]): TestLocalRun {
  let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
  let run: LocalRun;
  beforeAll(async () => {
    data = await temporaryDataFolder();
    run = await startLocalRun(data.path, ...args);
  }, startTimeoutMs);
  afterAll(async () => {
    expect(await run.interrupt()).toBe(0);
    await data.remove();
  }, endTimeoutMs);
  return {
    get connection() {
      return run.connection;
    },
    get process() {
      return run.process;
    },
    get dataFolder() {
      return data.path;
    },
    api: (method, path, body) => run.api(method, path, body),
  };
}
