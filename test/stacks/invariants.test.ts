// What holds for every stage and stack, however the templates change.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { authVariables } from '../../lambda/auth/environment.ts';
import { apiVariables, paymentVariables } from '../../lambda/api/environment.ts';
import { webhookVariables } from '../../lambda/webhooks/environment.ts';
import { queueNames } from '../../lambda/ports/command-queue/queues.ts';
import { jobVariables } from '../../lambda/jobs/environment.ts';
import { migrateVariables } from '../../lambda/migrate/environment.ts';
import { stages } from '../../lib/stages.ts';
import { type Resource, type SynthesizedStage, synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
const built = Object.entries(stages).map(([name, settings]): [string, SynthesizedStage] => [
  name,
  synthesizeStage(app, name, settings),
]);

function resourcesOf(stage: SynthesizedStage, type: string): [string, Resource][] {
  return stage.resources().filter(([, { Type }]) => Type === type);
}

/** Logical id of a queue's dead letter queue. */
function deadLetterQueueOf({ Properties }: Resource): string | undefined {
  return Properties.RedrivePolicy?.deadLetterTargetArn['Fn::GetAtt'][0];
}

/** Not those that the CDK brings for its custom resources. */
function ownFunctionsOf(stage: SynthesizedStage): [string, Resource][] {
  return resourcesOf(stage, 'AWS::Lambda::Function').filter(
    ([id, { Properties }]) =>
      Properties.Handler === 'index.handler' && !/^(AWS679f53fac|CustomCDKBucketDeployment)/.test(id),
  );
}

function typesByStack(stage: SynthesizedStage): string[][] {
  return [...stage.stacks.keys()].map((stackId) =>
    [...new Set(stage.resources(stackId).map(([, { Type }]) => Type))].sort(),
  );
}

describe.each(built)('stage %s', (_name, stage) => {
  test('runs its functions on Node 24 and arm64, traced, with JSON logs that end', () => {
    const functions = ownFunctionsOf(stage);
    const logGroups = new Map(resourcesOf(stage, 'AWS::Logs::LogGroup'));
    expect(functions.length).toBeGreaterThan(0);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        TracingConfig: { Mode: 'Active' },
        LoggingConfig: { LogFormat: 'JSON' },
      });
      expect(logGroups.get(Properties.LoggingConfig.LogGroup.Ref)?.Properties.RetentionInDays).toBeGreaterThan(0);
    }
  });

  test('lets no log group keep its logs for ever', () => {
    expect(
      resourcesOf(stage, 'AWS::Logs::LogGroup').filter(([, { Properties }]) => !(Properties.RetentionInDays > 0)),
    ).toEqual([]);
  });

  test('has a dead letter queue with an alarm for every queue', () => {
    const queues = resourcesOf(stage, 'AWS::SQS::Queue');
    const deadLetterQueues = new Set(queues.map(([, queue]) => deadLetterQueueOf(queue)));
    const watched = resourcesOf(stage, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
      JSON.stringify(Properties.Metrics ?? []),
    );
    const working = queues.filter(([id]) => !deadLetterQueues.has(id));
    expect(working).toHaveLength(6);
    expect(
      working.filter(([, queue]) => !watched.some((metrics) => metrics.includes(String(deadLetterQueueOf(queue))))),
    ).toEqual([]);
  });

  test('has a runbook entry for every alarm, and tells somebody', () => {
    const runbook = readFileSync(join(import.meta.dirname, '../../lib/README.md'), 'utf8');
    const headings = new Set([...runbook.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading));
    // The others only scale a service.
    const alarms = stage.resources('Monitoring').filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
    const named = alarms.map(
      ([, { Properties }]) => /Runbook: lib\/README\.md, “(.+)”\.$/.exec(Properties.AlarmDescription)?.[1],
    );
    expect(new Set(named)).toEqual(headings);
    for (const [, { Properties }] of alarms)
      expect([Properties.AlarmActions, Properties.OKActions]).toEqual([[expect.anything()], [expect.anything()]]);
  });

  test('gives each function exactly the variables that it reads, and no secret', () => {
    const read: Readonly<Record<string, readonly string[]>> = {
      Auth: authVariables,
      Rest: [...apiVariables, ...paymentVariables],
      Mcp: [...apiVariables, ...paymentVariables],
      Graphql: [...apiVariables, ...paymentVariables],
      TimersJob: jobVariables,
      Sweep: jobVariables,
      Reconcile: jobVariables,
      Webhooks: webhookVariables,
      // Set for Node itself: RDS' own certificates.
      Migration: [...migrateVariables, 'NODE_EXTRA_CA_CERTS'],
    };
    const functions = ownFunctionsOf(stage);
    expect(functions.map(([id]) => id.slice(0, -8)).sort()).toEqual(Object.keys(read).sort());
    for (const [id, { Properties }] of functions) {
      const { Variables } = Properties.Environment;
      expect(Object.keys(Variables).sort()).toEqual([...(read[id.slice(0, -8)] ?? []), 'NODE_OPTIONS'].sort());
      expect(JSON.stringify(Variables)).not.toContain('resolve:secretsmanager');
    }
  });

  test('shows the public nothing but the API and the distribution', () => {
    const closed = {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    };
    for (const [, { Properties }] of resourcesOf(stage, 'AWS::S3::Bucket'))
      expect(Properties.PublicAccessBlockConfiguration).toEqual(closed);
    for (const [, { Properties }] of resourcesOf(stage, 'AWS::RDS::DBInstance'))
      expect(Properties.PubliclyAccessible ?? false).toBe(false);
    const types = new Set(stage.resources().map(([, { Type }]) => Type));
    for (const type of ['AWS::Lambda::Url', 'AWS::ElasticLoadBalancingV2::LoadBalancer', 'AWS::ApiGatewayV2::Api'])
      expect(types).not.toContain(type);
    expect(resourcesOf(stage, 'AWS::ApiGateway::RestApi')).toHaveLength(1);
    expect(resourcesOf(stage, 'AWS::CloudFront::Distribution')).toHaveLength(1);
  });

  test('has a queue for every name that a command may carry', () => {
    const surfaces = stage
      .resources('Api')
      .flatMap(([, { Properties }]) => Properties.Environment?.Variables.QUEUE_URLS ?? []);
    const named = surfaces.map((urls) => [...JSON.stringify(urls).matchAll(/([a-z-]+)\\":/g)].map(([, name]) => name));
    expect(named).toEqual([[...queueNames], [...queueNames], [...queueNames]]);
  });

  test('lets nobody in from outside: publishers are reached by each other only, on the port of agents', () => {
    const inbound = resourcesOf(stage, 'AWS::EC2::SecurityGroup').flatMap(
      ([, { Properties }]) => Properties.SecurityGroupIngress ?? [],
    );
    expect(inbound).toEqual([]);
    const rules = resourcesOf(stage, 'AWS::EC2::SecurityGroupIngress').map(([, { Properties }]) => Properties);
    expect(rules.filter(({ CidrIp, CidrIpv6 }) => CidrIp ?? CidrIpv6)).toEqual([]);
    const toPublishers = rules.filter(({ GroupId }) => JSON.stringify(GroupId).includes('Publishers'));
    expect(toPublishers).toEqual([
      expect.objectContaining({ FromPort: 9750, ToPort: 9750, SourceSecurityGroupId: toPublishers[0]?.GroupId }),
    ]);
  });

  test('encrypts media by a key of its own, which everyone who may touch objects may use', () => {
    const [keyID] =
      resourcesOf(stage, 'AWS::KMS::Key').find(
        ([, { Properties }]) => Properties.Description === 'Uploads and renditions',
      ) ?? [];
    const keyARN = { 'Fn::GetAtt': [keyID, 'Arn'] };
    const buckets = stage
      .resources('Media')
      .filter(([id, { Type }]) => Type === 'AWS::S3::Bucket' && !id.startsWith('AccessLogs'));
    expect(buckets).toHaveLength(1);
    for (const [, { Properties }] of buckets) {
      const [rule] = Properties.BucketEncryption.ServerSideEncryptionConfiguration;
      expect(rule).toEqual({
        BucketKeyEnabled: true,
        ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: keyARN },
      });
    }
    const [, access] = stage.resources('Media').find(([, { Type }]) => Type === 'AWS::IAM::ManagedPolicy') ?? [];
    expect(access?.Properties.PolicyDocument.Statement).toContainEqual({
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: keyARN,
    });
  });

  test('lets the site’s pages alone reach uploads from a browser', () => {
    for (const [, { Properties }] of resourcesOf(stage, 'AWS::S3::Bucket'))
      expect(Properties.CorsConfiguration).toBeUndefined();
    const [[, cors] = []] = resourcesOf(stage, 'Custom::AWS');
    expect(JSON.stringify(cors?.Properties.Update)).toContain('AllowedOrigins');
    const [, parameter] = stage.resources('Delivery').find(([, { Type }]) => Type === 'AWS::SSM::Parameter') ?? [];
    const [, host] = parameter?.Properties.Value['Fn::Join']?.[1] ?? ['', parameter?.Properties.Value];
    expect(JSON.stringify(cors?.Properties.Update)).toContain(JSON.stringify(host));
  });

  test('brings the schema up to date before code that needs it', () => {
    for (const stackId of ['Publishing', 'Api'])
      expect(stage.stacks.get(stackId)?.dependencies).toContain(stage.stacks.get('Database'));
  });
});

describe('all stages', () => {
  test('have the same types of resources: they differ in properties and numbers only', () => {
    const [first, ...others] = built.map(([, stage]) => typesByStack(stage));
    for (const other of others) expect(other).toEqual(first);
  });

  test('keep their state under the same logical ids: another id is another, empty resource', () => {
    const stateful = new Set([
      'AWS::RDS::DBInstance',
      'AWS::S3::Bucket',
      'AWS::SecretsManager::Secret',
      'AWS::KMS::Key',
    ]);
    for (const [, stage] of built) {
      const ids = stage
        .resources()
        .filter(([, { Type }]) => stateful.has(Type))
        .map(([id]) => id);
      expect(ids).toEqual([
        'DatabaseB269D8BB',
        'SealingKey98C9818D',
        'ServiceSecret94F8C8DC',
        'Key961B73FD',
        'AccessLogs8B620ECA',
        'Uploads4F6EB0FD',
        'PaymentProvidersF41DED83',
        'OriginGuardSecretABC57FAF',
        'Logs6819BB44',
        'SiteE53D7754',
        'NotificationsKey74C0825E',
      ]);
    }
  });

  test('are named in lib/stages.ts only', () => {
    const root = join(import.meta.dirname, '../..');
    const name = new RegExp(`(['"\`/])(${Object.keys(stages).join('|')})(?!/xvd)['"\`/]`);
    const naming = globSync(['bin/app.ts', 'lib/**/*.ts', 'lambda/**/*.ts'], { cwd: root }).filter((file) =>
      name.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(naming.filter((file) => file !== join('lib', 'stages.ts'))).toEqual([]);
  });
});
