// Checks of a stage with settings that no stage of the table has: a domain, a sender, another region.
import { afterEach, describe, expect, test } from 'vitest';
import type { Finding } from '../../bin/deploy/check.ts';
import { readCommand, type StageCommand } from '../../bin/deploy/command-line.ts';
import { runChecks } from '../../bin/deploy/prerequisites.ts';
import { stacksOf } from '../../bin/deploy/stage-stacks.ts';
import { needsOf } from '../../bin/deploy/stage-needs.ts';
import { templatesOf } from '../../bin/stages/templates.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { type AccountFacts, goodAccount } from './account-facts.ts';
import { startAws } from './aws-stand-in.ts';

const before = { ...process.env };
const ends: (() => void)[] = [];
const digest = `imageDigest=sha256:${'a'.repeat(64)}`;
const needs = needsOf(templatesOf('staging', stages.staging));
const domain = { name: 'live.example.com', hostedZoneId: 'Z0123456789' };

afterEach(() => {
  process.env = before;
  ends.splice(0).forEach((end) => end());
});

interface Variation {
  readonly options?: readonly string[];
  readonly qualifier?: StageCommand['qualifier'];
}

/** The findings about resources whose name begins with `what`. */
async function findingsOf(
  what: string,
  facts: Partial<AccountFacts>,
  settings: Partial<StageSettings>,
  { options = [], qualifier = { name: 'hnb659fds', isDefault: true } }: Variation = {},
): Promise<readonly Finding[]> {
  const aws = await startAws({ ...goodAccount, ...facts });
  ends.push(() => aws.close());
  process.env = { ...before, ...aws.environment };
  const command = readCommand(['deploy', 'staging', '-c', digest, ...options]);
  if ('text' in command) throw new Error(command.text);
  const placed = { ...command, settings: { ...stages.staging, ...settings }, qualifier };
  const credentials = () => Promise.resolve({ accessKeyId: 'GOOD', secretAccessKey: 'secret' });
  const config = { region: placed.settings.region, credentials, maxAttempts: 1 };
  const ownStacks = () => stacksOf(placed.stage, config);
  const findings = await runChecks({ command: placed, account: '111111111111', aws: config, needs, ownStacks });
  return findings.filter((finding) => finding.what.startsWith(what));
}

describe('a stage with a domain', () => {
  test.each([
    ['there', 'example.com', false, 'there'],
    ['another’s', 'example.org', false, 'missing'],
    ['a longer name’s', 'e.com', false, 'missing'],
    ['private', 'example.com', true, 'missing'],
  ])('whose hosted zone is %s', async (_what, name, isPrivate, state) => {
    const facts = { hostedZones: { Z0123456789: { name, isPrivate } } };
    expect(await findingsOf('Hosted zone', facts, { domain })).toEqual([expect.objectContaining({ state })]);
  });

  test('whose hosted zone is not in the account is told how to find it', async () => {
    const [zone] = await findingsOf('Hosted zone', {}, { domain });
    expect(zone?.remedy).toContain('$ aws route53 list-hosted-zones');
    expect(zone?.state).toBe('missing');
  });
});

describe('a sender of mails', () => {
  const mailFrom = 'streams+mail@example.com';
  const standing = { 'staging-Network': { status: 'CREATE_COMPLETE', isProtected: true } };
  const withIdentity = (EmailIdentity: string, status = 'UPDATE_COMPLETE'): AccountFacts['stacks'] => {
    const template = JSON.stringify({
      Resources: { Mail: { Type: 'AWS::SES::EmailIdentity', Properties: { EmailIdentity } } },
    });
    return { ...standing, 'staging-Identity': { status, isProtected: false, template } };
  };

  test.each([
    ['not made yet', {}, standing, 'warning'],
    ['not verified', { [mailFrom]: false }, withIdentity(mailFrom), 'warning'],
    ['verified', { [mailFrom]: true }, withIdentity(mailFrom), 'there'],
    ['made outside this stage', { [mailFrom]: true }, {}, 'missing'],
    ['made outside this stage', { [mailFrom]: true }, withIdentity('former@example.com'), 'missing'],
    ['made outside this stage', { [mailFrom]: true }, withIdentity(mailFrom, 'ROLLBACK_COMPLETE'), 'missing'],
  ])('that is %s', async (found, sesIdentities, stacks, state) => {
    const [identity] = await findingsOf('SES identity', { sesIdentities, stacks }, { mailFrom });
    expect(identity).toMatchObject({ found, state });
  });

  test('that is made outside a stage that stands and gets a domain', async () => {
    const facts = { sesIdentities: { [domain.name]: true }, stacks: withIdentity(mailFrom) };
    const [identity] = await findingsOf('SES identity', facts, { mailFrom: null, domain });
    expect(identity).toMatchObject({ found: 'made outside this stage', state: 'missing' });
  });

  test('in the sandbox is told how to leave it', async () => {
    const [ses] = await findingsOf('SES', { sesProduction: false }, { mailFrom });
    expect(ses).toMatchObject({ found: 'sandbox', state: 'warning' });
    expect(ses?.remedy.at(-1)).toContain('$ aws sesv2 put-account-details --production-access-enabled');
  });

  test('is missing where a shared stage has neither an address nor a domain', async () => {
    const neither = await findingsOf('Sender', {}, { mailFrom: null, domain: null });
    expect(neither.map(({ state }) => state)).toEqual(['missing']);
    const either = await findingsOf('Sender', {}, { mailFrom: null, domain });
    expect(either.map(({ found }) => found)).toEqual(['no-reply@live.example.com']);
  });
});

describe('a stage that others rely on', () => {
  const topic = 'arn:aws:sns:us-east-1:111111111111:pager';

  test.each([
    ['nobody', {}, 'missing'],
    ['an address', { alarmEmail: 'ops@example.com' }, 'there'],
    ['a topic', { alarmTopicArn: topic }, 'there'],
  ])('whose alarms are heard by %s', async (_whom, settings, state) => {
    expect(await findingsOf('Receiver', {}, settings)).toEqual([expect.objectContaining({ state })]);
  });

  test('is told to name its account', async () => {
    const [unnamed] = await findingsOf('Account', {}, { account: null });
    expect(unnamed).toMatchObject({ state: 'warning', remedy: [expect.stringContaining("'111111111111'")] });
    const [named] = await findingsOf('Account', {}, { account: '111111111111' });
    expect(named?.state).toBe('there');
  });
});

describe('a stage in another region', () => {
  const elsewhere = { region: 'eu-west-1', availabilityZones: ['eu-west-1a', 'eu-west-1b'] };

  test('needs a bootstrap there and in us-east-1', async () => {
    const there = await findingsOf('CDK bootstrap', {}, elsewhere);
    expect(there.map(({ what, state }) => `${what}: ${state}`)).toEqual([
      'CDK bootstrap in eu-west-1: missing',
      'CDK bootstrap in us-east-1: there',
    ]);
  });

  test('needs one in the region of its copies too', async () => {
    const copied = await findingsOf('CDK bootstrap', {}, { ...elsewhere, recoveryRegion: 'eu-central-1' });
    expect(copied.map(({ what }) => what)).toEqual([
      'CDK bootstrap in eu-west-1',
      'CDK bootstrap in us-east-1',
      'CDK bootstrap in eu-central-1',
    ]);
  });

  test('is asked about where it is, and told of zones that are not there', async () => {
    const [zones] = await findingsOf('Availability zones', {}, elsewhere);
    expect(zones).toMatchObject({ found: 'no eu-west-1a, no eu-west-1b', state: 'missing' });
  });

  test('has the region and the profile in its commands', async () => {
    const [vcpus] = await findingsOf('vCPU of running', { appliedQuotas: {} }, elsewhere, {
      options: ['--profile', 'sandbox'],
    });
    expect(vcpus?.remedy.at(-1)).toMatch(/^\$ aws .* --region eu-west-1 --profile sandbox$/);
  });
});

describe('a bootstrap with a qualifier', () => {
  test('is asked for by it, and made with it', async () => {
    const own = { qualifier: { name: 'stg', isDefault: false } };
    const [missing] = await findingsOf('CDK bootstrap', {}, {}, own);
    expect(missing?.remedy).toEqual([
      '$ npx cdk bootstrap aws://111111111111/us-east-1 --qualifier stg --toolkit-stack-name CDKToolkit-stg',
    ]);
    const [there] = await findingsOf('CDK bootstrap', { bootstraps: { 'us-east-1/stg': 21 } }, {}, own);
    expect(there?.state).toBe('there');
  });
});
