// Independent linters find only faults in the templates that are explained at their constructs.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PipelineStack } from '../../lib/delivery/pipeline-stack.ts';
import { stages } from '../../lib/stages.ts';
import { hasPython, pythonEnvironment } from '../support/python-environment.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
for (const [name, settings] of Object.entries(stages)) synthesizeStage(app, name, settings);
// Features that no stage of the table has.
synthesizeStage(app, 'open', { ...stages.dev, ecsExec: true, liveIngest: { minTasks: 1, maxTasks: 1 } });
new PipelineStack(app, 'pipeline', {
  githubRepository: 'owner/name',
  githubProviderArn: null,
  stages,
});
const { directory } = app.synth();
const templates = globSync('**/*.template.json', { cwd: directory }).map((path) => join(directory, path));

describe.skipIf(!hasPython())(`linters of templates${hasPython() ? '' : ' (skipped: needs python3 with venv)'}`, () => {
  test('cfn-lint finds no error', async () => {
    const programs = await pythonEnvironment('cfn-lint==1.58.0');
    // The CDK writes dependencies that references already imply (W3005). lib/network explains the fixed zones (W3010).
    // The last stack of a stage outputs the addresses of the previous one (W6001).
    const accepted = ['W3005', 'W3010', 'W6001'];
    const command = [join(programs, 'cfn-lint'), '--ignore-checks', ...accepted, '--', ...templates];
    const { status, stdout } = spawnSync(join(programs, 'python'), command, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  test('checkov finds nothing that is not answered', async () => {
    const programs = await pythonEnvironment('checkov==3.3.30');
    const files = templates.flatMap((template) => ['--file', template]);
    const asked = ['--framework', 'cloudformation', '--output', 'json', '--compact', ...files];
    const options = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const { stdout } = spawnSync(join(programs, 'python'), [join(programs, 'checkov'), ...asked], options);
    const { results, summary } = JSON.parse(stdout);
    expect(summary).toMatchObject({ parsing_errors: 0 });
    expect(summary.passed).toBeGreaterThan(1000);
    const failed = results.failed_checks as { check_id: string; resource: string }[];
    expect(failed.map((finding) => `${finding.check_id} ${finding.resource}`)).toEqual([]);
  });
});
