// What a stage costs: nothing in its templates is forgotten, and each sum is what its sizes and prices make.
import { Template as StackAssertions } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { databaseClasses, listed, machines } from '../../lib/cost/list-prices.ts';
import { hoursOfMore, knownTypes, longestLogs, standingCostsOf } from '../../lib/cost/stage-cost.ts';
import { resourcesOf, type Template } from '../../lib/cost/stage-resources.ts';
import { PipelineStack } from '../../lib/delivery/pipeline-stack.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

function templatesOf(name: string, settings: StageSettings): Template[] {
  const stage = synthesizeStage(testApp(), name, settings);
  return [...stage.stacks.keys()].map((id) => stage.template(id));
}

function usdOf(templates: readonly Template[], what: string): number | undefined {
  return standingCostsOf(templates).find((cost) => cost.what === what)?.usdPerMonth;
}

const { prod } = stages;
const synthTimeoutMs = 60_000;
// A stage with everything that only some stages have.
const complete = templatesOf('complete', {
  ...prod,
  domain: { name: 'live.example.com', hostedZoneId: 'Z123' },
  alarmEmail: 'ops@example.com',
});
// Stages with what others do without.
const cheap = templatesOf('cheap', stages.dev);
const delegated = templatesOf('delegated', {
  ...prod,
  domain: { name: 'live.example.com', hostedZoneId: 'Z123' },
  hostedZoneRoleArn: 'arn:aws:iam::123456789012:role/dns',
});
const pipeline = StackAssertions.fromStack(
  new PipelineStack(testApp(), 'pipeline', { githubRepository: 'owner/name', githubProviderArn: null, stages }),
).toJSON();

describe('the types of resources', () => {
  const present = new Set(resourcesOf([...complete, ...cheap, ...delegated, pipeline]).map(({ type }) => type));

  test('are all priced, paid by use or free', () => {
    expect([...present].filter((type) => !knownTypes.has(type))).toEqual([]);
  });

  test('that are priced or said to be free occur in some template', () => {
    expect([...knownTypes].filter((type) => !present.has(type))).toEqual([]);
  });

  test('are named when nobody has decided what they cost', () => {
    const template = { Resources: { Cache: { Type: 'AWS::ElastiCache::ReplicationGroup' } } };
    expect(() => standingCostsOf([template])).toThrow(
      'lib/cost/resource-prices.ts does not say what AWS::ElastiCache::ReplicationGroup costs',
    );
  });
});

describe('a month', { timeout: synthTimeoutMs }, () => {
  const ofProd = templatesOf('prod', prod);

  test('has the hours of each NAT gateway and of its address', () => {
    expect(usdOf(ofProd, 'NAT gateways')).toBeCloseTo(prod.natGateways * 730 * 0.045);
    expect(usdOf(ofProd, 'Their addresses')).toBeCloseTo(prod.natGateways * 730 * 0.005);
  });

  test('has a machine for each agent that needs one, with its disk and address', () => {
    const crowded = templatesOf('crowded', { ...prod, gpuMachinesMin: 1, ffmpegAgentsMin: 5 });
    expect(usdOf(crowded, 'GPU machines and their disks, at least')).toBeCloseTo(5 * (730 * 0.526 + 60 * 0.08));
    expect(usdOf(crowded, 'Public addresses of the machines')).toBeCloseTo(5 * 730 * 0.005);
  });

  test('has the machines that are kept warm, where agents are fewer', () => {
    const warm = templatesOf('warm', { ...prod, gpuMachinesMin: 7, ffmpegAgentsMin: 1 });
    expect(usdOf(warm, 'Public addresses of the machines')).toBeCloseTo(7 * 730 * 0.005);
  });

  test('has the tasks of import workers, and of agents that send prepared media, by CPU and memory', () => {
    expect(usdOf(ofProd, 'Fargate tasks, at least')).toBeCloseTo(
      730 * (prod.manifestAgentsMin * (0.03238 + 2 * 0.00356) + prod.importWorkersMin * (0.03238 + 2 * 0.00356)),
    );
  });

  test('has the database twice, with its storage, where there is a standby', () => {
    const alone = templatesOf('alone', { ...prod, databaseMultiAz: false });
    for (const what of ['Database, and its standby if any', 'Its storage, to begin with'])
      expect(usdOf(ofProd, what)).toBeCloseTo(2 * (usdOf(alone, what) ?? 0));
  });

  test('has a dime for each metric of each alarm', () => {
    const alarms = resourcesOf(ofProd).filter(({ type }) => type === 'AWS::CloudWatch::Alarm');
    expect(usdOf(ofProd, 'Alarms, metrics')).toBeGreaterThanOrEqual(alarms.length * 0.1);
    const math = {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: { Metrics: [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'm1 + m2' }] },
    };
    expect(usdOf([{ Resources: { Sum: math } }], 'Alarms, metrics')).toBeCloseTo(0.2);
  });

  test('has interface endpoints in each of their zones, and gateway endpoints for nothing', () => {
    const endpoint = (Properties: unknown) => [
      { Resources: { Endpoint: { Type: 'AWS::EC2::VPCEndpoint', Properties } } },
    ];
    expect(
      usdOf(endpoint({ VpcEndpointType: 'Interface', SubnetIds: ['a', 'b'] }), 'Interface endpoints, in each zone'),
    ).toBeCloseTo(2 * 730 * 0.01);
    expect(usdOf(endpoint({ VpcEndpointType: 'Gateway' }), 'Interface endpoints, in each zone')).toBe(0);
  });

  test('costs less than four fifths of the watched budget before anyone uses the stage', () => {
    const usd = standingCostsOf(ofProd).reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0);
    expect(usd).toBeLessThan(prod.monthlyBudgetUsd! * 0.8);
  });

  test('keeps logs as long as the stage does', () => {
    expect(longestLogs(ofProd)).toEqual({ days: prod.logRetentionDays, usdPerGB: expect.closeTo(0.5 + 0.03 * 12) });
  });
});

describe('one agent or import worker more', () => {
  test('costs a whole machine or task, with its disk and address', () => {
    const taskOf = (memoryGB: number) => [
      `A Fargate task of 1 vCPU and ${memoryGB} GB more`,
      expect.closeTo(0.03238 + memoryGB * 0.00356 + 0.005),
    ];
    // Agents that send prepared media have as much as import workers.
    expect(hoursOfMore(complete)).toEqual([
      ['A g4dn.xlarge more', expect.closeTo(0.526 + (60 * 0.08) / 730 + 0.005)],
      taskOf(2),
      taskOf(2),
    ]);
  });
});

describe('sizes', () => {
  test.each(Object.entries(stages))('of %s have a price', (_name, { gpuInstanceType, databaseInstanceClass }) => {
    expect(machines[gpuInstanceType]).toBeDefined();
    expect(databaseClasses[`db.${databaseInstanceClass}`]).toBeDefined();
  });

  test('without a price are named', () => {
    expect(() => listed(machines, 'g9.xlarge')).toThrow(
      'lib/cost/list-prices.ts has no price for g9.xlarge: add it there',
    );
    const slow = {
      Type: 'AWS::RDS::DBInstance',
      Properties: { DBInstanceClass: 'db.t4g.medium', StorageType: 'io2', AllocatedStorage: '20' },
    };
    expect(() => standingCostsOf([{ Resources: { Slow: slow } }])).toThrow('no price for io2');
  });

  test('of an empty stack cost nothing', () => {
    expect(standingCostsOf([{}])).toEqual([]);
  });
});
