// `npm run deploy` and `npm run diff`: their refusals with reasons, and their arguments for the real CDK CLI.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand, type StageCommand } from '../../bin/deploy/command-line.ts';
import { checkPrerequisites } from '../../bin/deploy/prerequisites.ts';
import { openTerminal } from '../../bin/local/terminal.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { goodAccount } from './account-facts.ts';
import { type AwsStandIn, startAws } from './aws-stand-in.ts';
import { home, runDeploy } from './run-deploy.ts';

const digest = `imageDigest=sha256:${'a'.repeat(64)}`;
const account = '111111111111';
const processTimeoutMs = 60_000;
let aws: AwsStandIn;

beforeAll(async () => {
  aws = await startAws(goodAccount);
});
afterAll(() => aws.close());

function commandOf(...args: string[]): StageCommand {
  const command = readCommand(args);
  if ('text' in command) throw new Error(command.text);
  return command;
}

describe('the arguments', () => {
  test('name an engineer’s own stage in the context that bin/app.ts reads', () => {
    expect(commandOf('deploy', 'ada', '--own').cdkArgs.slice(2)).toEqual(['--context', 'stage=ada']);
    expect(commandOf('deploy', 'ada', '--own').settings).toBe(stages.dev);
  });

  test.each([
    [
      ['deploy', 'staging'],
      ['deploy', 'staging/**'],
    ],
    [
      ['deploy', 'prod', '--require-approval', 'never'],
      ['deploy', 'prod/**', '--require-approval', 'never'],
    ],
    [
      ['diff', 'prod/Database'],
      ['diff', 'prod/Database'],
    ],
    [
      ['deploy', 'ada', '--own', '-c', digest],
      ['deploy', 'ada/**', '--context', 'stage=ada', '-c', digest],
    ],
  ])('%j become those of the CDK', (args, cdkArgs) => {
    expect(commandOf(...args).cdkArgs).toEqual(cdkArgs);
  });

  test.each([
    [['deploy'], 'The stage is missing'],
    [['deploy', '--require-approval', 'never'], 'The stage is missing'],
    [
      ['deploy', 'qa'],
      `There is no stage qa. Stages are ${Object.keys(stages).join(', ')}; for your own stage, add --own.`,
    ],
    [['diff', 'toString'], 'There is no stage toString.'],
    [['deploy', 'prod', '--own'], 'prod is a shared stage'],
    [['diff', 'dev', '--check'], '--check is an option of deploy.'],
    [['deploy', 'Ada_1', '--own'], 'the name of a stage must be up to 16 lower-case letters'],
  ])('%j are refused', (args, reason) => {
    expect(readCommand(args)).toEqual({ text: expect.stringContaining(reason), exitCode: 2 });
  });

  test('need Docker only where an image may have to be built', () => {
    expect(commandOf('deploy', 'dev').needsDocker).toBe(true);
    for (const args of [
      ['diff', 'dev'],
      ['deploy', 'dev', '-c', digest],
      ['deploy', 'dev', `--context=${digest}`],
      ['deploy', 'dev/Database'],
    ]) {
      expect(commandOf(...args).needsDocker).toBe(false);
    }
  });

  test('name the qualifier of a bootstrap, which nobody has to', () => {
    expect(commandOf('deploy', 'dev').qualifier).toEqual({ name: 'hnb659fds', isDefault: true });
    const named = commandOf('deploy', 'dev', '-c', '@aws-cdk/core:bootstrapQualifier=dev');
    expect(named.qualifier).toEqual({ name: 'dev', isDefault: false });
    expect(commandOf('deploy', 'prod').qualifier.name).toBe(stages.prod.bootstrapQualifier);
  });

  test('need credentials unless the comparison is with a file', () => {
    expect(commandOf('diff', 'dev').needsCredentials).toBe(true);
    expect(commandOf('diff', 'dev/Media', '--template=old.json').needsCredentials).toBe(false);
  });
});

describe('a deployment', { timeout: processTimeoutMs }, () => {
  test('is refused without credentials, before anything is built', async () => {
    const { code, output } = await runDeploy(['deploy', 'dev']);
    expect(code).toBe(1);
    expect(output).toContain('There are no AWS credentials');
    expect(output).toContain('--profile NAME');
    expect(output).not.toContain('> cdk');
  });

  test('is refused with credentials that AWS does not accept', async () => {
    const { code, output } = await runDeploy(['deploy', 'dev'], { ...aws.environment, AWS_ACCESS_KEY_ID: 'OLD' });
    expect(code).toBe(1);
    const refusal = 'AWS refuses the credentials, or cannot be reached';
    expect(output).toContain(`${refusal} (The security token included in the request is expired)`);
  });

  test('is refused without Docker, with how to deploy without it', async () => {
    const { code, output } = await runDeploy(['deploy', 'dev'], {
      ...aws.environment,
      CDK_DOCKER: join(home, 'no-docker'),
    });
    expect(code).toBe(1);
    expect(output).toContain(`account ${account}`);
    expect(output).toContain('-c imageDigest=sha256:…');
    expect(output).not.toContain('> cdk');
  });

  test('is synthesized by the CDK, and ends with its exit code', async () => {
    const { code, output } = await runDeploy(
      ['deploy', 'ada', '--own', '-c', digest, '--app', join(home, 'no-app')],
      aws.environment,
    );
    expect(code).toBe(1);
    expect(output).toContain(
      `> cdk synth --quiet ada/** --context stage=ada -c ${digest} --app ${join(home, 'no-app')}`,
    );
    expect(output).toMatch(/no-app: not found|Subprocess exited/);
  });

  test('is refused with credentials of another account than that of its stage', async () => {
    const elsewhere = {
      ...commandOf('deploy', 'prod', '-c', digest),
      settings: { ...stages.prod, account: '222222222222' },
    };
    const before = { ...process.env };
    Object.assign(process.env, aws.environment);
    try {
      await expect(checkPrerequisites(elsewhere, openTerminal({ write: () => true }))).rejects.toThrow(
        `prod belongs to the account 222222222222 (lib/stages.ts), but the credentials are for ${account}.`,
      );
    } finally {
      process.env = before;
    }
  });
});

describe('a comparison', () => {
  // This synthesizes the stage without the code of its functions: bundling takes longest, and is not compared.
  const app = testApp();
  synthesizeStage(app, 'ada', stages.dev);

  test('of an engineer’s own stage with a template needs no account', { timeout: processTimeoutMs }, async () => {
    const assembly = app.synth().directory;
    const { code, output } = await runDeploy([
      'diff',
      'ada/Delivery',
      '--own',
      '--exclusively',
      '--template',
      'test/stacks/templates/delivery.json',
      '--app',
      assembly,
    ]);
    expect(output).toContain('Stack ada/Delivery');
    expect(output).toContain('[-] /loop-streaming-platform/prod/public-origin');
    expect(output).toContain('[+] /loop-streaming-platform/ada/public-origin');
    expect(code).toBe(0);
  });
});
