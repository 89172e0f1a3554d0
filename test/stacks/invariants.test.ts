// What holds for every stage and stack, however the templates change.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apiVariables } from '../../lambda/api/environment.ts';
import { queueNames } from '../../lambda/ports/command-queue/command-queue.ts';
import { stages } from '../../lib/stages.ts';
import { type Resource, type SynthesizedStage, synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
const built = Object.entries(stages).map(([name, settings]): [string, SynthesizedStage] => [name, synthesizeStage(app, name, settings)]);

function resourcesOf(stage: SynthesizedStage, type: string): [string, Resource][] {
  return stage.resources().filter(([, { Type }]) => Type === type);
}

/** Logical id of a queue's dead letter queue. */
function deadLetterQueueOf({ Properties }: Resource): string | undefined {
  return Properties.RedrivePolicy?.deadLetterTargetArn['Fn::GetAtt'][0];
}

function typesByStack(stage: SynthesizedStage): string[][] {
  return [...stage.stacks.keys()].map((stackId) => [...new Set(stage.resources(stackId).map(([, { Type }]) => Type))].sort());
}

describe.each(built)('stage %s', (_name, stage) => {
  test('runs its functions on Node 24 and arm64, traced, with JSON logs that end', () => {
    // The CDK's own custom resource functions are the ones with this handler.
    const functions = resourcesOf(stage, 'AWS::Lambda::Function').filter(([, { Properties }]) => Properties.Handler !== '__entrypoint__.handler');
    const logGroups = new Map(resourcesOf(stage, 'AWS::Logs::LogGroup'));
    expect(functions.length).toBeGreaterThan(0);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], TracingConfig: { Mode: 'Active' }, LoggingConfig: { LogFormat: 'JSON' } });
      expect(logGroups.get(Properties.LoggingConfig.LogGroup.Ref)?.Properties.RetentionInDays).toBeGreaterThan(0);
    }
  });

  test('lets no log group keep its logs for ever', () => {
    expect(resourcesOf(stage, 'AWS::Logs::LogGroup').filter(([, { Properties }]) => !(Properties.RetentionInDays > 0))).toEqual([]);
  });

  test('has a dead letter queue with an alarm for every queue', () => {
    const queues = resourcesOf(stage, 'AWS::SQS::Queue');
    const deadLetterQueues = new Set(queues.map(([, queue]) => deadLetterQueueOf(queue)));
    const watched = new Set(resourcesOf(stage, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties.Dimensions[0].Value['Fn::GetAtt']?.[0]));
    const working = queues.filter(([id]) => !deadLetterQueues.has(id));
    expect(working).toHaveLength(5);
    expect(working.filter(([, queue]) => !watched.has(deadLetterQueueOf(queue)))).toEqual([]);
  });

  test('gives the API every variable it reads, and no secret', () => {
    const variables = stage.resources('Api').find(([, { Type }]) => Type === 'AWS::Lambda::Function')?.[1].Properties.Environment.Variables;
    expect(Object.keys(variables).sort()).toEqual([...apiVariables, 'NODE_OPTIONS'].sort());
    expect(JSON.stringify(variables)).not.toContain('resolve:secretsmanager');
  });

  test('has a queue for every name that a command may carry', () => {
    const urls = JSON.stringify(stage.resources('Api').flatMap(([, { Properties }]) => Properties.Environment?.Variables.QUEUE_URLS ?? []));
    expect([...urls.matchAll(/([a-z-]+)\\":/g)].map(([, name]) => name)).toEqual([...queueNames]);
  });

  test('lets nobody in from outside: publishers are reached by each other only, on the port of agents', () => {
    const inbound = resourcesOf(stage, 'AWS::EC2::SecurityGroup').flatMap(([, { Properties }]) => Properties.SecurityGroupIngress ?? []);
    expect(inbound).toEqual([]);
    const rules = resourcesOf(stage, 'AWS::EC2::SecurityGroupIngress').map(([, { Properties }]) => Properties);
    expect(rules.filter(({ CidrIp, CidrIpv6 }) => CidrIp ?? CidrIpv6)).toEqual([]);
    const toPublishers = rules.filter(({ GroupId }) => JSON.stringify(GroupId).includes('Publishers'));
    expect(toPublishers.map(({ FromPort, ToPort, GroupId, SourceSecurityGroupId }) => [FromPort, ToPort, SourceSecurityGroupId === GroupId || JSON.stringify(SourceSecurityGroupId) === JSON.stringify(GroupId)])).toEqual([[9750, 9750, true]]);
  });

  test('brings the schema up to date before code that needs it', () => {
    for (const stackId of ['Publishing', 'Api']) expect(stage.stacks.get(stackId)?.dependencies).toContain(stage.stacks.get('Database'));
  });
});

describe('all stages', () => {
  test('have the same types of resources: they differ in properties and numbers only', () => {
    const [first, ...others] = built.map(([, stage]) => typesByStack(stage));
    for (const other of others) expect(other).toEqual(first);
  });

  test('keep their state under the same logical ids: another id is another, empty resource', () => {
    const stateful = new Set(['AWS::RDS::DBInstance', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret']);
    for (const [, stage] of built) {
      const ids = stage.resources().filter(([, { Type }]) => stateful.has(Type)).map(([id]) => id);
      expect(ids).toEqual(['DatabaseB269D8BB', 'ServiceSecret94F8C8DC', 'AccessLogs8B620ECA', 'Uploads4F6EB0FD', 'Renditions39B25AD1']);
    }
  });

  test('are named in lib/stages.ts only', () => {
    const root = join(import.meta.dirname, '../..');
    const name = new RegExp(`(['"\`/])(${Object.keys(stages).join('|')})['"\`/]`);
    const naming = globSync(['bin/app.ts', 'lib/**/*.ts', 'lambda/**/*.ts'], { cwd: root }).filter((file) => name.test(readFileSync(join(root, file), 'utf8')));
    expect(naming.filter((file) => file !== join('lib', 'stages.ts'))).toEqual([]);
  });
});
