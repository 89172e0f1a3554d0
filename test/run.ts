// Runs the suites of `npm test`, `npm run test:long` and `npm run test:nightly`: checks, tests, slowest files, a count.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

interface Count {
  passed: number;
  failed: number;
  skipped: readonly string[];
}

const root = join(import.meta.dirname, '..');
const [suite = 'fast'] = process.argv.slice(2);
/** Files that a suite lists as its slowest. */
const slowestFiles = 25;
const binary = (name: string) => join(root, 'node_modules/.bin', name);

/** Checks, which run at the same time. */
const checks: readonly { readonly title: string; readonly command: string; readonly args: readonly string[] }[] = [
  { title: 'Layout', command: binary('oxfmt'), args: ['--check', '.'] },
  { title: 'Types', command: binary('tsc'), args: [] },
  { title: 'Lint', command: binary('oxlint'), args: ['--type-aware', '--deny-warnings'] },
  { title: 'Plain English', command: process.execPath, args: ['test/check-prose.ts'] },
  { title: 'Synth of every stage', command: binary('cdk'), args: ['synth', '--quiet', '**'] },
];

const total: Count = { passed: 0, failed: 0, skipped: [] };
if (suite === 'fast') for (const count of await Promise.all(checks.map(runCheck))) add(count);
add(await runTests());

for (const [group, tests] of Map.groupBy(total.skipped, (name) => name))
  console.log(`skipped ${tests.length}: ${group}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;

function add({ passed, failed, skipped }: Count): void {
  total.passed += passed;
  total.failed += failed;
  total.skipped = [...total.skipped, ...skipped];
}

async function runCheck({ title, command, args }: (typeof checks)[number]): Promise<Count> {
  const startedMs = performance.now();
  const { code, output } = await run(command, args, { AWS_EC2_METADATA_DISABLED: 'true' }, 'pipe');
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${code === 0 ? '✓' : '✗'} ${title} (${seconds} s)`);
  if (code === 0) return { passed: 1, failed: 0, skipped: [] };
  console.log(output);
  return { passed: 0, failed: 1, skipped: [] };
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly testResults: readonly {
    /** The path of the file. */
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly ancestorTitles: readonly string[];
      readonly title: string;
    }[];
  }[];
}

async function runTests(): Promise<Count> {
  const folder = await mkdtemp(join(tmpdir(), 'test-report-'));
  const file = join(folder, 'report.json');
  try {
    const peers = { RUN_AWS_EMULATOR: '1', RUN_STRIPE_MOCK: '1', RUN_OTLP_RECEIVER: '1' };
    const { code } = await run(
      binary('vitest'),
      ['run', '--config=test/vitest-config.ts'],
      { ...(suite !== 'fast' && peers), SUITE: suite, TEST_REPORT: file },
      'inherit',
    );
    const report = JSON.parse(await readFile(file, 'utf8')) as VitestReport;
    if (suite !== 'fast') printSlowest(report);
    const skipped = report.testResults
      .flatMap((result) => result.assertionResults)
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ ancestorTitles, title }) => ancestorTitles[0] ?? title);
    // A file that cannot be loaded has no failed test.
    const failed =
      report.numFailedTests > 0 || code === 0 ? report.numFailedTests : Math.max(1, report.numFailedTestSuites);
    return { passed: report.numPassedTests, failed, skipped };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Prints the files that took longest, in seconds: candidates for a speed-up, or for the nightly suite. */
function printSlowest({ testResults }: VitestReport): void {
  const timed = testResults.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }));
  for (const { name, seconds } of timed.sort((a, b) => b.seconds - a.seconds).slice(0, slowestFiles))
    console.log(`${seconds.toFixed(0).padStart(5)} s ${relative(root, name)}`);
}

function run(
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
  output: 'pipe' | 'inherit',
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', output, output],
    });
    const chunks: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: chunks.join('') }));
  });
}
