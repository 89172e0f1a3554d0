// Suites of vitest: SUITE=fast, long or nightly runs one of them; without it, tests on the command line run.
import { join, matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { LongFilesFirst } from './support/long-files-first.ts';
import { StillRunning } from './support/still-running.ts';

const root = join(import.meta.dirname, '..');
const suite = process.env.SUITE;
const reportFile = process.env.TEST_REPORT;
const minuteMs = 60_000;

/** Tests that take too long to run at every change, in any folder. */
const slow = [
  'test/long/**/*.test.ts',
  'test/auth/{account,attacks,auth-handler,client-libraries,sign-in-mails}.test.ts',
  'test/cost/cost-section.test.ts',
  'test/costs/*.test.ts',
  'test/data/{plans,both-plans,fleet/claims,playout/past-runs}.test.ts',
  'test/data/media/{blocked-contents,collections,upload-lists}.test.ts',
  'test/jobs/sweep.test.ts',
  'test/web/gallery/gallery.test.ts',
  'test/web/music-channel.test.ts',
  'test/web/{curating,developers,german,journeys,live,long-lists,on-air,operating,pages,paying}.test.ts',
  'test/web/{newcomer,open-page,places,programming}.test.ts',
  'test/deploy-command/**/*.test.ts',
  'test/end-to-end/{agents,ai-client,credits,killed,loop,managed,play-next,preview,rotation,sign-in,synthetic}.test.ts',
  'test/hostile/parsers.test.ts',
  'test/imports/{hostile-listings,import-worker,watched-feed}.test.ts',
  'test/loop/{killed-uploads,login,on-air,three-files}.test.ts',
  'test/live/{hostile-callers,hostile-contributors,live-ingest,session-encoder,session-faults}.test.ts',
  'test/live/{admission,block-takeover,encoders,limits,parameter-sets}.test.ts',
  'test/live/{planned-recording,recordings,signal-meter,slate,srt-encoders,srt-listener}.test.ts',
  'test/local/{full-disk,media-tools,postgres,rtmp-sink,set-up,watch-page,youtube-ingest}.test.ts',
  'test/operations/{guest-requests,guide-link,limits,mid-rolls,programme-queue}.test.ts',
  'test/operations/{programmes-on-air,timeline,upload-parts}.test.ts',
  'test/orchestration/{concurrency,billing/credits-concurrency,programme/programme-sources}.test.ts',
  'test/orchestration/{playout/overlays,playout/prepare-joins,runs/fire-due,schedule/recurrence}.test.ts',
  'test/platforms/{mirror,mirror-model}.test.ts',
  'test/ports/{flooded-queue,postgres-command-queue,outbound/name-resolver}.test.ts',
  'test/publisher/ffmpeg/{item-source,media-tool}.test.ts',
  'test/publisher/agent/*.test.ts',
  'test/publisher/inspecting/*.test.ts',
  'test/publisher/media/{bombs,choose-encoder,difficult-files,file-tags,generated-files,probe}.test.ts',
  'test/publisher/media/{uncommon-files,upright-photos}.test.ts',
  'test/publisher/preview/*.test.ts',
  'test/publisher/prepared/{codecs,cut-off,levelled-sound,long-life,planned-rotation,play-out,torture}.test.ts',
  'test/publisher/prepared/{gap-free,joins,mid-roll,mixed-sound,picture-joins}.test.ts',
  'test/publisher/prepared/prepared-{backend,sender}.test.ts',
  'test/publisher/preparing/{make-join,one-encoder,prepare-segment,prepare-upload,shared-content}.test.ts',
  'test/publisher/encoded/{five-outputs,running-texts}.test.ts',
  'test/publisher/{hls,srt}/*.test.ts',
  'test/publisher/ffmpeg/{framing,overlays}.test.ts',
  'test/publisher/prepared/framed-pictures.test.ts',
  'test/publisher/replica/{faults,figures,held-replica,off-air,slow-destinations}.test.ts',
  'test/stacks/{mutations,order}.test.ts',
  'test/surfaces/admission/{change-bounds,page-sessions}.test.ts',
  'test/surfaces/graphql/client.test.ts',
  'test/surfaces/mcp/clients.test.ts',
  'test/template-changes/release-before.test.ts',
  'test/webhooks/{alerts,bounds,deliver,hosts,killed}.test.ts',
];

/** Tests of `slow` that CI does not wait for: they run nightly, and by hand before an issue is resolved. */
const nightly = [
  'test/deploy-command/checks.test.ts',
  'test/hostile/parsers.test.ts',
  'test/long/{as-run,black-hole,changed-settings,disturbed-outputs,drawn-texts,given-stages}.test.ts',
  'test/long/{interrupted-uploads,killed-anytime,killed-outputs}.test.ts',
  'test/long/{library,mcp-inspector,mcp-python,pair-mutations,radio,recover,recurrence-zones}.test.ts',
  'test/long/{relays,sdk,sound-titles,sound-under,stinger,template-linters,thirty-outputs}.test.ts',
  'test/long/{four-files,live-agents,live-faults,live-hostile,mid-rolls}.test.ts',
  'test/long/{programme,programme-faults,programme-year,publish-goes-on}.test.ts',
  'test/live/{hostile-callers,session-faults,srt-encoders}.test.ts',
  'test/loop/{killed-uploads,three-files}.test.ts',
  'test/publisher/inspecting/flaws.test.ts',
  'test/publisher/media/{generated-files,uncommon-files}.test.ts',
  'test/publisher/prepared/{long-life,picture-joins,torture}.test.ts',
  'test/publisher/preparing/one-encoder.test.ts',
  'test/web/{curating,developers,german,long-lists,programming}.test.ts',
];

/**
 * Fast tests that the long suite also runs, with more work: it has an AWS emulator for the contracts of the ports, and
 * generates many more cases for the others.
 */
const inBothSuites = [
  'test/ports/**/*.test.ts',
  'test/orchestration/lifecycle-model.test.ts',
  'test/surfaces/**/same-validation.test.ts',
  'test/surfaces/graphql/any-document.test.ts',
];

/**
 * Tests that use more than half of two processors for minutes, in real time: beside others, frames would be late. They
 * run one after the other when all others are done.
 */
const alone = [
  'test/long/four-files.test.ts',
  'test/long/live-agents.test.ts',
  'test/long/live-faults.test.ts',
  'test/long/live-hostile.test.ts',
  'test/long/live-signal.test.ts',
  'test/long/mid-rolls.test.ts',
  'test/long/programme-faults.test.ts',
  'test/long/programme.test.ts',
  'test/long/stinger.test.ts',
  'test/publisher/agent/lease.test.ts',
];

const benches = 'test/bench/**';
/** Timeouts that end hanging tests. Benches measure durations: a busy machine must not fail a test. */
const fastLimits = { testTimeout: minuteMs / 2, hookTimeout: minuteMs, ...pollFor(minuteMs / 3) };
/** One process for all fast files: a process and its modules for each would be a third of the suite's work. */
const oneProcess = { pool: 'threads', isolate: false } as const;
/**
 * Limits of slow tests. Polling an API every 50 ms for minutes takes a tenth of a processor, so they poll less often.
 */
const slowLimits = { testTimeout: 4 * minuteMs, hookTimeout: 5 * minuteMs, ...pollFor(2 * minuteMs, 100) };
const fast = {
  include: ['test/**/*.test.ts'],
  exclude: [benches, ...slow],
  maxWorkers: 2,
  ...fastLimits,
  ...oneProcess,
};
const included = suite === 'long' ? [...slow, ...inBothSuites] : suite === 'nightly' ? nightly : slow;
const excluded = suite === 'long' ? [benches, ...nightly] : [benches];

/** A suite's own tests, or every test once if no suite is named. Each test has the limits of its own suite. */
const projects: TestProjectInlineConfiguration[] = [
  ...(suite === undefined ? [projectOf('fast', fast)] : []),
  projectOf('slow', {
    include: included,
    exclude: [...excluded, ...alone],
    // Two processors, which long tests often leave idle, because they wait for real-time playback.
    maxWorkers: suite === undefined ? 2 : 3,
    ...slowLimits,
  }),
  projectOf('alone', {
    include:
      suite === 'nightly' ? alone.filter((file) => nightly.some((pattern) => matchesGlob(file, pattern))) : alone,
    exclude: excluded,
    maxWorkers: 1,
    sequence: { groupOrder: 1 },
    ...slowLimits,
  }),
];

function projectOf(name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return { extends: false, root, test: { name, ...test } };
}

/** Default timeout and interval of `expect.poll`. */
function pollFor(timeoutMs: number, everyMs = 50) {
  return { expect: { poll: { timeout: timeoutMs, interval: everyMs } } };
}

export default defineConfig({
  root,
  test: {
    ...(suite === 'fast' ? fast : { projects, sequence: { sequencer: LongFilesFirst } }),
    globalSetup: ['test/support/postgres-global-setup.ts'],
    reporters: ['default', new StillRunning(), ...(reportFile ? (['json'] as const) : [])],
    ...(reportFile && { outputFile: reportFile }),
  },
});
