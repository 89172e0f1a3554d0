// `npm run deploy` and `npm run diff`: what they refuse and why, and what they hand to the real CDK CLI.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand, type StageCommand } from '../../bin/deploy/command-line.ts';
import { checkPrerequisites } from '../../bin/deploy/prerequisites.ts';
import { openTerminal } from '../../bin/local/terminal.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const root = join(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'deploy-command-'));
const digest = `imageDigest=sha256:${'a'.repeat(64)}`;
const account = '111111111111';
const processTimeoutMs = 60_000;
/** Says who one is to whoever signs a request with the key id GOOD. */
const sts = createServer((request, response) => {
  const known = request.headers.authorization?.includes('Credential=GOOD/');
  const answer = known
    ? `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Account>${account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`
    : '<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>The security token included in the request is expired</Message></Error></ErrorResponse>';
  request.resume().once('end', () => response.writeHead(known ? 200 : 403, { 'Content-Type': 'text/xml' }).end(answer));
});

beforeAll(() => once(sts.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => {
  sts.close();
  rmSync(home, { recursive: true });
});

const signedIn = (keyID: string) => ({
  AWS_ACCESS_KEY_ID: keyID,
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(sts.address() as AddressInfo).port}`,
});

/** Without any credentials of whoever runs the tests. */
async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const env = { PATH: process.env.PATH, HOME: home, AWS_EC2_METADATA_DISABLED: 'true', CI: '1', ...environment };
  const child = spawn(process.execPath, ['bin/deploy.ts', ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, output: chunks.join('') };
}

function commandOf(...args: string[]): StageCommand {
  const command = readCommand(args);
  if ('text' in command) throw new Error(command.text);
  return command;
}

describe('the arguments', () => {
  test('name an engineer’s own stage as bin/app.ts reads it', () => {
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
      `There is no stage qa. There are ${Object.keys(stages).join(', ')}; for one of your own add --own.`,
    ],
    [['diff', 'toString'], 'There is no stage toString.'],
    [['deploy', 'prod', '--own'], 'prod is a shared stage'],
    [['deploy', 'Ada_1', '--own'], 'NAME must be up to 16 lower-case letters'],
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

  test('need credentials unless the comparison is with a file', () => {
    expect(commandOf('diff', 'dev').needsCredentials).toBe(true);
    expect(commandOf('diff', 'dev/Media', '--template=old.json').needsCredentials).toBe(false);
  });
});

describe('a deployment', { timeout: processTimeoutMs }, () => {
  test('is refused without credentials, before anything is built', async () => {
    const { code, output } = await run(['deploy', 'dev']);
    expect(code).toBe(1);
    expect(output).toContain('There are no AWS credentials');
    expect(output).toContain('--profile NAME');
    expect(output).not.toContain('> cdk');
  });

  test('is refused with credentials that AWS does not accept', async () => {
    const { code, output } = await run(['deploy', 'dev'], signedIn('OLD'));
    expect(code).toBe(1);
    expect(output).toContain(
      'AWS does not accept the credentials, or cannot be reached (The security token included in the request is expired)',
    );
  });

  test('is refused without Docker, and says how to do without', async () => {
    const { code, output } = await run(['deploy', 'dev'], { ...signedIn('GOOD'), CDK_DOCKER: join(home, 'no-docker') });
    expect(code).toBe(1);
    expect(output).toContain(`account ${account}`);
    expect(output).toContain('-c imageDigest=sha256:…');
    expect(output).not.toContain('> cdk');
  });

  test('goes to the CDK, whose exit code it has', async () => {
    const { code, output } = await run(
      ['deploy', 'dev', '-c', digest, '--app', join(home, 'no-app')],
      signedIn('GOOD'),
    );
    expect(code).toBe(1);
    expect(output).toContain(`> cdk deploy dev/** -c ${digest} --app ${join(home, 'no-app')}`);
    expect(output).toMatch(/no-app: not found|Subprocess exited/);
  });

  test('goes to the account of its stage only', async () => {
    const elsewhere = {
      ...commandOf('deploy', 'prod', '-c', digest),
      settings: { ...stages.prod, account: '222222222222' },
    };
    const before = { ...process.env };
    Object.assign(process.env, signedIn('GOOD'));
    try {
      await expect(checkPrerequisites(elsewhere, openTerminal({ write: () => true }))).rejects.toThrow(
        `prod belongs to the account 222222222222 (lib/stages.ts), and the credentials are of ${account}.`,
      );
    } finally {
      process.env = before;
    }
  });
});

describe('a comparison', () => {
  // Synthesized here without code, which takes the longest and is not compared.
  const app = testApp();
  synthesizeStage(app, 'ada', stages.dev);

  test('of an engineer’s own stage with a template needs no account', { timeout: processTimeoutMs }, async () => {
    const assembly = app.synth().directory;
    const { code, output } = await run([
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
