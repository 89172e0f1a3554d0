// Findings about a deployment, by rule: exports and their order, data, names and addresses, on the smallest stages.
import { describe, expect, test } from 'vitest';
import { templateChanges } from '../../bin/deploy/template-changes/template-changes.ts';
import type { StageTemplates } from '../../bin/deploy/template-changes/stage-templates.ts';
import { resource, type SmallStack, smallStage } from './small-stages.ts';

function between(
  before: Readonly<Record<string, SmallStack>>,
  after: Readonly<Record<string, SmallStack>>,
  waits?: ReadonlyMap<string, readonly string[]>,
) {
  const change: { before: StageTemplates; after: StageTemplates } = {
    before: smallStage(before),
    after: smallStage(after),
  };
  const { findings, order } = templateChanges({ ...change, ...(waits && { waits }) });
  return {
    findings: findings.map(({ effect, subject }) => `${effect} ${subject}`),
    first: order.first,
    order,
    all: findings,
  };
}

/** The findings about one stack whose resources change. */
function inStack(before: SmallStack['resources'] = {}, after: SmallStack['resources'] = {}): readonly string[] {
  return between({ Stack: { resources: before } }, { Stack: { resources: after } }).findings;
}

const queue = resource('AWS::SQS::Queue');
const arn = { 'Fn::GetAtt': ['Queue', 'Arn'] };
const migration = resource('Custom::Trigger');
const retained = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

describe('exports', () => {
  const with_ = { Queues: { resources: { Queue: queue }, exports: { Arn: arn } }, Api: { imports: ['Queues/Arn'] } };
  const without = { Queues: { resources: { Queue: queue } }, Api: {} };

  test('that are added need nothing but the usual order', () => {
    expect(between(without, with_)).toMatchObject({ findings: [], first: [] });
  });

  test('that go let the stacks be deployed first that imported them', () => {
    expect(between(with_, without)).toMatchObject({ findings: [], first: ['Api'] });
  });

  test('that go take two deployments if the importer needs what comes, and the finding says which', () => {
    const other = {
      Queues: { resources: { Queue: queue }, exports: { Name: { 'Fn::GetAtt': ['Queue', 'QueueName'] } } },
      Api: { imports: ['Queues/Name'] },
    };
    const { findings, all } = between(with_, other);
    expect(findings).toEqual(['refused Queues/Arn']);
    expect(all[0]?.sentence).toContain('The export of Queue.Arn goes, but is imported by Api, which cannot be first');
    expect(all[0]?.remedy).toMatch(/^Two deployments: first one in which Queues also keeps this export/);
  });

  test('that change are refused while they are imported', () => {
    const changed = {
      ...with_,
      Queues: { ...with_.Queues, exports: { Arn: { 'Fn::GetAtt': ['Other', 'Arn'] } } },
    };
    expect(between(with_, changed).findings).toEqual(['refused Queues/Arn']);
  });

  test('change with a resource that is replaced', () => {
    const fifo = {
      ...with_,
      Queues: { ...with_.Queues, resources: { Queue: resource(queue.Type, { FifoQueue: true }) } },
    };
    expect(between(with_, fifo).findings).toEqual(['refused Queues/Arn']);
  });

  test('are held by a stack that the stage no longer has', () => {
    const { findings, all } = between(with_, { Queues: without.Queues });
    expect(findings).toEqual(['refused Queues/Arn', 'at risk Api']);
    expect(all[0]?.remedy).toBe('Destroy Api first, then deploy.');
  });

  test('that no stack has are missing', () => {
    expect(between(without, { ...without, Api: { imports: ['Queues/Arn'] } }).findings).toEqual([
      'refused Api/test-Queues:Arn',
    ]);
  });

  test('of a stack that is not deployed any more still stand', () => {
    expect(between({ Queues: with_.Queues }, { Api: with_.Api }).findings).toEqual(['at risk Queues']);
  });

  describe('of the stack with the schema', () => {
    const database = (exports: Readonly<Record<string, unknown>>, schema?: string) => ({
      Database: {
        resources: { Queue: queue, Migration: migration },
        exports,
        ...(schema !== undefined && { outputs: { Schema: schema } }),
      },
      Api: { imports: Object.keys(exports).map((name) => `Database/${name}`) },
    });
    const both = { Arn: arn, Host: 'x' };

    test('go after the code that follows the schema, which takes two deployments', () => {
      for (const [from, to] of [[], ['0003', '0004'], [undefined, '0004']])
        expect(between(database(both, from), database({ Host: 'x' }, to)).findings).toEqual(['refused Database/Arn']);
    });

    test('go at once with a release that has no newer schema', () => {
      for (const to of ['0003', '0004'])
        expect(between(database(both, '0004'), database({ Host: 'x' }, to))).toMatchObject({
          findings: [],
          first: ['Api'],
        });
    });
  });

  test('bring along what a stack needs that is to be first', () => {
    const before = { Keys: {}, Queues: with_.Queues, Api: with_.Api };
    const after = { Keys: { exports: { Key: 'k' } }, Queues: without.Queues, Api: { imports: ['Keys/Key'] } };
    const { findings, first, order } = between(before, after);
    expect({ findings, first, order: order.order }).toEqual({
      findings: [],
      first: ['Keys', 'Api'],
      order: ['Keys', 'Api', 'Queues'],
    });
  });
});

describe('outputs that are read', () => {
  const reading = { Edge: { outputs: { Version1: 'x' } }, Site: { reads: ['Edge/Version1'] } };

  test('put a rollback at risk when they go before their reader is updated', () => {
    const renamed = { Edge: { outputs: { Version2: 'x' } }, Site: { reads: ['Edge/Version2'] } };
    expect(between(reading, renamed).findings).toEqual(['at risk Edge/Version1']);
  });

  describe('of a certificate that goes or is replaced', () => {
    const type = 'AWS::CertificateManager::Certificate';
    const named = (DomainName: string, policies = {}) => ({
      Edge: {
        resources: { Certificate: resource(type, { DomainName }, policies) },
        exports: { Arn: { Ref: 'Certificate' } },
      },
      Site: { reads: ['Edge/Arn'] },
    });
    const none = { Edge: {}, Site: {} };

    test('are refused, since AWS deletes none that the reader still uses', () => {
      const { all } = between(named('a.org'), none);
      expect(all.filter(({ effect }) => effect === 'refused')).toEqual([
        {
          effect: 'refused',
          subject: 'Edge/Certificate',
          sentence:
            'CertificateManager::Certificate Edge/Certificate is deleted while Site still uses it: ' +
            'AWS refuses that, and CloudFormation waits in vain.',
          remedy: 'First a deployment that only keeps it (`RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE`), then this one.',
        },
      ]);
      expect(between(named('a.org'), named('b.org')).findings).toEqual(['refused Edge/Certificate']);
    });

    test('are no harm where it is left behind, or has no reader any more', () => {
      expect(between(named('a.org', retained), none).findings).toEqual(['at risk Edge/Arn']);
      expect(between(named('a.org'), named('b.org', retained)).findings).toEqual([]);
      expect(between({ ...named('a.org'), Site: {} }, none).findings).toEqual([]);
    });
  });

  test('are missing if no stack has them', () => {
    expect(between(reading, { Edge: {}, Site: reading.Site }).findings).toContain('refused Site/Edge/Version1');
  });
});

describe('data', () => {
  const bucket = resource('AWS::S3::Bucket', {}, retained);

  test('is lost with a resource that goes, is replaced, or gets another logical id', () => {
    const database = (name: string) => resource('AWS::RDS::DBInstance', { MasterUsername: name });
    expect(inStack({ Uploads: bucket })).toEqual(['lost Stack/Uploads']);
    expect(inStack({ Uploads: bucket }, { Files: bucket })).toEqual(['lost Stack/Uploads']);
    expect(inStack({ Database: database('one') }, { Database: database('two') })).toEqual(['lost Stack/Database']);
  });

  test('is lost with a resource whose replaced neighbour is part of what cannot change', () => {
    const database = resource('AWS::RDS::DBInstance', { DBSubnetGroupName: { Ref: 'Subnets' } });
    const subnets = (name: string) => resource('AWS::RDS::DBSubnetGroup', { DBSubnetGroupName: name });
    const before = { Database: database, Subnets: subnets('one') };
    expect(inStack(before, { Database: database, Subnets: subnets('two') })).toEqual(['lost Stack/Database']);
  });

  test('is unprotected without its policies or its switch', () => {
    expect(inStack({ Uploads: bucket }, { Uploads: resource('AWS::S3::Bucket') })).toEqual(['lost Stack/Uploads']);
    const database = (on: boolean) => resource('AWS::RDS::DBInstance', { DeletionProtection: on }, retained);
    expect(inStack({ Database: database(true) }, { Database: database(false) })).toEqual(['lost Stack/Database']);
  });

  test('is out of reach under another key', () => {
    const bucketWith = (KMSMasterKeyID: string | undefined) =>
      resource('AWS::S3::Bucket', {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { KMSMasterKeyID } }],
        },
      });
    expect(inStack({ Uploads: bucketWith('one') }, { Uploads: bucketWith('two') })).toEqual(['lost Stack/Uploads']);
    expect(inStack({ Uploads: bucketWith(undefined) }, { Uploads: bucketWith('two') })).toEqual([]);
  });

  test.each([
    ['AllocatedStorage', '100', '20'],
    ['EngineVersion', '18', '17'],
  ])('cannot be in less: %s', (name, more, less) => {
    const database = (value: string) => ({ Database: resource('AWS::RDS::DBInstance', { [name]: value }) });
    expect(inStack(database(more), database(less))).toEqual(['refused Stack/Database']);
    expect(inStack(database(less), database(more))).toEqual([]);
  });
});

describe('an upgrade of Postgres', () => {
  const stack = (EngineVersion: string, HandlerArn: string, others: SmallStack['resources'] = {}) => ({
    Database: resource('AWS::RDS::DBInstance', { EngineVersion }),
    Migrate: resource('Custom::Trigger', { HandlerArn: { Ref: HandlerArn } }),
    ...others,
  });

  test('is refused beside a changed migration, which could not be rolled back', () => {
    const change = {
      before: smallStage({ S: { resources: stack('18', 'Version1') } }),
      after: smallStage({ S: { resources: stack('19', 'Version2') } }),
    };
    expect(templateChanges(change).findings).toEqual([
      {
        effect: 'refused',
        subject: 'S/Database',
        sentence:
          'S/Database is upgraded to Postgres 19 in one deployment with the changed migration S/Migrate. If that ' +
          'fails, CloudFormation gives the old parameter group to the new version, which ends in ' +
          'UPDATE_ROLLBACK_FAILED.',
        remedy:
          'Two deployments: first this release with the version that stands, then only databaseMajorVersion and ' +
          'databaseMajorUpgrade.',
      },
    ]);
  });

  test('is deployed alone, or with code that is not the migration’s', () => {
    expect(inStack(stack('18', 'Version1'), stack('19', 'Version1'))).toEqual([]);
    expect(inStack(stack('18', 'Version1'), stack('18', 'Version2'))).toEqual([]);
    const first = (HandlerArn: string) => ({ FirstCount: resource('Custom::Trigger', { HandlerArn }) });
    expect(inStack(stack('18', 'Version1', first('1')), stack('19', 'Version1', first('2')))).toEqual([]);
  });
});

describe('names and addresses', () => {
  const named = (name: string, path = '/') => resource('AWS::IAM::Role', { RoleName: name, Path: path });

  test('are taken while the old resource stands: under another id, or replaced in place', () => {
    expect(inStack({ One: named('role') }, { Two: named('role') })).toEqual(['refused Stack/Two']);
    expect(inStack({ One: named('role') }, { One: named('role', '/team/') })).toEqual(['refused Stack/One']);
    expect(inStack({ One: named('role') }, { Two: named('other') })).toEqual([]);
  });

  test('are taken in another stack until that is deployed, or for ever if the resource is left behind', () => {
    const before = { Early: {}, Late: { resources: { One: named('role') } } };
    const after = { Early: { resources: { Two: named('role') } }, Late: {} };
    expect(between(before, after).findings).toEqual(['refused Early/Two']);
    expect(between(after, before).findings).toEqual([]);
    const log = resource('AWS::Logs::LogGroup', { LogGroupName: 'log' }, retained);
    const moved = between(
      { Early: { resources: { One: log } }, Late: {} },
      { Early: {}, Late: { resources: { Two: log } } },
    );
    expect(moved.findings).toEqual(['refused Early/One', 'refused Late/Two']);
  });

  test('of subnets may not overlap with those that stand', () => {
    const subnet = (zone: string, CidrBlock: string) =>
      resource('AWS::EC2::Subnet', { VpcId: { Ref: 'Vpc' }, AvailabilityZone: zone, CidrBlock });
    const before = { A: subnet('a', '10.0.0.0/18'), B: subnet('b', '10.0.64.0/18') };
    const shifted = { ...before, C: subnet('c', '10.0.96.0/20') };
    expect(inStack(before, shifted)).toEqual(['refused Stack/C']);
    expect(inStack(before, { ...before, C: subnet('c', '10.0.128.0/18') })).toEqual([]);
    expect(inStack(before, { ...before, B: subnet('d', '10.0.64.0/18') })).toEqual([
      'interrupted Stack/B',
      'refused Stack/B',
    ]);
  });
});

describe('what CloudFormation does not change', () => {
  test('is the type of a logical id', () => {
    expect(inStack({ One: queue }, { One: resource('AWS::SNS::Topic') })).toEqual(['refused Stack/One']);
  });

  test('is the function behind a custom resource', () => {
    const custom = (id: string) => resource('Custom::AWS', { ServiceToken: { 'Fn::GetAtt': [id, 'Arn'] } });
    expect(inStack({ One: custom('F') }, { One: custom('G') })).toEqual(['refused Stack/One']);
  });
});

test('services that are replaced are named with what happens to streams', () => {
  const service = (LaunchType: string) => ({ Agents: resource('AWS::ECS::Service', { LaunchType }) });
  const change = {
    before: smallStage({ S: { resources: service('EC2') } }),
    after: smallStage({ S: { resources: service('FARGATE') } }),
  };
  expect(templateChanges(change).findings).toEqual([
    {
      effect: 'interrupted',
      subject: 'S/Agents',
      sentence: 'ECS::Service S/Agents is replaced, because LaunchType cannot be changed: streams move to new agents.',
      remedy: 'Leave LaunchType as it was, or deploy when few streams are on air.',
    },
  ]);
});

test('a first deployment breaks nothing', () => {
  const { findings } = templateChanges({
    before: new Map(),
    after: smallStage({ A: { exports: { X: 'x' } }, B: { imports: ['A/X'] } }),
  });
  expect(findings).toEqual([]);
});
