// Checks of `npm run deploy` in an account, with a stand-in of AWS that answers as documented.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { bootstrapParameterRight, checkRights } from '../../lib/delivery/check-rights.ts';
import { answers } from './account-answers.ts';
import { type AccountFacts, emptyAccount, goodAccount } from './account-facts.ts';
import { type AwsStandIn, startAws } from './aws-stand-in.ts';
import { type Ended, home, runDeploy } from './run-deploy.ts';

const digest = ['-c', `imageDigest=sha256:${'a'.repeat(64)}`];
const own = ['deploy', 'ada', '--own', ...digest];
const timeout = 60_000;
const noDocker = { CDK_DOCKER: join(home, 'no-docker') };
const started: AwsStandIn[] = [];

afterEach(() => started.splice(0).forEach((aws) => aws.close()));

async function deployTo(
  facts: AccountFacts,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended & { readonly asked: readonly string[] }> {
  const aws = await startAws(facts);
  started.push(aws);
  return { ...(await runDeploy(args, { ...aws.environment, ...environment })), asked: aws.asked };
}

/** The findings with a mark: what each is about, with its further lines. */
function rowsOf(output: string, mark: '✓' | '✗' | '!'): string[] {
  const [, list = ''] = output.split(/Prerequisites in the account.*\n/);
  const rows = list.split(/^(?=[✓✗!]  )/m).filter((row) => row.startsWith(mark));
  return rows.map((row) => row.split(/\n\n/)[0]!.replaceAll(/\s+/g, ' '));
}

describe('an empty account', { timeout }, () => {
  test('is told everything that is missing at once, with what to do', async () => {
    const { code, output } = await deployTo(emptyAccount, ['deploy', 'dev', '--check'], noDocker);
    expect(code).toBe(1);
    const region = '--region us-east-1';
    const increase = '$ aws service-quotas request-service-quota-increase';
    const remedies = [
      '$ npm run deploy -- dev -c imageDigest=sha256:…',
      '$ npx cdk bootstrap aws://111111111111/us-east-1',
      '$ aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com',
      '$ aws iam create-service-linked-role --aws-service-name ecs.application-autoscaling.amazonaws.com',
      '$ aws iam create-service-linked-role --aws-service-name autoscaling.amazonaws.com',
      '$ aws iam create-service-linked-role --aws-service-name rds.amazonaws.com',
      'give dev availabilityZones out of: us-east-1b,',
      'give dev availabilityZones out of: us-east-1b,',
      'give dev availabilityZones out of: us-east-1b,',
      'give dev availabilityZones out of: us-east-1b,',
      `${increase} --service-code lambda --quota-code L-B99A9384 --desired-value 1000 ${region}`,
      'give dev a mailFrom or a domain',
      'give dev an alarmEmail or an alarmTopicArn',
    ];
    const missing = rowsOf(output, '✗');
    expect(missing).toEqual(remedies.map((remedy) => expect.stringContaining(remedy)));
    expect(rowsOf(output, '!')).toEqual([
      // It keeps no machine: without the quota it can be deployed, and no machine comes for a stream that waits.
      expect.stringContaining(`${increase} --service-code ec2 --quota-code L-DB2E81BA --desired-value 16 ${region}`),
      expect.stringContaining('vCPU of Fargate on-demand: 4 to deploy, 10 at most. Found: 6'),
      expect.stringContaining('SES: production access. Found: sandbox'),
      expect.stringContaining("give dev the account '111111111111'"),
    ]);
    expect(output).toContain(`dev: ${missing.length} missing, 4 warnings, 3 met.`);
    expect(output).not.toContain('> cdk');
  });

  test('gets no deployment, and still a comparison', async () => {
    const deployment = await deployTo(emptyAccount, own);
    expect(deployment.code).toBe(1);
    expect(deployment.output).not.toContain('> cdk');
    const comparison = await deployTo(emptyAccount, ['diff', 'dev', '--app', join(home, 'no-app')]);
    expect(comparison.output).toContain('✗  CDK bootstrap');
    expect(comparison.output).toContain('> cdk synth --quiet dev/**');
  });
});

describe('a good account', { timeout }, () => {
  test('lacks nothing', async () => {
    const { code, output } = await deployTo(goodAccount, [...own, '--check']);
    expect(rowsOf(output, '✗')).toEqual([]);
    expect(rowsOf(output, '✓')).toHaveLength(17);
    expect(output).not.toContain('> cdk');
    expect(code).toBe(0);
  });

  test('is not asked for machines that this stage has already', async () => {
    const gpuMachines = [
      { vcpus: 48, group: 'ada-two-Publishing-Machines1' },
      { vcpus: 12, group: 'ada-Publishing-AgentsGpuPoolMachines-1XYZ' },
    ];
    const { output } = await deployTo({ ...goodAccount, gpuMachines }, [...own, '--check']);
    expect(rowsOf(output, '✗')).toEqual([]);
    expect(output).toMatch(/G .* 64; others use 48/);
  });

  test('with as many VPCs as a region may have is told so, unless one is of this stage', async () => {
    const full = [null, 'ada-two-Network', 'b-Network', 'c-Network'];
    const missing = await deployTo({ ...goodAccount, vpcs: [...full, 'd-Network'] }, [...own, '--check']);
    expect(rowsOf(missing.output, '✗')).toEqual([
      expect.stringMatching(/^✗ VPCs in the region: 1\. Found: 5; others use 5 .* L-F678F1CE --desired-value 6 /),
    ]);
    const standing = await deployTo({ ...goodAccount, vpcs: [...full, 'ada-Network'] }, [...own, '--check']);
    expect(rowsOf(standing.output, '✗')).toEqual([]);
  });

  test('with zones that a standing stage lacks is told so, and can be deployed to', async () => {
    const standing = {
      ...goodAccount,
      zoneIds: emptyAccount.zoneIds,
      stacks: { 'ada-Network': { status: 'CREATE_COMPLETE', isProtected: false } },
    };
    const { code, output } = await deployTo(standing, [...own, '--check']);
    expect(code).toBe(0);
    expect(rowsOf(output, '!').filter((row) => row.includes('use1-az3'))).toHaveLength(4);
  });

  test.each([
    // RDS itself chooses the zone of a database without a standby.
    [['use1-az2'], 0],
    [['use1-az3'], 1],
  ])('with a database only in %s', async (databaseZoneIds, missing) => {
    const { output } = await deployTo({ ...goodAccount, databaseZoneIds }, [...own, '--check']);
    expect(rowsOf(output, '✗')).toHaveLength(missing);
    const row = expect.stringMatching(
      /^✗ Zones with db\.t4g\.micro for Postgres 18: us-east-1a, us-east-1b\. Found: not/,
    );
    expect(rowsOf(output, '✗')).toEqual(missing === 0 ? [] : [row]);
  });

  test('with an old bootstrap is told what to do', async () => {
    const { output } = await deployTo({ ...goodAccount, bootstraps: { 'us-east-1/hnb659fds': 5 } }, [
      ...own,
      '--check',
    ]);
    expect(rowsOf(output, '✗')).toEqual([expect.stringMatching(/version 5 \$ npx cdk bootstrap/)]);
  });
});

describe('an image that somebody names', { timeout }, () => {
  test.each([
    ['another one', [`sha256:${'b'.repeat(64)}`]],
    ['none at all', []],
  ])('is missed in a repository that has %s', async (_what, images) => {
    const { code, output } = await deployTo({ ...goodAccount, images }, [...own, '--check']);
    expect(rowsOf(output, '✗')).toEqual([
      expect.stringMatching(/not there .*repository loop-streaming-platform\/publisher lacks it/),
    ]);
    expect(code).toBe(1);
  });
});

describe('a stack whose first deployment failed', { timeout }, () => {
  const failed = { status: 'ROLLBACK_COMPLETE', isProtected: true };
  const stacksOf = (stacks: AccountFacts['stacks']) => deployTo({ ...goodAccount, stacks }, [...own, '--check']);

  test('and that is protected stops a deployment, with how to lift the protection', async () => {
    const { code, output } = await stacksOf({
      'ada-Network': { status: 'CREATE_COMPLETE', isProtected: true },
      'ada-Database': { ...failed, status: 'ROLLBACK_FAILED' },
      'ada-Media': failed,
      'ada-two-Media': failed,
    });
    const rows = rowsOf(output, '✗');
    expect(rows).toEqual([expect.stringContaining('ada-Database'), expect.stringContaining('ada-Media')]);
    const command = 'update-termination-protection --no-enable-termination-protection --stack-name ada-Database';
    expect(rows[0]).toContain(command);
    expect(rows.map((row) => row.includes('modify-db-instance'))).toEqual([true, false]);
    expect(code).toBe(1);
  });

  test('and whose machines are protected is told how to delete them, as CloudFormation cannot', async () => {
    const { code, output } = await stacksOf({
      'ada-Publishing': { status: 'ROLLBACK_IN_PROGRESS', isProtected: false },
      'ada-Media': { status: 'ROLLBACK_IN_PROGRESS', isProtected: false },
    });
    const rows = rowsOf(output, '✗');
    expect(rows).toEqual([expect.stringContaining('delete-auto-scaling-group --force-delete')]);
    expect(rows[0]).toContain('--output text --stack-name ada-Publishing --region us-east-1');
    expect(code).toBe(1);
  });

  test('is left to the CDK where it is not protected', async () => {
    const { code } = await stacksOf({ 'ada-Database': { ...failed, isProtected: false } });
    expect(code).toBe(0);
  });
});

describe('the workflow', () => {
  test('may ask all that is asked, and no more', () => {
    // A caller needs no right to ask for its own identity.
    const asked = Object.keys(answers).filter((right) => right !== 'sts:GetCallerIdentity');
    expect([...checkRights, bootstrapParameterRight].sort()).toEqual(asked.sort());
  });
});

describe('an account that does not answer', { timeout }, () => {
  test('for lack of rights gives warnings that name the check, and blocks nothing', async () => {
    const { code, output } = await deployTo({ ...goodAccount, forbidden: 'all' }, [...own, '--check']);
    expect(rowsOf(output, '✗')).toEqual([]);
    const unknown = rowsOf(output, '!').filter((row) => /unknown: (?:AccessDenied|UnauthorizedOperation)/.test(row));
    expect(unknown).toHaveLength(11);
    expect(code).toBe(0);
  });

  test('for lack of one right still tells what the others say', async () => {
    const forbidden = ['ec2:DescribeInstances'];
    const { output } = await deployTo({ ...goodAccount, zoneIds: emptyAccount.zoneIds, forbidden }, [
      ...own,
      '--check',
    ]);
    expect(rowsOf(output, '✗')).toHaveLength(4);
    expect(rowsOf(output, '!')).toContainEqual(expect.stringMatching(/^! vCPU of running .* UnauthorizedOperation/));
  });

  test('because it is busy is asked again', async () => {
    const { code, output } = await deployTo({ ...goodAccount, busyTimes: 2 }, [...own, '--check']);
    expect(rowsOf(output, '✓')).toHaveLength(17);
    expect(code).toBe(0);
  });

  test('because it stays busy gives warnings', async () => {
    const { code, output } = await deployTo({ ...goodAccount, busyTimes: 1000 }, [...own, '--check']);
    expect(rowsOf(output, '!').filter((row) => /Rate exceeded|Request limit exceeded/.test(row)).length).toBe(10);
    expect(code).toBe(0);
  });
});

describe('what is out of reach', { timeout }, () => {
  test('is a warning, at the endpoint that a variable names for one service', async () => {
    const { code, output } = await deployTo(goodAccount, [...own, '--check'], {
      AWS_ENDPOINT_URL_EC2: 'http://127.0.0.1:1',
    });
    expect(rowsOf(output, '!')).toContainEqual(expect.stringMatching(/^! Availability zones: .* ECONNREFUSED/));
    expect(rowsOf(output, '✓')).toContainEqual(expect.stringMatching(/^✓ CDK bootstrap/));
    expect(code).toBe(0);
  });

  test('behind a page of somebody else is a warning as well', async () => {
    const page = createServer((_request, response) => response.end('<html><p>Sign in to the network</html>'));
    await once(page.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    const { code, output } = await deployTo(goodAccount, [...own, '--check'], { AWS_ENDPOINT_URL_LAMBDA: address });
    page.close();
    expect(rowsOf(output, '!')).toContainEqual(
      expect.stringMatching(/^! Concurrent Lambda executions: .* SyntaxError/),
    );
    expect(code).toBe(0);
  });

  test('behind an MFA code is not checked without a terminal, and a deployment goes on', async () => {
    const config = join(home, 'config-with-mfa');
    const device = 'arn:aws:iam::111111111111:mfa/ada';
    const role = ['role_arn = arn:aws:iam::111111111111:role/Ada', 'source_profile = base', `mfa_serial = ${device}`];
    const base = ['[profile base]', 'aws_access_key_id = GOOD', 'aws_secret_access_key = secret'];
    writeFileSync(config, ['[profile sandbox]', ...role, ...base].join('\n'));
    const asProfile = { AWS_CONFIG_FILE: config };
    const args = [...own, '--profile', 'sandbox'];
    const check = await runDeploy([...args, '--check'], asProfile);
    expect(check.output).toContain(
      'The profile asks for an MFA code: npm run deploy -- ada --own --profile sandbox --check, at a terminal,',
    );
    expect(check.code).toBe(1);
    const deployment = await runDeploy([...args, '--app', join(home, 'no-app')], asProfile);
    expect(deployment.output).toContain('> cdk synth --quiet ada/**');
  });
});
