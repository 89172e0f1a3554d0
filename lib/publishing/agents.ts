// The containers that publish streams and examine media: one image, three services.
import { Duration, Size, Stack } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  AwsLogDriverMode,
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
import { agentHealthPort, agentPeerPort, type agentVariables } from '../../lambda/publisher/environment.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';
import type { PlatformAccess } from '../shared/platform-access.ts';
import type { PublisherImage } from '../shared/publisher-image.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import type { StageSettings } from '../stage-settings.ts';
import { AgentRelease } from './agent-release.ts';
import type { CommandQueues } from './command-queues.ts';
import { GpuPool } from './gpu-pool.ts';
import { SlotScaling } from './slot-scaling.ts';

export interface AgentsProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly access: PlatformAccess;
  readonly queues: CommandQueues;
  readonly image: PublisherImage;
}

/** What tells one kind of agent from another. */
interface Kind {
  readonly backends: readonly ('ffmpeg' | 'manifest')[];
  readonly slots: number;
}

type Variable = (typeof agentVariables)[number];

/** An agent gives its streams back, connection by connection. Fargate allows no more. */
const stopTimeout = Duration.minutes(2);
/** Whether the event loop still turns. */
export const healthCheck = {
  command: ['CMD', 'node', '--eval', `fetch('http://127.0.0.1:${agentHealthPort}').catch(() => process.exit(1))`],
  interval: Duration.seconds(30),
  timeout: Duration.seconds(10),
  retries: 4,
  startPeriod: Duration.minutes(2),
};
/** New agents first, then the old ones go. A release that does not start is taken back. */
export const deployment = {
  minHealthyPercent: 100,
  maxHealthyPercent: 200,
  circuitBreaker: { rollback: true },
  enableECSManagedTags: true,
  propagateTags: PropagatedTagSource.SERVICE,
} as const;
/** Half of the smallest machine of the g family; no hard limit, as a task has its machine to itself. */
const gpuTaskMemoryMiB = 8192;

export class Agents extends Construct {
  readonly cluster: Cluster;
  readonly gpuPool: GpuPool;
  /** Of everything that publishes. */
  readonly logGroups: ServiceLogs[] = [];
  readonly #props: AgentsProps;

  constructor(scope: Construct, id: string, props: AgentsProps) {
    super(scope, id);
    this.#props = props;
    const { settings, network } = props;
    this.cluster = new Cluster(this, 'Cluster', { vpc: network.vpc, containerInsightsV2: ContainerInsights.ENABLED });
    this.gpuPool = new GpuPool(this, 'GpuPool', { settings, network, cluster: this.cluster });
    this.#addFfmpegAgents();
    this.#addManifestAgents();
    this.#addMediaWorkers();
  }

  #addFfmpegAgents(): void {
    const { settings, image } = this.#props;
    const { ffmpegAgentSlots: slots, ffmpegAgentsMin: minAgents, ffmpegAgentsMax: maxAgents } = settings;
    const release = new AgentRelease(this, 'FfmpegRelease');
    const taskDefinition = new Ec2TaskDefinition(this, 'FfmpegTask', { networkMode: NetworkMode.BRIDGE });
    taskDefinition.addContainer('Agent', {
      ...this.#container('Ffmpeg', { backends: ['ffmpeg'], slots }, release),
      image: image.for(this, 'GpuImage', Platform.LINUX_AMD64),
      gpuCount: 1,
      memoryReservationMiB: gpuTaskMemoryMiB,
      // The machine's own port: the security group lets peers in at no other, and a task has its machine to itself.
      portMappings: [{ containerPort: agentPeerPort, hostPort: agentPeerPort }],
    });
    const service = new Ec2Service(this, 'Ffmpeg', {
      ...deployment,
      cluster: this.cluster,
      taskDefinition,
      capacityProviderStrategies: this.#onGpuPool(),
      placementStrategies: [PlacementStrategy.spreadAcross('attribute:ecs.availability-zone')],
    });
    grantTask(taskDefinition, this.#props, this.cluster, ['publish-ffmpeg', 'media']);
    release.publish(taskDefinition, service);
    new SlotScaling(this, 'FfmpegScaling', {
      cluster: this.cluster,
      service,
      backend: 'ffmpeg',
      slotsPerAgent: slots,
      minAgents,
      maxAgents,
    });
  }

  #addManifestAgents(): void {
    const { settings, network, image } = this.#props;
    const { manifestAgentSlots: slots, manifestAgentsMin: minAgents, manifestAgentsMax: maxAgents } = settings;
    const release = new AgentRelease(this, 'ManifestRelease');
    const taskDefinition = new FargateTaskDefinition(this, 'ManifestTask', {
      cpu: 1024,
      // Beside what it sends it prepares: SVT-AV1 alone takes 2.4 GiB at 2160p60.
      memoryLimitMiB: 4096,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
    });
    taskDefinition.addContainer('Agent', {
      ...this.#container('Manifest', { backends: ['manifest'], slots }, release),
      image: image.for(this, 'ArmImage', Platform.LINUX_ARM64),
    });
    const service = new FargateService(this, 'Manifest', {
      ...deployment,
      cluster: this.cluster,
      taskDefinition,
      // It sends some Mbit/s per stream for months: directly, not through NAT. The security group lets nobody in.
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [network.publishers, network.databaseClients],
    });
    grantTask(taskDefinition, this.#props, this.cluster, ['publish-manifest', 'media']);
    release.publish(taskDefinition, service);
    new SlotScaling(this, 'ManifestScaling', {
      cluster: this.cluster,
      service,
      backend: 'manifest',
      slotsPerAgent: slots,
      minAgents,
      maxAgents,
    });
  }

  /** Agents without slots: they take commands of the queue `media` only, and there are none while it is empty. */
  #addMediaWorkers(): void {
    const { settings, queues, image } = this.#props;
    const release = new AgentRelease(this, 'MediaWorkerRelease');
    const container = this.#container('MediaWorker', { backends: [], slots: 0 }, release);
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
      // Commands are short, so a few that wait are worth a worker; how busy its CPU is says nothing.
      scalingSteps: [
        { upper: 0, change: -1 },
        { lower: 10, change: 1 },
        { lower: 100, change: 5 },
      ],
      disableCpuBasedScaling: true,
    });
    hardenPatternContainer(workers.taskDefinition);
    grantTask(workers.taskDefinition, this.#props, this.cluster, []);
    release.publish(workers.taskDefinition, workers.service);
  }

  #onGpuPool() {
    return [{ capacityProvider: this.gpuPool.capacityProviderName, weight: 1 }];
  }

  #container(id: string, { backends, slots }: Kind, release: AgentRelease) {
    const { settings, access } = this.#props;
    const own: Readonly<Record<Variable, string>> = {
      AGENT_BACKENDS: backends.join(','),
      AGENT_SLOTS: String(slots),
      AGENT_RELEASE_PARAMETER: release.parameterName,
    };
    const logGroup = new ServiceLogs(this, `${id}Logs`, settings.logRetentionDays);
    if (backends.length > 0) this.logGroups.push(logGroup);
    return {
      environment: { ...access.environmentFor(Stack.of(this)), ...own },
      logging: LogDriver.awsLogs({
        logGroup,
        streamPrefix: 'agent',
        // An agent never waits for its logs: its next frame is due.
        mode: AwsLogDriverMode.NON_BLOCKING,
        maxBufferSize: Size.mebibytes(10),
      }),
      healthCheck,
      stopTimeout,
      readonlyRootFilesystem: true,
      // Started again where it is, in seconds, with its machine and place.
      enableRestartPolicy: true,
      restartAttemptPeriod: Duration.minutes(1),
    } satisfies Partial<ContainerDefinitionOptions>;
  }
}

/** What every task of ours may: reach the platform, consume these queues, and protect itself. */
export function grantTask(
  taskDefinition: TaskDefinition,
  { access, queues }: Pick<AgentsProps, 'access' | 'queues'>,
  cluster: ICluster,
  consumed: readonly QueueName[],
): void {
  access.grantTo(taskDefinition.taskRole);
  for (const name of consumed) queues.get(name).grantConsumeMessages(taskDefinition.taskRole);
  const stack = Stack.of(taskDefinition);
  const tasks = stack.formatArn({ service: 'ecs', resource: 'task', resourceName: `${cluster.clusterName}/*` });
  // No grant of the CDK's covers it.
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

/** The pattern takes none of these; its container is the first and only one of its task. */
export function hardenPatternContainer(taskDefinition: TaskDefinition): void {
  const resource = taskDefinition.node.defaultChild as CfnTaskDefinition;
  resource.addPropertyOverride('ContainerDefinitions.0.ReadonlyRootFilesystem', true);
  resource.addPropertyOverride('ContainerDefinitions.0.StopTimeout', stopTimeout.toSeconds());
}
