// GitHub's delivery of a change: its blocking jobs, jobs with credentials, and refused images.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCommand } from '../../bin/deploy/command-line.ts';
import { writeShellProgram } from '../support/shell-program.ts';

const root = join(import.meta.dirname, '../..');
const workflow = readFileSync(join(root, '.github/workflows/deliver.yml'), 'utf8');
const [head = '', jobsText = ''] = workflow.split(/^jobs:$/m);
/** The text of each job, by its name. */
const jobs = new Map(
  jobsText
    .split(/^  (?=[\w-]+:$)/m)
    .slice(1)
    .map((text) => [/^[\w-]+/.exec(text)?.[0] ?? '', text]),
);

describe('the workflow', () => {
  test('runs actions of exactly the commits that were looked at', () => {
    const actions = [...workflow.matchAll(/uses: (.+)/g)].map(([, action]) => action);
    expect(actions.filter((action) => !/@[0-9a-f]{40} # v\d/.test(action ?? ''))).toEqual([]);
  });

  test('leaves no token of the repository where what it builds could read it', () => {
    const checkouts = [...workflow.matchAll(/uses: actions\/checkout@.+\n(.*)/g)].map(([, inputs]) => inputs ?? '');
    expect(checkouts.length).toBeGreaterThan(0);
    expect(checkouts.filter((inputs) => !inputs.includes('persist-credentials: false'))).toEqual([]);
  });

  test('synthesizes once what it delivers, and deploys that', () => {
    const synthesizing = [...jobs].filter(([, text]) => text.includes('cdk synth')).map(([name]) => name);
    expect(synthesizing).toEqual(['proposal', 'synth']);
    const deploying = [...workflow.matchAll(/npm run deploy -- (.*)$/gm)].map(([, args = '']) => args);
    expect(deploying.map((args) => args.includes('--app cdk.out'))).toEqual([false, true]);
    expect(deploying[0]).toContain('--check');
    expect(workflow).not.toContain('cdk deploy');
  });

  test('compares a change with its base, whose templates are in the history', () => {
    expect(jobs.get('check')).toContain('fetch-depth: 0');
    expect(jobs.get('check')).toContain(
      "RELEASE_BASE: '${{ github.event.pull_request.base.sha || github.event.before }}'",
    );
  });

  // A run that waits for reviewers holds its group, and GitHub cancels all but the newest of the runs behind it.
  // https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency
  test('has each delivery in a group of its own, but for the jobs that deploy', () => {
    const [group] = head.match(/(?<=^ {2}group: ).+/m) ?? [];
    expect(group).toBe("deliver-${{ github.event_name == 'pull_request' && github.ref || github.run_id }}");
    const grouped = [...jobs].filter(([, text]) => /^ {4}concurrency:/m.test(text)).map(([name]) => name);
    expect(grouped).toEqual(['dev', 'staging', 'prod']);
  });

  // “bash --noprofile --norc -eo pipefail {0}” only if the shell is named; otherwise “bash -e {0}”.
  // https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#defaultsrunshell
  test('does not take the end of a pipe for the whole', () => {
    expect(head).toMatch(/^defaults:\n {2}run:\n(?: {4}#.*\n)* {4}shell: bash$/m);
  });

  test('runs the code of a pull request only where there are no credentials', () => {
    const ofRequests = ['newest-image', 'proposal', 'diff'].map((name) => jobs.get(name) ?? '');
    const signedIn = ofRequests.map((text) => text.includes('configure-aws-credentials'));
    const proposed = ofRequests.map(
      (text) =>
        text.includes('actions/checkout@') && !text.includes("ref: '${{ github.event.pull_request.base.sha }}'"),
    );
    expect(signedIn).toEqual([true, false, true]);
    expect(proposed).toEqual([false, true, false]);
    expect(jobs.get('diff')).toContain('cdk diff --app cdk.out');
  });

  test('checks the account after it has signed in there and before it deploys, without Docker', () => {
    // The steps of staging and prod are those of dev.
    for (const stage of ['staging', 'prod']) expect(jobs.get(stage)).toContain('steps: *deploy');
    const steps = jobs
      .get('dev')!
      .split(/^ {6}- /m)
      .slice(1);
    const orderOf = (text: string) => steps.findIndex((step) => step.includes(text));
    const [, args = ''] = /npm run (deploy -- .*--check.*)$/m.exec(steps[orderOf('--check')] ?? '') ?? [];
    expect(orderOf('configure-aws-credentials')).toBeLessThan(orderOf('--check'));
    expect(orderOf('--check')).toBeLessThan(orderOf('--app cdk.out'));
    for (const stage of ['dev', 'staging', 'prod']) {
      const digest = `sha256:${'a'.repeat(64)}`;
      const typed = args.replace('"$GITHUB_JOB"', stage).replace('${{ needs.image.outputs.digest }}', digest);
      const command = readCommand(typed.replace(' --', '').replaceAll('"', '').split(' '));
      expect(command).toMatchObject({ stage, checkOnly: true, needsCredentials: true, needsDocker: false });
      // A job has the outputs only of the jobs that it names.
      expect(jobs.get(stage)).toMatch(/^ {4}needs: \[image, .+\]$/m);
    }
  });

  /** The condition of a job, as JavaScript for results of the jobs that it needs. */
  const runs = (job: string, results: Readonly<Record<string, string>>, { hotfix = false, dev = '' } = {}): boolean => {
    const [, condition = ''] = /^ {4}if: \$\{\{ (.+) \}\}$/m.exec(jobs.get(job) ?? '') ?? [];
    const code = condition.replaceAll(/needs\.([\w-]+)\.result/g, "needs['$1']").replaceAll(' == ', ' === ');
    const github = { event_name: hotfix ? 'workflow_dispatch' : 'push', ref: 'refs/heads/main' };
    const values = { needs: results, inputs: { hotfix }, vars: { DELIVER_DEV: dev }, github, cancelled: () => false };
    // The expressions use only operators that JavaScript has as well.
    return runInNewContext(code, values);
  };

  test('delivers after both suites, and a hotfix after the fast one', () => {
    const failed = { check: 'success', long: 'failure' };
    expect(runs('image', { check: 'success', long: 'success' })).toBe(true);
    expect(runs('image', failed)).toBe(false);
    expect(runs('image', { check: 'failure', long: 'success' })).toBe(false);
    expect([runs('long', {}), runs('long-beside-hotfix', {})]).toEqual([true, false]);
    const hotfix = { hotfix: true };
    expect(runs('image', { check: 'success', long: 'skipped' }, hotfix)).toBe(true);
    expect(runs('image', { check: 'failure', long: 'skipped' }, hotfix)).toBe(false);
    expect([runs('long', {}, hotfix), runs('long-beside-hotfix', {}, hotfix)]).toEqual([false, true]);
    expect(jobs.get('image')).toMatch(/if: inputs.hotfix\n +run: echo .+GITHUB_STEP_SUMMARY/);
  });

  test('delivers to dev first if the repository wants it, and not to staging after a failure there', () => {
    const synthesized = { synth: 'success' };
    expect([runs('dev', synthesized), runs('dev', synthesized, { dev: 'true' })]).toEqual([false, true]);
    expect(runs('staging', { ...synthesized, dev: 'skipped' })).toBe(true);
    expect(runs('staging', { ...synthesized, dev: 'success' })).toBe(true);
    expect(runs('staging', { ...synthesized, dev: 'failure' })).toBe(false);
    expect(runs('staging', { synth: 'failure', dev: 'skipped' })).toBe(false);
    expect([runs('prod', { staging: 'success' }), runs('prod', { staging: 'failure' })]).toEqual([true, false]);
  });

  test('compares nothing before the first image', () => {
    expect(jobs.get('newest-image')).toContain('if [[ $digest == sha256:* ]]');
    expect(jobs.get('proposal')).toContain("if: needs.newest-image.outputs.digest != ''");
  });
});

describe('an image', { timeout: 30_000 }, () => {
  /**
   * Answers in the shapes of basic and of enhanced scanning.
   * https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_DescribeImageScanFindings.html
   */
  const basic = (status: string, ...names: string[]) => ({
    imageScanStatus: { status },
    imageScanFindings: { findings: names.map((name) => ({ name, severity: 'CRITICAL' })) },
  });
  const enhanced = (...names: string[]) => ({
    imageScanStatus: { status: 'ACTIVE' },
    imageScanFindings: {
      enhancedFindings: names.map((vulnerabilityId) => ({
        severity: 'CRITICAL',
        packageVulnerabilityDetails: { vulnerabilityId },
      })),
    },
  });

  /** Runs the script with a CLI that gives these answers, one after the other; null: no scan yet. */
  function scan(...answers: readonly (object | null)[]): { readonly status: number | null; readonly output: string } {
    const folder = mkdtempSync(join(tmpdir(), 'scan-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [index, answer] of answers.entries())
      if (answer) writeFileSync(join(folder, `answer-${index}`), JSON.stringify(answer));
    writeFileSync(join(folder, 'asked'), '');
    writeShellProgram(
      join(folder, 'aws'),
      `echo >> ${folder}/asked\ncat ${folder}/answer-$(( $(wc -l < ${folder}/asked) - 1 )) || exit 254`,
    );
    const PATH = [folder, process.env['PATH']].join(delimiter);
    const { status, stdout, stderr } = spawnSync(
      join(root, '.ci/refuse-critical-findings'),
      ['repository', `sha256:${'a'.repeat(64)}`],
      { encoding: 'utf8', env: { PATH, SCAN_POLL_SECONDS: '0' } },
    );
    return { status, output: stdout + stderr };
  }

  const hasJq = spawnSync('jq', ['--version']).error === undefined;

  test.skipIf(!hasJq)('is waited for until it has been scanned, whatever the kind of scanning', () => {
    expect(scan(null, basic('IN_PROGRESS'), basic('COMPLETE')).status).toBe(0);
    expect(scan(enhanced()).status).toBe(0);
  });

  test.skipIf(!hasJq)('is refused with a critical finding, which is named', () => {
    for (const answer of [basic('COMPLETE', 'CVE-2026-1'), enhanced('CVE-2026-1')])
      expect(scan(answer)).toEqual({ status: 1, output: expect.stringContaining('CVE-2026-1 is critical') });
  });

  test.skipIf(!hasJq)('is refused if it cannot be scanned', () => {
    expect(scan({ imageScanStatus: { status: 'UNSUPPORTED_IMAGE' } }).status).toBe(1);
  });
});
