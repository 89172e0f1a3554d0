// What publishers run on: a machine with a GPU each, in public subnets, kept while they have streams and scaled by their slots.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apiVariables } from '../../lambda/api/environment.ts';
import { importVariables } from '../../lambda/imports/environment.ts';
import { agentVariables } from '../../lambda/publisher/environment.ts';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import { stages } from '../../lib/stages.ts';
import { type Resource, synthesizeStage, testApp } from '../support/synth.ts';

const prod = synthesizeStage(testApp(), 'prod', stages.prod);
const resources = prod.resources('Publishing');
const ofType = (type: string): Resource[] =>
  resources.filter(([, { Type }]) => Type === type).map(([, resource]) => resource);
const everyContainer = ofType('AWS::ECS::TaskDefinition').map(({ Properties }) => Properties.ContainerDefinitions[0]);
const valueIn = (container: any, name: string): unknown =>
  container.Environment.find(({ Name }: { Name: string }) => Name === name)?.Value;
const importWorker = everyContainer.find((container) => valueIn(container, 'IMPORT_RELEASE_PARAMETER'));
const containers = everyContainer.filter((container) => container !== importWorker);
const ffmpeg = containers.find((container) => valueIn(container, 'AGENT_BACKENDS') === 'ffmpeg');
const manifest = containers.find((container) => valueIn(container, 'AGENT_BACKENDS') === 'manifest');
const mediaWorker = containers.find((container) => valueIn(container, 'AGENT_BACKENDS') === '');

describe('the agents', () => {
  test('are one container each, by digest, with every variable that it reads', () => {
    expect(containers).toHaveLength(3);
    for (const container of containers) {
      const names = container.Environment.map(({ Name }: { Name: string }) => Name).filter(
        (name: string) => name !== 'QUEUE_NAME',
      );
      expect(names.sort()).toEqual([...apiVariables, ...agentVariables].sort());
      expect(JSON.stringify(container.Image)).toContain('@sha256:');
      expect(container).toMatchObject({
        ReadonlyRootFilesystem: true,
        StopTimeout: 120,
        LogConfiguration: { LogDriver: 'awslogs', Options: { mode: 'non-blocking' } },
      });
    }
  });

  test('have a GPU where they encode, and none where they send what is prepared', () => {
    const gpu = [{ Type: 'GPU', Value: '1' }];
    expect(ffmpeg).toMatchObject({ ResourceRequirements: gpu });
    expect(mediaWorker).toMatchObject({ ResourceRequirements: gpu });
    expect(manifest).not.toHaveProperty('ResourceRequirements');
    const fargate = ofType('AWS::ECS::TaskDefinition').filter(({ Properties }) =>
      Properties.RequiresCompatibilities.includes('FARGATE'),
    );
    const arm64 = { CpuArchitecture: 'ARM64', OperatingSystemFamily: 'LINUX' };
    expect(fargate.map(({ Properties }) => Properties.RuntimePlatform)).toEqual([arm64, arm64]);
    const networkModes = ofType('AWS::ECS::TaskDefinition').map(({ Properties }) => Properties.NetworkMode);
    expect(networkModes.sort()).toEqual(['awsvpc', 'awsvpc', 'bridge', 'bridge']);
  });

  test('run on machines of a GPU type that keep their metadata and disks to themselves, and end when empty', () => {
    expect(ofType('AWS::EC2::LaunchTemplate').map(({ Properties }) => Properties.LaunchTemplateData)).toEqual([
      expect.objectContaining({
        InstanceType: stages.prod.gpuInstanceType,
        MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
        BlockDeviceMappings: [expect.objectContaining({ Ebs: expect.objectContaining({ Encrypted: true }) })],
      }),
    ]);
    expect(ofType('AWS::ECS::CapacityProvider').map(({ Properties }) => Properties.AutoScalingGroupProvider)).toEqual([
      expect.objectContaining({
        ManagedDraining: 'ENABLED',
        ManagedTerminationProtection: 'ENABLED',
        ManagedScaling: { Status: 'ENABLED', TargetCapacity: 100 },
      }),
    ]);
    expect(ofType('AWS::AutoScaling::AutoScalingGroup')[0]?.Properties).toMatchObject({
      MinSize: '3',
      MaxSize: '50',
      NewInstancesProtectedFromScaleIn: true,
    });
  });

  test('may protect themselves', () => {
    const statements = ofType('AWS::IAM::Policy').flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(statements.filter(({ Action }: any) => Action === 'ecs:UpdateTaskProtection')).toHaveLength(4);
  });

  test('are as many as the slots in use need: nothing scales publishers by CPU or by messages', () => {
    const policies = ofType('AWS::ApplicationAutoScaling::ScalingPolicy').map(({ Properties }) => Properties);
    const tracking = policies.filter(({ PolicyType }) => PolicyType === 'TargetTrackingScaling');
    const metrics = tracking.map(
      ({ TargetTrackingScalingPolicyConfiguration: { CustomizedMetricSpecification } }) =>
        CustomizedMetricSpecification.Metrics,
    );
    expect(
      metrics.map((queries) =>
        queries.filter(({ MetricStat }: any) => MetricStat).map(({ MetricStat }: any) => MetricStat.Metric.MetricName),
      ),
    ).toEqual([
      ['SlotsUsed', 'Slots'],
      ['SlotsUsed', 'Slots'],
    ]);
    const stepped = policies.filter(({ PolicyType }) => PolicyType === 'StepScaling');
    expect(
      stepped.map(({ ScalingTargetId }) => /^(?:AgentsMediaWorkers|ImportWorkers)/.exec(ScalingTargetId.Ref)?.[0]),
    ).toEqual(['AgentsMediaWorkers', 'AgentsMediaWorkers', 'ImportWorkers', 'ImportWorkers']);
  });

  test('learn of a new release before ECS waits for the old ones', () => {
    const parameters = new Map(resources.filter(([, { Type }]) => Type === 'AWS::SSM::Parameter'));
    const services = resources.filter(([, { Type }]) => Type === 'AWS::ECS::Service').map(([, service]) => service);
    expect(services).toHaveLength(4);
    for (const { Properties, DependsOn } of services) {
      const [parameter] = (DependsOn ?? []).flatMap((id) => parameters.get(id) ?? []);
      expect(parameter?.Properties.Value).toEqual(Properties.TaskDefinition);
    }
  });
});

describe('the import workers', () => {
  test('are one container with every variable that they read, and the entry that the image has for them', () => {
    const names = importWorker.Environment.map(({ Name }: { Name: string }) => Name).filter(
      (name: string) => name !== 'QUEUE_NAME',
    );
    expect(names.sort()).toEqual([...apiVariables, ...importVariables].sort());
    expect(importWorker).toMatchObject({
      ReadonlyRootFilesystem: true,
      StopTimeout: 120,
      HealthCheck: expect.anything(),
    });
    const dockerfile = readFileSync(join(import.meta.dirname, '../../lambda/publisher/Dockerfile'), 'utf8');
    expect(dockerfile).toContain("writeBundle(bundles.get('imports/import.task.ts'), 'out/imports')");
    expect(dockerfile).toContain('COPY --from=bundle /build/out /agent');
    expect(importWorker.Command).toEqual(['node', '/agent/imports/index.mjs']);
  });

  test('reach the internet by themselves, not through NAT, and as few or many as the stage says', () => {
    const service = ofType('AWS::ECS::Service').find(({ Properties }) =>
      JSON.stringify(Properties.TaskDefinition).includes('ImportWorkers'),
    );
    expect(service?.Properties.NetworkConfiguration.AwsvpcConfiguration.AssignPublicIp).toBe('ENABLED');
    const targets = ofType('AWS::ApplicationAutoScaling::ScalableTarget').filter(({ Properties }) =>
      JSON.stringify(Properties.ResourceId).includes('ImportWorkers'),
    );
    expect(targets.map(({ Properties: { MinCapacity, MaxCapacity } }) => [MinCapacity, MaxCapacity])).toEqual([
      [stages.prod.importWorkersMin, stages.prod.importWorkersMax],
    ]);
  });
});

describe('the image', () => {
  test.each(['latest', 'sha256:123', '', true])('cannot be named by %j', (digest) => {
    expect(() => new PublisherImage(digest)).toThrow('-c imageDigest=DIGEST');
  });
});
