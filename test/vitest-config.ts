// What vitest runs: the fast tests, or with LONG=1 the long ones.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { StillRunning } from './support/still-running.ts';

const long = process.env.LONG === '1';
const reportFile = process.env.TEST_REPORT;
const minuteMs = 60_000;

/** Beside what they test, and too long to run at every change. */
const slow = [
  'test/cost/cost-section.test.ts',
  'test/dashboard/pages.test.ts',
  'test/deploy-command/**/*.test.ts',
  'test/end-to-end/{agent,agents,credits,killed,loop,sign-in}.test.ts',
  'test/imports/import-worker.test.ts',
  'test/local/{graphql-page,postgres,set-up,watch-page}.test.ts',
  'test/orchestration/concurrency.test.ts',
  'test/ports/postgres-command-queue.test.ts',
  'test/publisher/ffmpeg/{child,item-source}.test.ts',
  'test/publisher/{agent,database-crash,delivered-again,faults,figures,frozen,hand-over,lease,replica-run,slow-destinations}.test.ts',
  'test/publisher/media/probe.test.ts',
  'test/publisher/prepared/{codecs,long-life,manifest-backend,planned-rotation,play-out,prepare-segment,prepare-upload,prepared-sender,torture}.test.ts',
  'test/surfaces/graphql/client.test.ts',
  'test/surfaces/mcp/clients.test.ts',
  'test/webhooks/{deliver,killed}.test.ts',
];
/** In both: the ports' contracts, as the long run also has an emulator of AWS, and what generates its cases, for many more of them. */
const both = [
  'test/ports/**/*.test.ts',
  'test/orchestration/lifecycle-model.test.ts',
  'test/surfaces/**/same-validation.test.ts',
  'test/surfaces/graphql/any-document.test.ts',
];

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    include: long ? ['test/long/**/*.test.ts', ...slow, ...both] : ['test/**/*.test.ts'],
    exclude: long ? [] : ['test/long/**', 'test/bench/**', ...slow],
    globalSetup: ['test/support/postgres-global-setup.ts'],
    maxWorkers: 2,
    reporters: ['default', new StillRunning(), ...(reportFile ? (['json'] as const) : [])],
    ...(reportFile && { outputFile: reportFile }),
    ...(long && { testTimeout: 4 * minuteMs, hookTimeout: 5 * minuteMs }),
  },
});
