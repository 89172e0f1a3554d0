// The containers that send streams and prepare media: one image in three services.
import { Duration, Size, Stack } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  AwsLogDriverMode,
  type BaseService,
  type CfnService,
  type CfnTaskDefinition,
  Cluster,
  type ContainerDefinitionOptions,
  ContainerInsights,
  CpuArchitecture,
  Ec2Service,
  Ec2TaskDefinition,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDriver,
  NetworkMode,
  OperatingSystemFamily,
  PlacementStrategy,
  PropagatedTagSource,
  type TaskDefinition,
} from 'aws-cdk-lib/aws-ecs';
import { QueueProcessingEc2Service } from 'aws-cdk-lib/aws-ecs-patterns';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import {
  agentHealthPort,
  agentPeerPort,
  agentVariables,
  publishingVariables,
} from '../../lambda/publisher/environment.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';
import type { DeployableKind, PlatformAccess } from '../shared/platform-access.ts';
import { pickVariables } from '../shared/pick-variables.ts';
import type { PublisherImage } from '../shared/publisher-image.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import type { StageSettings } from '../stage-settings.ts';
import { AgentRelease } from './agent-release.ts';
import type { CommandQueues } from './command-queues.ts';
import { GpuPool } from './gpu-pool.ts';
import { CapacityScaling } from './capacity-scaling.ts';
import { preparedTaskSize } from './task-sizes.ts';

export interface AgentsProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly access: PlatformAccess;
  readonly queues: CommandQueues;
  readonly image: PublisherImage;
}

/** What one kind of agent has and another has not. */
interface Kind {
  readonly onGpu: boolean;
  readonly backends: readonly ('ffmpeg' | 'manifest')[];
}

/** In this time an agent gives back its streams, one connection after the other. Fargate allows no more. */
const stopTimeout = Duration.minutes(2);
/** Finds out whether the event loop of the process still runs. */
export const healthCheck = {
  command: ['CMD', 'node', '--eval', `fetch('http://127.0.0.1:${agentHealthPort}').catch(() => process.exit(1))`],
  interval: Duration.seconds(30),
  timeout: Duration.seconds(10),
  retries: 4,
  startPeriod: Duration.minutes(2),
};
/** At a deployment, new tasks start before old ones end. A release whose tasks do not start is taken back. */
export const deployment = {
  minHealthyPercent: 100,
  maxHealthyPercent: 200,
  circuitBreaker: { rollback: true },
  enableECSManagedTags: true,
  propagateTags: PropagatedTagSource.SERVICE,
} as const;
/** Half of the memory of the smallest g machine. It is no limit: a task may use all memory of its machine. */
const gpuTaskMemoryMiB = 8192;

export class Agents extends Construct {
  readonly cluster: Cluster;
  readonly gpuPool: GpuPool;
  /** The log groups of the agents that send streams. */
  readonly logGroups: ServiceLogs[] = [];
  /** The log groups of what runs on machines with a GPU. */
  readonly gpuLogGroups: ServiceLogs[] = [];
  readonly #props: AgentsProps;

  constructor(scope: Construct, id: string, props: AgentsProps) {
    super(scope, id);
    this.#props = props;
    const { settings, network } = props;
    this.cluster = new Cluster(this, 'Cluster', { vpc: network.vpc, containerInsightsV2: ContainerInsights.ENABLED });
    this.gpuPool = new GpuPool(this, 'GpuPool', { settings, network, cluster: this.cluster });
    this.#addFfmpegAgents();
    this.#addPreparedAgents();
    this.#addMediaWorkers();
  }

  #addFfmpegAgents(): void {
    const { settings, image } = this.#props;
    const { ffmpegAgentsMin: minAgents, ffmpegAgentsMax: maxAgents } = settings;
    const release = new AgentRelease(this, 'FfmpegRelease');
    const taskDefinition = new Ec2TaskDefinition(this, 'FfmpegTask', { networkMode: NetworkMode.BRIDGE });
    taskDefinition.addContainer('Agent', {
      ...this.#container('Ffmpeg', { onGpu: true, backends: ['ffmpeg'] }, release),
      image: image.for(this, 'GpuImage', Platform.LINUX_AMD64),
      gpuCount: 1,
      memoryReservationMiB: gpuTaskMemoryMiB,
      // The port is the same on the machine: the security group lets peers in at this port only, and no other task is
      // on the machine.
      portMappings: [{ containerPort: agentPeerPort, hostPort: agentPeerPort }],
    });
    const service = new Ec2Service(this, 'Ffmpeg', {
      ...deployment,
      cluster: this.cluster,
      taskDefinition,
      capacityProviderStrategies: this.#onGpuPool(),
      placementStrategies: [PlacementStrategy.spreadAcross('attribute:ecs.availability-zone')],
    });
    grantTask(taskDefinition, 'agent', this.#props, this.cluster, ['publish-ffmpeg', 'media']);
    release.announce(taskDefinition, service);
    this.#awaitGpuPool(service);
    new CapacityScaling(this, 'FfmpegScaling', {
      cluster: this.cluster,
      service,
      backend: 'ffmpeg',
      minAgents,
      maxAgents,
    });
  }

  #addPreparedAgents(): void {
    const { settings, network, image } = this.#props;
    const { manifestAgentsMin: minAgents, manifestAgentsMax: maxAgents } = settings;
    const release = new AgentRelease(this, 'ManifestRelease');
    const taskDefinition = new FargateTaskDefinition(this, 'ManifestTask', {
      ...preparedTaskSize(settings),
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
    });
    taskDefinition.addContainer('Agent', {
      ...this.#container('Manifest', { onGpu: false, backends: ['manifest'] }, release),
      image: image.for(this, 'ArmImage', Platform.LINUX_ARM64),
    });
    const service = new FargateService(this, 'Manifest', {
      ...deployment,
      cluster: this.cluster,
      taskDefinition,
      // With a public address, the streams do not pass a NAT gateway, which would have to be paid for their traffic of
      // months. The security group lets nobody in.
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [network.publishers, network.databaseClients],
    });
    grantTask(taskDefinition, 'agent', this.#props, this.cluster, ['publish-manifest']);
    release.announce(taskDefinition, service);
    new CapacityScaling(this, 'ManifestScaling', {
      cluster: this.cluster,
      service,
      backend: 'manifest',
      minAgents,
      maxAgents,
    });
  }

  /** Agents without backends. They take commands of the queue `media` only, and none runs while the queue is empty. */
  #addMediaWorkers(): void {
    const { settings, queues, image } = this.#props;
    const release = new AgentRelease(this, 'MediaWorkerRelease');
    const container = this.#container('MediaWorker', { onGpu: true, backends: [] }, release);
    const workers = new QueueProcessingEc2Service(this, 'MediaWorkers', {
      ...deployment,
      cluster: this.cluster,
      image: image.for(this, 'MediaWorkerImage', Platform.LINUX_AMD64),
      queue: queues.get('media'),
      environment: container.environment,
      logDriver: container.logging,
      gpuCount: 1,
      memoryReservationMiB: gpuTaskMemoryMiB,
      capacityProviderStrategies: this.#onGpuPool(),
      minScalingCapacity: 0,
      maxScalingCapacity: settings.mediaWorkersMax,
      // The workers are scaled by the number of commands that wait. How busy their CPU is says nothing.
      scalingSteps: [
        { upper: 0, change: -1 },
        { lower: 10, change: 1 },
        { lower: 100, change: 5 },
      ],
      disableCpuBasedScaling: true,
    });
    // Without a number CloudFormation starts one worker, and a machine for it. A deployment sets the number to this
    // again: workers protect themselves while they work, and commands that wait start others.
    (workers.service.node.findChild('Service') as CfnService).desiredCount = 0;
    hardenPatternContainer(workers.taskDefinition);
    grantTask(workers.taskDefinition, 'mediaWorker', this.#props, this.cluster, []);
    release.announce(workers.taskDefinition, workers.service);
    this.#awaitGpuPool(workers.service);
  }

  /** A capacity provider has to be associated with the cluster first; the CDK has no service wait for that. */
  #awaitGpuPool(service: BaseService): void {
    service.node.addDependency(this.cluster);
  }

  #onGpuPool() {
    return [{ capacityProvider: this.gpuPool.capacityProviderName, weight: 1 }];
  }

  #container(id: string, { onGpu, backends }: Kind, release: AgentRelease) {
    const { settings, access } = this.#props;
    const environment = {
      ...access.environmentFor(Stack.of(this), backends.length > 0 ? 'agent' : 'mediaWorker'),
      AWS_REGION: Stack.of(this).region,
      AGENT_BACKENDS: backends.join(','),
      // Encoders never fill their machine's network.
      AGENT_NETWORK_MBPS: onGpu ? '' : String(settings.manifestAgentNetworkMbps),
      AGENT_GPU_MEGAPIXELS: String(onGpu ? settings.gpuMegapixels : 0),
      AGENT_RELEASE_PARAMETER: release.parameterName,
    };
    const logGroup = new ServiceLogs(this, `${id}Logs`, settings.logRetentionDays);
    if (backends.length > 0) this.logGroups.push(logGroup);
    if (onGpu) this.gpuLogGroups.push(logGroup);
    return {
      environment: pickVariables<keyof typeof environment>(
        [...agentVariables, ...(backends.length > 0 ? publishingVariables : [])],
        environment,
      ),
      logging: LogDriver.awsLogs({
        logGroup,
        streamPrefix: 'agent',
        // An agent must not wait until a line is written: its next frame is due.
        mode: AwsLogDriverMode.NON_BLOCKING,
        maxBufferSize: Size.mebibytes(10),
      }),
      healthCheck,
      stopTimeout,
      readonlyRootFilesystem: true,
      // A container that ends is started again within seconds, in the same task on the same machine.
      enableRestartPolicy: true,
      restartAttemptPeriod: Duration.minutes(1),
    } satisfies Partial<ContainerDefinitionOptions>;
  }
}

/** Lets a task reach the platform, consume these queues, and protect itself from being ended. */
export function grantTask(
  taskDefinition: TaskDefinition,
  kind: DeployableKind,
  { access, queues }: Pick<AgentsProps, 'access' | 'queues'>,
  cluster: ICluster,
  consumed: readonly QueueName[],
): void {
  access.grantTo(taskDefinition.taskRole, kind);
  for (const name of consumed) queues.grantConsume(taskDefinition.taskRole, name);
  const stack = Stack.of(taskDefinition);
  const tasks = stack.formatArn({ service: 'ecs', resource: 'task', resourceName: `${cluster.clusterName}/*` });
  // The CDK has no grant for this right.
  taskDefinition.addToTaskRolePolicy(
    new PolicyStatement({ actions: ['ecs:UpdateTaskProtection'], resources: [tasks] }),
  );
  acknowledge(
    taskDefinition,
    'A task protects itself, and its id is known only once it runs.',
    wildcardResource(stack, tasks),
  );
  acknowledge(
    taskDefinition,
    'ECR gives out its sign-in token for all repositories only.',
    'AwsSolutions-IAM5[Resource::*]',
  );
  acknowledge(
    taskDefinition,
    'None of the variables is secret: secrets are read by their ARN when the agent starts.',
    'AwsSolutions-ECS2',
  );
}

/** Sets what the CDK's pattern has no options for. The pattern's container is the only one of its task. */
export function hardenPatternContainer(taskDefinition: TaskDefinition): void {
  const resource = taskDefinition.node.defaultChild as CfnTaskDefinition;
  resource.addPropertyOverride('ContainerDefinitions.0.ReadonlyRootFilesystem', true);
  resource.addPropertyOverride('ContainerDefinitions.0.StopTimeout', stopTimeout.toSeconds());
}
