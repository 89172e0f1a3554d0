// The price of a month: every resource in the templates is included, and each sum follows from sizes and prices.
import { Template as StackAssertions } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { databases, listed, machines } from '../../bin/cost/prices.ts';
import { monthOf } from '../../bin/cost/stage-month.ts';
import type { Template } from '../../bin/stages/templates.ts';
import { PipelineStack } from '../../lib/delivery/pipeline-stack.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { knownTypes, typesIn } from '../support/known-types.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

function templatesOf(name: string, settings: StageSettings): Template[] {
  const stage = synthesizeStage(testApp(), name, settings);
  return [...stage.stacks.keys()].map((id) => stage.template(id));
}

function usdOf(templates: readonly Template[], what: string): number | undefined {
  return monthOf(templates).find((cost) => cost.what === what)?.usd;
}

const { prod } = stages;
const domain = { name: 'live.example.com', hostedZoneId: 'Z123' };
const pipeline = StackAssertions.fromStack(
  new PipelineStack(testApp(), 'pipeline', { githubRepository: 'owner/name', githubProviderArn: null, stages }),
).toJSON();

describe('the types of resources', () => {
  const present = typesIn([
    ...templatesOf('complete', { ...prod, domain, alarmEmail: 'ops@example.com' }),
    ...templatesOf('delegated', { ...prod, domain, hostedZoneRoleArn: 'arn:aws:iam::123456789012:role/dns' }),
    ...templatesOf('live', { ...prod, liveIngest: { minTasks: 1, maxTasks: 2 } }),
    ...templatesOf('cheap', stages.dev),
    pipeline,
  ]);

  test('are all priced, paid by use or free', () => {
    expect([...present].filter((type) => !knownTypes.has(type))).toEqual([]);
  });

  test('that are priced or said to be free occur in some template', () => {
    expect([...knownTypes].filter((type) => !present.has(type))).toEqual([]);
  });
});

describe('a month', { timeout: 60_000 }, () => {
  const ofProd = templatesOf('prod', prod);

  test('has the hours of each NAT gateway and of its address', () => {
    expect(usdOf(ofProd, 'NAT gateways')).toBeCloseTo(prod.natGateways * 730 * 0.045);
    expect(usdOf(ofProd, 'Their addresses')).toBeCloseTo(prod.natGateways * 730 * 0.005);
  });

  test('has a load balancer with an address in each zone, and the tasks that receive contributors', () => {
    const live = templatesOf('live', { ...prod, liveIngest: { minTasks: 2, maxTasks: 4 } });
    expect(usdOf(ofProd, 'Load balancers of live ingests')).toBe(0);
    expect(usdOf(live, 'Load balancers of live ingests')).toBeCloseTo(730 * 0.0225);
    expect(usdOf(live, 'Public addresses of load balancers')).toBeCloseTo(3 * 730 * 0.005);
    const tasks = 'Fargate tasks, at least';
    expect(usdOf(live, tasks)! - usdOf(ofProd, tasks)!).toBeCloseTo(2 * 730 * (2 * 0.03238 + 4 * 0.00356));
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
      730 * (prod.manifestAgentsMin + prod.importWorkersMin) * (0.03238 + 2 * 0.00356),
    );
  });

  test('has the database twice, with its storage, where there is a standby', () => {
    const alone = templatesOf('alone', { ...prod, databaseMultiAz: false });
    for (const what of ['Database, and its standby if any', 'Its initial storage'])
      expect(usdOf(ofProd, what)).toBeCloseTo(2 * (usdOf(alone, what) ?? 0));
  });

  test('has a dime for each metric of each alarm', () => {
    const math = {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: { Metrics: [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'm1 + m2' }] },
    };
    expect(usdOf([{ Resources: { Sum: math } }], 'Alarms, metrics')).toBeCloseTo(0.2);
  });

  test('costs less than four fifths of the watched budget before anyone uses the stage', () => {
    const usd = monthOf(ofProd).reduce((sum, cost) => sum + cost.usd, 0);
    expect(usd).toBeLessThan(prod.monthlyBudgetUsd! * 0.8);
  });
});

describe('sizes', () => {
  test.each(Object.entries(stages))('of %s have a price', (_name, { gpuInstanceType, databaseInstanceClass }) => {
    expect(machines[gpuInstanceType]).toBeDefined();
    expect(databases[`db.${databaseInstanceClass}`]).toBeDefined();
  });

  test('without a price are named', () => {
    expect(() => listed(machines, 'g9.xlarge')).toThrow('bin/cost/prices.ts has no price for g9.xlarge: add it there');
  });
});
