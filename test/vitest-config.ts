// What vitest runs: the fast tests, or with LONG=1 only the long ones.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const long = process.env.LONG === '1';
const minuteMs = 60_000;

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    // The ports' contracts once more, as the long run also has an emulator of AWS; the model of the lifecycle, for many more runs.
    include: long ? ['test/long/**/*.test.ts', 'test/ports/**/*.test.ts', 'test/orchestration/lifecycle-model.test.ts'] : ['test/**/*.test.ts'],
    exclude: long ? [] : ['test/long/**', 'test/bench/**'],
    globalSetup: ['test/support/postgres-global-setup.ts'],
    maxWorkers: 2,
    ...(long && { testTimeout: 30 * minuteMs, hookTimeout: 5 * minuteMs }),
  },
});
