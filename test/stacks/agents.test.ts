// Hosts and images of agents and import workers: machines and tasks scaled by their use, and the image's files.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Stack } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { youngHeap } from '../../bin/local/agent-supervisor.ts';
import { importVariables } from '../../lambda/imports/environment.ts';
import { agentVariables, publishingVariables } from '../../lambda/publisher/environment.ts';
import { Agents, type AgentsProps } from '../../lib/publishing/agents.ts';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import { stages } from '../../lib/stages.ts';
import { bundledEntriesOf, copiesOf, readDockerfile, textsOf, variablesOf } from '../support/dockerfile.ts';
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
const prepared = containers.find((container) => valueIn(container, 'AGENT_BACKENDS') === 'manifest');
const mediaWorker = containers.find((container) => valueIn(container, 'AGENT_BACKENDS') === '');

const root = join(import.meta.dirname, '../..');
const imageStages = readDockerfile(readFileSync(join(root, 'lambda/publisher/Dockerfile'), 'utf8'));
const image = imageStages.at(-1)!;

/** The entries of the image's bundles, relative to the repository, by the paths of those bundles in the image. */
function bundlesInImage(): Record<string, string> {
  const bundles: Record<string, string> = {};
  for (const { fromStage, sources, target } of copiesOf(image)) {
    const stage = imageStages.find(({ name }) => name !== null && name === fromStage);
    for (const [path, entry] of Object.entries(stage ? bundledEntriesOf(stage) : {})) {
      const source = sources.find((folder) => path.startsWith(`${folder}/`));
      if (source !== undefined) bundles[posix.join(target, posix.relative(source, path))] = entry;
    }
  }
  return bundles;
}

describe('agents alone, in a stack of somebody else', () => {
  // Settings are checked before anything is made.
  const surroundings = {} as Pick<AgentsProps, 'network' | 'access' | 'queues'>;
  const made = (settings: Partial<AgentsProps>) => new Agents(new Stack(), 'Own', { ...surroundings, ...settings });

  test.each<[Partial<AgentsProps>, string]>([
    [{ ffmpegAgentsMax: 0 }, 'Agents "Own": ffmpegAgentsMax must be a whole number from 1 to 1000, not 0'],
    [{ manifestAgentsMin: 9 }, 'Agents "Own": manifestAgentsMax must be a whole number from 9 to 1000, not 4'],
    [{ gpuInstanceType: 'p5.48xlarge' }, 'Agents "Own": gpuInstanceType must be a type of the g family'],
    [{ logRetentionDays: 15 as RetentionDays }, 'Agents "Own": logRetentionDays must be'],
    [{ databaseConnections: 2 }, 'Agents "Own": databaseConnections must be a whole number from 3 to 10, not 2'],
  ])('refuse what a stage refuses: %j', (settings, refusal) => {
    expect(() => made(settings)).toThrow(refusal);
  });
});

describe('the agents', () => {
  test('are one container each, by digest, with every variable that it reads', () => {
    expect(containers).toHaveLength(3);
    for (const container of containers) {
      const names = container.Environment.map(({ Name }: { Name: string }) => Name).filter(
        (name: string) => name !== 'QUEUE_NAME',
      );
      const publishing = container === mediaWorker ? [] : publishingVariables;
      expect(names.sort()).toEqual([...agentVariables, ...publishing].sort());
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
    expect(prepared).not.toHaveProperty('ResourceRequirements');
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
      MaxSize: '60',
      NewInstancesProtectedFromScaleIn: true,
      TerminationPolicies: ['OldestLaunchTemplate', 'OldestInstance'],
      MaxInstanceLifetime: 30 * 24 * 3600,
    });
  });

  // “Default: 1”, if a service is created without a number, and a worker occupies a GPU machine.
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ecs-service.html
  test('start without a media worker', () => {
    const counts = resources
      .filter(([, { Type }]) => Type === 'AWS::ECS::Service')
      .map(([id, { Properties }]) => [/^(?:Agents)?[A-Z][a-z]+/.exec(id)?.[0], Properties.DesiredCount]);
    expect(counts).toEqual([
      ['AgentsFfmpeg', undefined],
      ['AgentsManifest', undefined],
      ['AgentsMedia', 0],
      ['Import', undefined],
    ]);
  });

  test('may protect their tasks from being stopped, as import workers may', () => {
    const statements = ofType('AWS::IAM::Policy').flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(statements.filter(({ Action }: any) => Action === 'ecs:UpdateTaskProtection')).toHaveLength(4);
  });

  test('are as many as what is in use needs, whatever their CPU or queues say', () => {
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
      ['CapacityUsed', 'Capacity', 'Capacity'],
      ['CapacityUsed', 'Capacity', 'Capacity'],
    ]);
    const stepped = policies.filter(({ PolicyType }) => PolicyType === 'StepScaling');
    expect(
      stepped.map(({ ScalingTargetId }) => /^(?:AgentsMediaWorkers|ImportWorkers)/.exec(ScalingTargetId.Ref)?.[0]),
    ).toEqual(['AgentsMediaWorkers', 'AgentsMediaWorkers', 'ImportWorkers', 'ImportWorkers']);
  });

  test.each([
    ['idle', { agents: 1, used: 0 }, 1],
    ['two that are full', { agents: 2, used: 200 }, 3.5],
    ['two that are half full', { agents: 2, used: 80 }, 2],
  ])('are wanted as %s: %j', (_what, { agents, used }, wanted) => {
    const tracked = ofType('AWS::ApplicationAutoScaling::ScalingPolicy')
      .map(({ Properties }) => Properties.TargetTrackingScalingPolicyConfiguration)
      .find((configuration) => configuration !== undefined);
    const reports: Readonly<Record<string, number>> = {
      'CapacityUsed Sum': used,
      'Capacity Sum': 100 * agents,
      'Capacity Average': 100,
    };
    const queries: any[] = tracked.CustomizedMetricSpecification.Metrics;
    const values = queries.flatMap(({ Id, MetricStat }) =>
      MetricStat ? [[Id, reports[`${MetricStat.Metric.MetricName} ${MetricStat.Stat}`]]] : [],
    );
    const [expression] = queries.flatMap(({ Expression = [] }) => Expression);
    const percent = runInNewContext(expression, Object.fromEntries(values));
    expect((agents * percent) / tracked.TargetValue).toBeCloseTo(wanted);
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
  test('are one container with every variable that they read', () => {
    const names = importWorker.Environment.map(({ Name }: { Name: string }) => Name).filter(
      (name: string) => name !== 'QUEUE_NAME',
    );
    expect(names.sort()).toEqual([...importVariables].sort());
    expect(importWorker).toMatchObject({
      ReadonlyRootFilesystem: true,
      StopTimeout: 120,
      HealthCheck: expect.anything(),
    });
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
  const bundles = bundlesInImage();

  test('has a bundle for each process and thread', () => {
    expect(bundles).toEqual({
      '/agent/index.mjs': 'lambda/publisher/agent.task.ts',
      '/agent/imports/index.mjs': 'lambda/imports/import.task.ts',
      '/agent/drawing/index.mjs': 'lambda/publisher/drawing/draw.task.ts',
      '/agent/examining/index.mjs': 'lambda/publisher/media/examine.task.ts',
      '/agent/imports/listing/index.mjs': 'lambda/imports/sources/list.task.ts',
      '/agent/live/index.mjs': 'lambda/live/live.task.ts',
    });
    for (const entry of Object.values(bundles)) expect(existsSync(join(root, entry))).toBe(true);
  });

  // No shell in between: signals of ECS must reach the process that returns its streams.
  test('starts the agent by itself, and import workers by the command of their task definition', () => {
    const withEntry = ([program = '', bundle = '', ...rest]: string[]) => [program, bundles[bundle], ...rest];
    expect(textsOf(image, 'ENTRYPOINT')).toEqual([]);
    const commandOfImage = JSON.parse(textsOf(image, 'CMD').join()) as string[];
    expect(withEntry(commandOfImage)).toEqual(['node', 'lambda/publisher/agent.task.ts']);
    const commands = containers.map(({ EntryPoint, Command }) => [EntryPoint, Command]);
    expect(commands).toEqual(containers.map(() => [undefined, undefined]));
    expect(withEntry(importWorker.Command)).toEqual(['node', 'lambda/imports/import.task.ts']);
  });

  test('has the user that everything runs as, who is not root', () => {
    expect(textsOf(image, 'USER')).toEqual(['node']);
    expect(everyContainer.map(({ User }) => User)).toEqual(everyContainer.map(() => undefined));
  });

  test('asks for the encoders of a GPU, source maps and a small heap, and no task definition overrides that', () => {
    const variables = variablesOf(image);
    expect(variables['NVIDIA_DRIVER_CAPABILITIES']?.split(',')).toContain('video');
    expect(variables['NODE_OPTIONS']).toBe(`--enable-source-maps ${youngHeap}`);
    const overridden = everyContainer.flatMap((container) =>
      Object.keys(variables).filter((name) => valueIn(container, name) !== undefined),
    );
    expect(overridden).toEqual([]);
  });

  test.each(['latest', 'sha256:123', ''])('cannot be named by %j', (digest) => {
    expect(() => PublisherImage.fromDigest(digest)).toThrow('-c imageDigest=DIGEST');
  });
});
