// A stage with a live ingest: its load balancer, its tasks with their few rights, and no trace of it in other stages.
import { beforeAll, describe, expect, test } from 'vitest';
import { liveVariables } from '../../lambda/live/environment.ts';
import { liveIngestRole, serviceRole } from '../../lambda/migrate/environment.ts';
import { connectionBudget } from '../../lib/database/connection-budget.ts';
import { checkStage, type StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { ConcreteTemplates } from '../support/concrete-templates.ts';
import { type AwsCall, SimulatedAccount } from '../support/iam.ts';
import { nagFindings } from '../support/nag-findings.ts';
import { reachOf } from '../support/stage-reach.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { checkEveryStage } from './every-stage.ts';

const domain = { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' };
const app = testApp();
const settings: StageSettings = { ...stages.prod, liveIngest: { minTasks: 2, maxTasks: 4 } };
const named: StageSettings = {
  ...settings,
  region: 'eu-central-1',
  availabilityZones: ['eu-central-1a', 'eu-central-1b'],
  domain,
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
  ecsExec: true,
};
const plain = synthesizeStage(app, 'plain', settings);
const secure = synthesizeStage(app, 'secure', named);
const delegated = synthesizeStage(app, 'delegated', {
  ...settings,
  domain,
  hostedZoneRoleArn: 'arn:aws:iam::123456789012:role/dns',
});

type Stage = typeof plain;
const only = (stage: Stage, type: string, id = /./) => {
  const found = stage.resources('Publishing').filter(([name, { Type }]) => Type === type && id.test(name));
  expect(found).toHaveLength(1);
  return found[0]![1].Properties;
};
const elb = (type: string) => `AWS::ElasticLoadBalancingV2::${type}`;
/** The variable of a surface, with values of AWS as NAME. */
const addressesOf = (stage: Stage): unknown => {
  const [, rest] = stage.resources('Api').find(([id]) => /^Rest[0-9A-F]{8}$/.test(id))!;
  const value = rest.Properties.Environment.Variables.LIVE_INGEST_ADDRESSES;
  const parts: unknown[] = value['Fn::Join']?.[1] ?? [value];
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'NAME')).join(''));
};

describe('a stage with a live ingest', () => {
  // The first read of a stage's templates takes seconds.
  beforeAll(() => void plain.resources(), 60_000);

  checkEveryStage(plain, test, settings);
});

describe('contributors', () => {
  test('are told the address of the load balancer, or its name if the stage has a domain', () => {
    expect(addressesOf(plain)).toEqual({ cores: 2, coresOfUnfunded: 1, rtmpURL: 'rtmp://NAME/live' });
    const ofDomain = { cores: 2, coresOfUnfunded: 1, rtmpsURL: 'rtmps://ingest.live.example.com:443/live' };
    expect([addressesOf(secure), addressesOf(delegated)]).toEqual([ofDomain, ofDomain]);
  });

  test('reach the tasks through the load balancer only, and in the clear only if there is no domain', () => {
    const internet = (stage: Stage) => reachOf(stage).filter((line) => line.startsWith('internet →'));
    expect(internet(plain)).toEqual(['internet → Publishing/LiveFrontBalancer: tcp 1935 from 0.0.0.0/0']);
    expect(internet(secure)).toEqual(['internet → Publishing/LiveFrontBalancer: tcp 443 from 0.0.0.0/0']);
    // The load balancer is open to all, the stage's own tasks included.
    const ofIngest = (line: string) => /LiveIngest/.test(line) && !line.includes('→ Publishing/LiveFront');
    expect(reachOf(plain).filter(ofIngest)).toEqual([
      'Publishing/LiveFrontBalancer → Publishing/LiveIngest: tcp 1935',
      'Publishing/LiveIngest → Database/Database: tcp 5432',
      'Publishing/LiveIngest → Database/Proxy: tcp 5432',
      'Publishing/LiveIngest → S3 by the gateway endpoint: every port',
      'Publishing/LiveIngest → internet by its own address: every port',
    ]);
  });

  test('are decrypted by a certificate of the region, under a record of the zone', () => {
    expect(only(plain, elb('Listener'))).toMatchObject({ Port: 1935, Protocol: 'TCP' });
    expect(only(secure, elb('Listener'))).toMatchObject({
      Port: 443,
      Protocol: 'TLS',
      Certificates: [{ CertificateArn: { Ref: expect.stringMatching(/^LiveFrontCertificate/) } }],
    });
    for (const stage of [secure, delegated]) {
      const certificate = only(stage, 'AWS::CertificateManager::Certificate');
      const record = only(stage, 'AWS::Route53::RecordSet');
      expect([certificate.DomainName, record.Name]).toEqual(['ingest.live.example.com', 'ingest.live.example.com.']);
      expect(certificate.DomainValidationOptions[0].HostedZoneId).toEqual(record.HostedZoneId);
    }
  });

  test('are known to the tasks by their own addresses, and stay in their zone', () => {
    for (const stage of [plain, secure]) {
      const { TargetGroupAttributes: ofTargets, ...targets } = only(stage, elb('TargetGroup'));
      expect(targets).toMatchObject({ Port: 1935, Protocol: 'TCP', TargetType: 'ip' });
      expect(ofTargets).toContainEqual({ Key: 'proxy_protocol_v2.enabled', Value: 'true' });
      const { LoadBalancerAttributes: attributes, Scheme } = only(stage, elb('LoadBalancer'));
      expect(Scheme).toBe('internet-facing');
      expect(attributes).toContainEqual({ Key: 'load_balancing.cross_zone.enabled', Value: 'false' });
    }
  });
});

describe('the tasks', () => {
  test('are told what they read, and have the ingest as their command', () => {
    for (const [stage, protocol] of [
      [plain, 'rtmp'],
      [secure, 'rtmps'],
    ] as const) {
      const [container] = only(stage, 'AWS::ECS::TaskDefinition', /^LiveIngest/).ContainerDefinitions;
      const values = new Map(container.Environment.map(({ Name, Value }: any) => [Name, Value]));
      expect([...values.keys()].sort()).toEqual([...liveVariables].sort());
      expect([values.get('LIVE_PROTOCOL'), values.get('DATABASE_USER')]).toEqual([protocol, liveIngestRole]);
      expect(container).toMatchObject({
        Command: ['node', '/agent/live/index.mjs'],
        StopTimeout: 120,
        HealthCheck: expect.anything(),
        ReadonlyRootFilesystem: stage === plain,
      });
    }
  });

  test('are as few and as many as the stage says, and learn of a release by a parameter of their own', () => {
    expect(only(plain, 'AWS::ApplicationAutoScaling::ScalableTarget', /^LiveIngest/)).toMatchObject({
      MinCapacity: 2,
      MaxCapacity: 4,
    });
    const [policy] = [only(plain, 'AWS::ApplicationAutoScaling::ScalingPolicy', /^LiveIngest/)];
    expect(JSON.stringify(policy)).toContain('{"Name":"Backend","Value":"live"}');
    const names = plain
      .resources('Publishing')
      .flatMap(([, { Type, Properties }]) => (Type === 'AWS::SSM::Parameter' ? [Properties.Name] : []));
    expect(new Set(names).size).toBe(names.length);
  });

  test('roll back to the release before if those of a new one do not start', () => {
    expect(only(plain, 'AWS::ECS::Service', /^LiveIngest/).DeploymentConfiguration).toMatchObject({
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      MinimumHealthyPercent: 100,
    });
  });

  test('have connections to the database in its budget', () => {
    const use = connectionBudget(settings).uses.find(({ who }) => who === 'live ingest');
    expect(use).toEqual({ who: 'live ingest', processes: 4, each: 3 });
    expect(() => checkStage('mine', { ...settings, liveIngest: { minTasks: 1, maxTasks: 20 } })).toThrow(
      /live ingest 60, .+ importWorkersMax, liveIngest or apiRequestsPerSecond$/,
    );
  });
});

describe('the role of the tasks', () => {
  const templates = new ConcreteTemplates(plain);
  const account = new SimulatedAccount(templates);
  const idOf = (type: string, id: RegExp) => {
    const found = templates.ofType(type).filter((resource) => id.test(resource.id));
    expect(found).toHaveLength(1);
    return found[0]!.id;
  };
  const caller = account.roleOf(idOf('AWS::ECS::TaskDefinition', /\/LiveIngest/));
  const bucket = idOf('AWS::S3::Bucket', /^Media\/Uploads/);
  const mediaKey = idOf('AWS::KMS::Key', /^Media\//);
  const sealingKey = idOf('AWS::KMS::Key', /\/SealingKey/);
  const throughS3 = { 'kms:ViaService': 's3.us-east-1.amazonaws.com' };
  const purpose = (value: string) => ({ 'kms:EncryptionContext:purpose': value });
  const verdicts = async (calls: readonly Omit<AwsCall, 'caller'>[]) =>
    new Set(await Promise.all(calls.map((call) => account.verdictOn({ caller, ...call }))));

  test('may write segments', async () => {
    const needed = [
      { action: 's3:PutObject', resource: `${bucket}#live/ID` },
      { action: 'kms:GenerateDataKey', resource: mediaKey, context: throughS3 },
      { action: 'rds-db:connect', resource: `${idOf('AWS::RDS::DBProxy', /./)}#${liveIngestRole}` },
      { action: 'ecs:UpdateTaskProtection', resource: `${idOf('AWS::ECS::Cluster', /./)}#ID` },
    ];
    expect(await verdicts(needed)).toEqual(new Set(['Allowed']));
  });

  test('may neither open a stream key, nor sign, nor read or delete an object, nor send a command', async () => {
    const others = ['uploads/ID', 'renditions/ID', 'previews/ID'].map((key) => `${bucket}#${key}`);
    const unneeded = [
      ...['data key', 'sources'].map((value) => ({
        action: 'kms:Decrypt',
        resource: sealingKey,
        context: purpose(value),
      })),
      { action: 'kms:Decrypt', resource: mediaKey, context: throughS3 },
      { action: 'kms:GenerateDataKey', resource: mediaKey },
      ...templates
        .ofType('AWS::SecretsManager::Secret')
        .map(({ id }) => ({ action: 'secretsmanager:GetSecretValue', resource: id })),
      ...others.map((resource) => ({ action: 's3:PutObject', resource })),
      ...[...others, `${bucket}#live/ID`].flatMap((resource) =>
        ['s3:GetObject', 's3:DeleteObject'].map((action) => ({ action, resource })),
      ),
      { action: 's3:ListBucket', resource: bucket },
      ...templates.ofType('AWS::SQS::Queue').map(({ id }) => ({ action: 'sqs:SendMessage', resource: id })),
      ...['AWS::RDS::DBProxy', 'AWS::RDS::DBInstance'].flatMap((type) =>
        [serviceRole, 'postgres'].map((user) => ({ action: 'rds-db:connect', resource: `${idOf(type, /./)}#${user}` })),
      ),
    ];
    expect(await verdicts(unneeded)).not.toContain('Allowed');
  });
});

test('cdk-nag finds nothing that is not accepted', () => {
  expect(nagFindings(app)).toEqual([]);
});

test('a stage without a live ingest has none of it, and expires segments all the same', () => {
  const prod = synthesizeStage(testApp(), 'prod', stages.prod);
  expect(prod.resources().filter(([id]) => /^Live|ContributeAccess/.test(id))).toEqual([]);
  expect(JSON.stringify(prod.template('Monitoring'))).not.toContain('elasticloadbalancing');
  const [, { Properties }] = prod.resources('Media').find(([id]) => id.startsWith('Uploads'))!;
  expect(Properties.LifecycleConfiguration.Rules).toContainEqual({
    Prefix: 'live/',
    ExpirationInDays: 1,
    Status: 'Enabled',
  });
});

test.each([
  {},
  { minTasks: 0, maxTasks: 1 },
  { minTasks: 1 },
  { minTasks: 1.5, maxTasks: 2 },
  { minTasks: 3, maxTasks: 2 },
  { minTasks: 1, maxTasks: 21 },
  { minTasks: 1, maxTasks: 2, rtmpURL: 'rtmp://a/live' },
  'on',
])('liveIngest cannot be %j', (liveIngest) => {
  expect(() => checkStage('mine', { ...stages.dev, liveIngest } as StageSettings)).toThrow(
    'stage "mine": liveIngest must be minTasks and maxTasks, from 1 to 20 and in this order, or null, not ',
  );
});
