// The costs of stages without streams: features that dev and staging omit, and their replacements.
import { describe, expect, test } from 'vitest';
import { monthOf } from '../../bin/cost/stage-month.ts';
import { stages } from '../../lib/stages.ts';
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

test.each([
  ['dev', dev, 120],
  ['staging', staging, 400],
])('%s costs little while nobody streams', (_, stage, most) => {
  expect(usdOf(stage)).toBeLessThanOrEqual(most);
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
  // A separate setting (`syntheticStream`) decides whether a stream starts every minute.
  const isOfSynthetic = (id: string) => /^Alarms(?:Starts|Function\w+Synthetic)/.test(id);
  const alarms = every.map(
    (stage) =>
      stage.resources('Monitoring').filter(([id, { Type }]) => Type === 'AWS::CloudWatch::Alarm' && !isOfSynthetic(id))
        .length,
  );
  expect(new Set(alarms).size).toBe(1);
});
