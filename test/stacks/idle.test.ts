// The costs of stages without streams: features that dev and staging omit, and their replacements.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { monthOf } from '../../bin/cost/stage-month.ts';
import { needsOf, type QuotaNeeds } from '../../bin/deploy/stage-needs.ts';
import { stages } from '../../lib/stages.ts';
import { ServiceStandIn } from '../support/service-stand-in.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
const dev = synthesizeStage(app, 'dev', stages.dev);
const staging = synthesizeStage(app, 'staging', stages.staging);
const prod = synthesizeStage(app, 'prod', stages.prod);
const every = [dev, staging, prod];

function usdOf(stage: typeof dev): number {
  const templates = [...stage.stacks.keys()].map((id) => stage.template(id));
  return monthOf(templates).reduce((sum, { usd }) => sum + usd, 0);
}

/** The one resource of a type in the stack Publishing whose logical id matches. */
function only(stage: typeof dev, type: string, id: RegExp) {
  const found = stage.resources('Publishing').filter(([key, { Type }]) => Type === type && id.test(key));
  expect(found).toHaveLength(1);
  return { id: found[0]![0], ...found[0]![1] };
}

test.each([
  ['dev', dev, 127],
  ['staging', staging, 400],
])('%s costs little while nobody streams', (_, stage, most) => {
  expect(usdOf(stage)).toBeLessThanOrEqual(most);
});

test('the README tells those who ask for quotas what the templates need', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../lib/README.md'), 'utf8');
  const needs = every.map((stage) => needsOf([...stage.stacks.keys()].map((id) => stage.template(id))));
  for (const [quota, need] of [
    ['“Running On-Demand G and VT instances”, vCPU', 'gpuVcpus'],
    ['“Fargate On-Demand vCPU resource count”', 'fargateVcpus'],
    ['“Concurrent executions” of Lambda', 'concurrentCalls'],
    ['“VPCs per Region”', 'vpcs'],
  ] satisfies [string, keyof QuotaNeeds][]) {
    const cells = needs.map(({ [need]: { toDeploy, atMost } }) => `${toDeploy}, ${atMost}`);
    expect(readme).toContain(`| ${[quota, ...cells].join(' | ')} |`);
  }
});

test('prod has all that keeps it up', () => {
  const types = prod.resources().map(([, { Type }]) => Type);
  expect(types.filter((type) => type === 'AWS::EC2::NatGateway')).toHaveLength(3);
  expect(types).toContain('AWS::RDS::DBProxy');
  const database = prod.resources('Database').find(([, { Type }]) => Type === 'AWS::RDS::DBInstance')![1];
  expect(database.Properties).toMatchObject({ MultiAZ: true, DeletionProtection: true });
  const group = prod.resources('Publishing').find(([, { Type }]) => Type === 'AWS::AutoScaling::AutoScalingGroup')![1];
  expect(group.Properties.MinSize).toBe('3');
});

describe.each([
  ['dev', dev],
  ['staging', staging],
])('%s, which keeps no machine', (_, stage) => {
  const publishing = stage.resources('Publishing');
  const ofType = (type: string) => publishing.filter(([, { Type }]) => Type === type);
  const containerOf = (name: RegExp) =>
    ofType('AWS::ECS::TaskDefinition').find(([id]) => name.test(id))![1].Properties.ContainerDefinitions[0];
  const valueIn = (container: any, name: string) =>
    container.Environment.find(({ Name }: { Name: string }) => Name === name)?.Value;

  test('has agents on Fargate that encode as well, take media commands, and say how long a machine takes', () => {
    const container = containerOf(/ManifestTask/);
    expect(valueIn(container, 'AGENT_BACKENDS')).toBe('ffmpeg,manifest');
    expect(valueIn(container, 'AGENT_MACHINE_SECONDS')).toBe('360');
    expect(valueIn(containerOf(/FfmpegTask/), 'AGENT_MACHINE_SECONDS')).toBeUndefined();
    const [, task] = ofType('AWS::ECS::TaskDefinition').find(([id]) => /ManifestTask/.test(id))!;
    expect(task.Properties).toMatchObject({ Cpu: '2048', Memory: '4096' });
    const consumed = ofType('AWS::IAM::Policy')
      .filter(([id]) => /ManifestTaskTaskRole/.test(id))
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().includes('sqs:ReceiveMessage'));
    const queues = ['CommandsPublishFfmpeg', 'CommandsPublishManifest', 'CommandsMedia'];
    for (const queue of queues) expect(JSON.stringify(consumed)).toContain(queue);
  });

  test('has a machine come while streams wait, and go when none has waited for a quarter of an hour', () => {
    const alarm = (name: RegExp) => {
      const [, { Properties }] = ofType('AWS::CloudWatch::Alarm').find(([id]) => name.test(id))!;
      const { MetricName, Namespace, Dimensions, Statistic, Period, EvaluationPeriods, Threshold } = Properties;
      const policy = ofType('AWS::ApplicationAutoScaling::ScalingPolicy').find(
        ([id]) => id === Properties.AlarmActions[0].Ref,
      )![1];
      const [{ ScalingAdjustment }] = policy.Properties.StepScalingPolicyConfiguration.StepAdjustments;
      const metric = [Namespace, MetricName, Dimensions.map(({ Name }: { Name: string }) => Name), Statistic, Period];
      return [metric, EvaluationPeriods, Threshold, ScalingAdjustment];
    };
    const metric = ['LoopStreaming', 'WaitingForMachine', ['Backend', 'Cluster'], 'Maximum', 60];
    expect(alarm(/FfmpegScalingWaiting/)).toEqual([metric, 1, 1, 1]);
    expect(alarm(/FfmpegScalingQuiet/)).toEqual([metric, 15, 0, -1]);
    const [, target] = ofType('AWS::ApplicationAutoScaling::ScalableTarget').find(([id]) => /AgentsFfmpeg/.test(id))!;
    expect(target.Properties.MinCapacity).toBe(0);
    const [, group] = ofType('AWS::AutoScaling::AutoScalingGroup')[0]!;
    expect(group.Properties.MinSize).toBe('0');
  });

  test('has the count of its new service of ffmpeg agents set to zero, and none in the template', () => {
    const service = only(stage, 'AWS::ECS::Service', /AgentsFfmpeg/);
    const trigger = only(stage, 'Custom::Trigger', /FirstCountCall/);
    expect(service.DependsOn).toContain(trigger.id);
    const { Cluster, TaskDefinition } = service.Properties;
    const { Family } = only(stage, 'AWS::ECS::TaskDefinition', new RegExp(`^${TaskDefinition.Ref}$`)).Properties;
    const { Variables } = only(stage, 'AWS::Lambda::Function', /FirstCountFunction/).Properties.Environment;
    expect(Variables).toEqual({ AGENTS_CLUSTER: Cluster, AGENTS_FAMILY: Family });
  });
});

test('without a proxy, whoever uses the database is told which authorities certify it', () => {
  const files = dev
    .resources()
    .flatMap(([, { Properties }]) => [
      Properties?.Environment?.Variables?.NODE_EXTRA_CA_CERTS ?? [],
      Properties?.ContainerDefinitions?.[0]?.Environment.filter(
        ({ Name }: { Name: string }) => Name === 'NODE_EXTRA_CA_CERTS',
      ).map(({ Value }: { Value: string }) => Value) ?? [],
    ])
    .flat();
  expect(new Set(files)).toEqual(new Set(['/var/runtime/ca-cert.pem', '/agent/rds.pem']));
  expect(files.filter((file) => file === '/agent/rds.pem')).toHaveLength(4);
});

test('no function, container or machine of a stage is in fewer logs or alarms for being cheap', () => {
  // Separate settings (`syntheticStream`, `nat`) decide whether a stream starts every minute, and on NAT machines.
  // Others have no RDS Proxy that could pin, or no credits that could end.
  const isOfSome = (id: string) =>
    /^Alarms(?:Starts|Function\w+Synthetic|NatMachine|PinnedConnections|DatabaseCredits)/.test(id);
  const alarms = every.map(
    (stage) =>
      stage.resources('Monitoring').filter(([id, { Type }]) => Type === 'AWS::CloudWatch::Alarm' && !isOfSome(id))
        .length,
  );
  expect(new Set(alarms).size).toBe(1);
});

const aws = new ServiceStandIn();
const handlers = '../../node_modules/aws-cdk-lib/custom-resource-handlers/dist/triggers/lambda/index.js';
const { handler: callTrigger } = createRequire(import.meta.url)(handlers);

describe('the first deployment of a stage that keeps no machine, and later ones', () => {
  const { Properties: service } = only(dev, 'AWS::ECS::Service', /AgentsFfmpeg/);
  const { Properties: trigger } = only(dev, 'Custom::Trigger', /FirstCountCall/);

  beforeAll(async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', await aws.start());
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.spyOn(console, 'log').mockReturnValue();
  });
  afterAll(() => {
    aws.stop();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  /** Runs the CDK's own function for the trigger of the template, and then deploys the service of the template. */
  async function deploy(RequestType: 'Create' | 'Update', release: number): Promise<void> {
    const HandlerArn = `arn:aws:lambda:us-east-1:111111111111:function:FirstCount:${release}`;
    // CloudFormation turns values of custom resources into text.
    const asText = Object.entries(trigger).map(([key, value]) => [key, String(value)]);
    await callTrigger({ RequestType, ResourceProperties: { ...Object.fromEntries(asText), HandlerArn } });
    aws.deploy(service);
  }

  test('come up without agents on machines, and keep those that came in nine releases', async () => {
    await deploy('Create', 1);
    expect(await Promise.all(aws.outcomes)).toEqual(['none']);
    expect(aws.service?.desiredCount).toBe(0);
    for (let release = 2; release <= 10; release++) {
      aws.service!.desiredCount = release;
      await deploy('Update', release);
      await Promise.all(aws.outcomes);
      expect(aws.service?.desiredCount).toBe(release);
    }
    expect(aws.outcomes).toHaveLength(1);
  });

  test('keep agents also if the stage stood before there was this function', async () => {
    aws.service = { desiredCount: 3, createdAt: Date.now() / 1000 - 3600 };
    await deploy('Create', 1);
    expect(await aws.outcomes.at(-1)).toBe('standing');
    expect(aws.service?.desiredCount).toBe(3);
  });
});
