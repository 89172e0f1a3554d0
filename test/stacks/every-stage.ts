// Rules that hold for every stage and every change of templates: checks that tests also run on faulty templates.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { authVariables } from '../../lambda/auth/environment.ts';
import { apiVariables, paymentVariables } from '../../lambda/api/environment.ts';
import { syntheticVariables } from '../../lambda/synthetic/environment.ts';
import { webhookVariables } from '../../lambda/webhooks/environment.ts';
import { queueNames } from '../../lambda/ports/command-queue/queues.ts';
import { operateVariables } from '../../lambda/operate/environment.ts';
import { reconcileVariables, sweepVariables, timersVariables } from '../../lambda/jobs/environment.ts';
import { platformsVariables } from '../../lambda/platforms/environment.ts';
import { migrateVariables } from '../../lambda/migrate/environment.ts';
import { mailSenderAddress } from '../../lib/shared/mail-sender.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import type { Resource, SynthesizedStage } from '../support/synth.ts';

function resourcesOf(stage: SynthesizedStage, type: string): [string, Resource][] {
  return stage.resources().filter(([, { Type }]) => Type === type);
}

/** Logical id of a queue's dead letter queue. */
function deadLetterQueueOf({ Properties }: Resource): string | undefined {
  return Properties.RedrivePolicy?.deadLetterTargetArn['Fn::GetAtt'][0];
}

/**
 * The functions of this repository, without the CDK's own, CloudFront's, which `web.test.ts` checks, and that of the
 * first deployment, which `idle.test.ts` checks.
 */
function ownFunctionsOf(stage: SynthesizedStage): [string, Resource][] {
  return resourcesOf(stage, 'AWS::Lambda::Function').filter(
    ([id, { Properties }]) =>
      Properties.Handler === 'index.handler' &&
      !/^(AWS679f53fac|CustomCDKBucketDeployment|ChallengeFunction|AgentsFirstCount|LogRetention)/.test(id),
  );
}

/**
 * @param test receives each check by its title, and calls it now or later; a check throws if it does not hold
 * @param settings of the stage, because some stages omit features
 */
export function checkEveryStage(
  stage: SynthesizedStage,
  test: (title: string, check: () => void) => void,
  settings: Pick<
    StageSettings,
    | 'mailFrom'
    | 'domain'
    | 'tracing'
    | 'databaseProxy'
    | 'databaseInstanceClass'
    | 'nat'
    | 'recoveryRegion'
    | 'syntheticStream'
    | 'liveIngest'
  >,
): void {
  test('runs its functions on Node 24 and arm64, traced where it traces, with JSON logs that end', () => {
    const functions = ownFunctionsOf(stage);
    const logGroups = new Map(resourcesOf(stage, 'AWS::Logs::LogGroup'));
    expect(functions.length).toBeGreaterThan(0);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        ...(settings.tracing && { TracingConfig: { Mode: 'Active' } }),
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
    expect(working).toHaveLength(7);
    expect(
      working.filter(([, queue]) => !watched.some((metrics) => metrics.includes(String(deadLetterQueueOf(queue))))),
    ).toEqual([]);
  });

  test('has a runbook entry for every alarm, and tells somebody', () => {
    const runbook = readFileSync(join(import.meta.dirname, '../../lib/README.md'), 'utf8');
    const headings = new Set([...runbook.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading));
    // Alarms in other stacks scale a service, and notify no one.
    const alarms = stage.resources('Monitoring').filter(([, { Type }]) => /^AWS::CloudWatch::\w*Alarm$/.test(Type));
    const named = alarms.map(
      ([, { Properties }]) =>
        /^(?:Urgent|Soon): .+ Runbook: lib\/README\.md, “(.+)”\.$/.exec(Properties.AlarmDescription)?.[1],
    );
    const absent = [
      ...(settings.syntheticStream ? [] : ['Starts fail']),
      ...(settings.nat === 'gateway' ? ['NAT machine failing'] : []),
      ...(settings.databaseProxy ? [] : ['Pinned connections']),
      ...(settings.databaseInstanceClass.startsWith('t') ? [] : ['Database credits']),
      ...(settings.recoveryRegion === null ? ['Copies fail'] : []),
      ...(mailSenderAddress(settings) === '' ? ['Sign-up mails paused', 'Mails without purchase paused'] : []),
      ...(settings.liveIngest === null ? ['Live ingest down', 'Live ingest full', 'Live ingest restarts'] : []),
    ];
    expect(new Set(named)).toEqual(headings.difference(new Set(absent)));
    const notifying = (actions: unknown) => Array.isArray(actions) && actions.length === 1;
    const rules = JSON.stringify(alarms.map(([, { Properties }]) => Properties.AlarmRule ?? ''));
    for (const [id, { Properties }] of alarms)
      expect([id, notifying(Properties.AlarmActions), notifying(Properties.OKActions)]).toEqual(
        rules.includes(`"${id}"`) ? [id, false, false] : [id, true, true],
      );
  });

  test('gives each function exactly the variables that it reads, and no secret', () => {
    const read: Readonly<Record<string, readonly string[]>> = {
      Auth: authVariables,
      Rest: [...apiVariables, ...paymentVariables],
      Mcp: [...apiVariables, ...paymentVariables],
      Graphql: [...apiVariables, ...paymentVariables],
      Platforms: platformsVariables,
      TimersJob: timersVariables,
      Sweep: sweepVariables,
      Reconcile: reconcileVariables,
      Operate: operateVariables,
      Webhooks: webhookVariables,
      ...(settings.syntheticStream && { SyntheticStreamSynthetic: syntheticVariables }),
      // Node itself reads NODE_EXTRA_CA_CERTS, which names the certificates of RDS.
      Migration: [...migrateVariables, 'NODE_EXTRA_CA_CERTS'],
    };
    const functions = ownFunctionsOf(stage);
    expect(functions.map(([id]) => id.slice(0, -8)).sort()).toEqual(Object.keys(read).sort());
    for (const [id, { Properties }] of functions) {
      const { Variables } = Properties.Environment;
      // A proxy has a public certificate. Without one, functions that use the database need the authorities of RDS.
      const authorities = settings.databaseProxy ? [] : ['NODE_EXTRA_CA_CERTS'];
      const names = new Set([...(read[id.slice(0, -8)] ?? []), ...authorities, 'NODE_OPTIONS']);
      expect(Object.keys(Variables).sort()).toEqual([...names].sort());
      expect(JSON.stringify(Variables)).not.toContain('resolve:secretsmanager');
    }
  });

  test('shows the public nothing but the API, the distribution and a live ingest', () => {
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
    for (const type of ['AWS::Lambda::Url', 'AWS::ApiGatewayV2::Api']) expect(types).not.toContain(type);
    const balancers = resourcesOf(stage, 'AWS::ElasticLoadBalancingV2::LoadBalancer');
    expect(balancers).toHaveLength(settings.liveIngest === null ? 0 : 1);
    expect(resourcesOf(stage, 'AWS::ApiGateway::RestApi')).toHaveLength(1);
    expect(resourcesOf(stage, 'AWS::CloudFront::Distribution')).toHaveLength(1);
  });

  test('tells surfaces the URL of every queue, but for that of the scheduler', () => {
    const surfaces = stage
      .resources('Api')
      .flatMap(([, { Properties }]) => Properties.Environment?.Variables.QUEUE_URLS ?? []);
    const named = surfaces.map((urls) =>
      [...JSON.stringify(urls).matchAll(/([a-z-]+)\\":/g)].map(([, name]) => name).sort(),
    );
    const sent = queueNames.filter((name) => name !== 'timers').sort();
    expect(named).toEqual([sent, sent, sent]);
  });

  test('lets nobody in from outside but contributors, and agents to each other on their own port only', () => {
    const inbound = resourcesOf(stage, 'AWS::EC2::SecurityGroup').flatMap(
      ([, { Properties }]) => Properties.SecurityGroupIngress ?? [],
    );
    // Traffic from the network itself to the outside.
    const forwarded = { CidrIp: '10.0.0.0/16', IpProtocol: '-1' };
    const contributors = { CidrIp: '0.0.0.0/0', Description: 'Contributors', IpProtocol: 'tcp' };
    expect(inbound).toEqual([
      ...(settings.nat === 'instance' ? [expect.objectContaining(forwarded)] : []),
      ...(settings.liveIngest === null ? [] : [expect.objectContaining(contributors)]),
    ]);
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
    const both = ['kms:Decrypt', 'kms:GenerateDataKey'];
    const keyActions: Readonly<Record<string, string | string[]>> = {
      TakeIn: both,
      Read: 'kms:Decrypt',
      Import: both,
      Prepare: both,
      Contribute: 'kms:GenerateDataKey',
    };
    const policies = stage.resources('Media').filter(([, { Type }]) => Type === 'AWS::IAM::ManagedPolicy');
    expect(policies).toHaveLength(settings.liveIngest === null ? 4 : 5);
    for (const [id, access] of policies)
      expect(access.Properties.PolicyDocument.Statement).toContainEqual({
        Effect: 'Allow',
        Action: keyActions[id.replace(/Access.*/, '')],
        Resource: keyARN,
        Condition: { StringEquals: { 'kms:ViaService': expect.anything() } },
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

  test('hands roles to the one service that each is for, and to no other', () => {
    const statements = stage
      .resources()
      .flatMap(([, { Type, Properties }]): any[] =>
        /^AWS::IAM::(?:Managed)?Policy$/.test(Type) ? Properties.PolicyDocument.Statement : [],
      );
    const passing = statements.filter(({ Action }) => [Action].flat().includes('iam:PassRole'));
    expect(passing.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    ]);
  });

  test('brings the schema up to date before code that needs it', () => {
    for (const stackId of ['Publishing', 'Api'])
      expect(stage.stacks.get(stackId)?.dependencies).toContain(stage.stacks.get('Database'));
  });
}
