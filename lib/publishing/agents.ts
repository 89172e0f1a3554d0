// The containers that send streams and prepare media: one image in three services.
// Decision D85.
import { Duration, Size, Stack } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  AwsLogDriverMode,
  type BaseService,
  type CfnService,
  Cluster,
  type ContainerDefinitionOptions,
  ContainerInsights,
  CpuArchitecture,
  Ec2Service,
  Ec2TaskDefinition,
  ExecuteCommandLogging,
  FargateService,
  FargateTaskDefinition,
  LinuxParameters,
  LogDriver,
  NetworkMode,
  OperatingSystemFamily,
  PlacementStrategy,
} from 'aws-cdk-lib/aws-ecs';
import { QueueProcessingEc2Service } from 'aws-cdk-lib/aws-ecs-patterns';
import { Construct } from 'constructs';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import {
  agentPeerPort,
  agentVariables,
  machineVariables,
  publishingVariables,
} from '../../lambda/publisher/environment.ts';
import { encodesOnFargate } from '../idle-settings.ts';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import { pickVariables } from '../shared/pick-variables.ts';
import { presets, withDefaults } from '../presets.ts';
import { PublisherImage } from '../shared/publisher-image.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import { checkValue, wholeNumber } from '../setting-checks.ts';
import { checkSettings, type StageSettings } from '../stage-settings.ts';
import { AgentRelease } from './agent-release.ts';
import type { CommandQueues } from './command-queues.ts';
import { GpuPool } from './gpu-pool.ts';
import { hardenPatternContainer, healthCheck, serviceOptions, stopTimeout } from './agent-tasks.ts';
import { CapacityScaling } from './capacity-scaling.ts';
import { FirstCount } from './first-count.ts';
import { MachineScaling, machineSeconds } from './machine-scaling.ts';
import { ReleaseAlarm } from './release-alarm.ts';
import { grantTask } from './task-rights.ts';
import { encodingTaskSize, preparedTaskSize } from './task-sizes.ts';
import type { TaskAccess, TaskNetwork } from './task-surroundings.ts';

/** The settings of a stage that agents, machines and media workers have: `StageSettings` explains them. */
export type AgentSettings = Pick<
  StageSettings,
  | 'containerInsights'
  | 'ecsExec'
  | 'ffmpegAgentsMax'
  | 'ffmpegAgentsMin'
  | 'gpuInstanceType'
  | 'gpuMachinesMax'
  | 'gpuMachinesMin'
  | 'gpuMegapixels'
  | 'logRetentionDays'
  | 'manifestAgentNetworkMbps'
  | 'manifestAgentsMax'
  | 'manifestAgentsMin'
  | 'mediaWorkersMax'
>;

/** The surroundings of agents, and their settings; `presets.staging` has those that are left out. */
export interface AgentsProps extends Partial<AgentSettings> {
  /** The network of tasks and machines. */
  readonly network: TaskNetwork;
  /** The access of tasks to database, objects and keys. */
  readonly access: TaskAccess;
  /** The queues that tasks take commands from. */
  readonly queues: CommandQueues;
  /**
   * The image of all tasks.
   * @default PublisherImage.fromSources()
   */
  readonly image?: PublisherImage;
  /**
   * Database connections of the pool of each agent and media worker, beside those of its lease. 3 to 10.
   * @default 10
   */
  readonly databaseConnections?: number;
}

/** The differences between kinds of agents. */
interface Kind {
  readonly onGpu: boolean;
  readonly backends: readonly ('ffmpeg' | 'manifest')[];
}

/** Half of the memory of the smallest g machine. It is no limit: a task may use all memory of its machine. */
const gpuTaskMemoryMiB = 8192;

/**
 * A cluster with the agents of both backends and the media workers, each scaled by its load, and the GPU machines for
 * those that encode. Usable alone: in a stack of your own it creates only these, and takes the rest as properties.
 */
export class Agents extends Construct {
  /** The ECS cluster of all tasks. */
  readonly cluster: Cluster;
  /** The machines for tasks that encode. */
  readonly gpuPool: GpuPool;
  /** The log groups of the agents that send streams. */
  readonly logGroups: ServiceLogs[] = [];
  /** The log groups of tasks on machines with a GPU. */
  readonly gpuLogGroups: ServiceLogs[] = [];
  readonly #props: Required<Omit<AgentsProps, keyof AgentSettings>> & { readonly settings: AgentSettings };

  /** @throws if a setting is invalid; the message names it */
  constructor(scope: Construct, id: string, props: AgentsProps) {
    super(scope, id);
    const { network, access, queues, image = PublisherImage.fromSources(), databaseConnections = 10, ...given } = props;
    const settings = withDefaults<AgentSettings>(given, presets.staging);
    checkSettings(`Agents "${id}"`, settings);
    checkValue(`Agents "${id}"`, 'databaseConnections', databaseConnections, wholeNumber(3, 10));
    this.#props = { settings, network, access, queues, image, databaseConnections };
    this.cluster = new Cluster(this, 'Cluster', {
      vpc: network.vpc,
      containerInsightsV2: settings.containerInsights ? ContainerInsights.ENABLED : ContainerInsights.DISABLED,
      ...(settings.ecsExec && {
        executeCommandConfiguration: {
          logging: ExecuteCommandLogging.OVERRIDE,
          logConfiguration: { cloudWatchLogGroup: new ServiceLogs(this, 'ExecLogs', settings.logRetentionDays) },
        },
      }),
    });
    if (!settings.containerInsights) {
      const reason = 'Agents report what they carry by themselves.';
      acknowledge(this.cluster, reason, 'AwsSolutions-ECS4');
      acknowledgeForCheckov(this.cluster, reason, 'CKV_AWS_65');
    }
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
      // The port is the same on the machine: the security group admits peers at this port only, and the machine runs no
      // other task.
      portMappings: [{ containerPort: agentPeerPort, hostPort: agentPeerPort }],
    });
    const service = new Ec2Service(this, 'Ffmpeg', {
      ...serviceOptions(settings),
      deploymentAlarms: this.#releaseAlarms('Ffmpeg'),
      cluster: this.cluster,
      taskDefinition,
      capacityProviderStrategies: this.#onGpuPool(),
      placementStrategies: [PlacementStrategy.spreadAcross('attribute:ecs.availability-zone')],
    });
    grantTask(taskDefinition, 'agent', this.#props, this.cluster, ['publish-ffmpeg', 'media']);
    release.announce(taskDefinition, service);
    this.#awaitGpuPool(service);
    const scaled = { cluster: this.cluster, service, maxAgents };
    if (encodesOnFargate(settings)) {
      new MachineScaling(this, 'FfmpegScaling', scaled);
      new FirstCount(this, 'FirstCount', { settings, cluster: this.cluster, service, taskDefinition });
    } else new CapacityScaling(this, 'FfmpegScaling', { ...scaled, backend: 'ffmpeg', minAgents });
  }

  #addPreparedAgents(): void {
    const { settings, network, image } = this.#props;
    const { manifestAgentsMin: minAgents, manifestAgentsMax: maxAgents } = settings;
    const encodesToo = encodesOnFargate(settings);
    const backends = encodesToo ? (['ffmpeg', 'manifest'] as const) : (['manifest'] as const);
    const release = new AgentRelease(this, 'ManifestRelease');
    const taskDefinition = new FargateTaskDefinition(this, 'ManifestTask', {
      ...(encodesToo ? encodingTaskSize : preparedTaskSize(settings)),
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
    });
    taskDefinition.addContainer('Agent', {
      ...this.#container('Manifest', { onGpu: false, backends }, release),
      image: image.for(this, 'ArmImage', Platform.LINUX_ARM64),
    });
    const service = new FargateService(this, 'Manifest', {
      ...serviceOptions(settings),
      deploymentAlarms: this.#releaseAlarms('Manifest'),
      cluster: this.cluster,
      taskDefinition,
      // With a public address, streams need no NAT gateway, which would charge for months of traffic. The security
      // group admits no incoming connections.
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [network.publishers, network.databaseClients],
    });
    const queues: readonly QueueName[] = backends.map((backend) => `publish-${backend}` as const);
    grantTask(taskDefinition, 'agent', this.#props, this.cluster, encodesToo ? [...queues, 'media'] : queues);
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
      ...serviceOptions(settings),
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
      // The number of waiting commands decides the number of workers. Their CPU load is no measure.
      scalingSteps: [
        { upper: 0, change: -1 },
        { lower: 10, change: 1 },
        { lower: 100, change: 5 },
      ],
      disableCpuBasedScaling: true,
    });
    // Without a number, CloudFormation starts one worker, and a machine for it. A deployment resets the number: workers
    // protect themselves while they work, and waiting commands start others.
    (workers.service.node.findChild('Service') as CfnService).desiredCount = 0;
    hardenPatternContainer(workers.taskDefinition, settings);
    grantTask(workers.taskDefinition, 'mediaWorker', this.#props, this.cluster, []);
    release.announce(workers.taskDefinition, workers.service);
    this.#awaitGpuPool(workers.service);
  }

  /** A capacity provider has to be associated with the cluster first; the CDK adds no dependency for that. */
  #awaitGpuPool(service: BaseService): void {
    service.node.addDependency(this.cluster);
  }

  /** @param id id of the container, which writes the logs */
  #releaseAlarms(id: string) {
    const logGroup = this.node.findChild(`${id}Logs`) as ServiceLogs;
    return new ReleaseAlarm(this, `${id}ReleaseAlarm`, { logGroup }).deploymentAlarms;
  }

  #onGpuPool() {
    return [{ capacityProvider: this.gpuPool.capacityProviderName, weight: 1 }];
  }

  #container(id: string, { onGpu, backends }: Kind, release: AgentRelease) {
    const { settings, access, databaseConnections } = this.#props;
    const standsIn = !onGpu && backends.includes('ffmpeg');
    const environment = {
      ...access.environmentFor(Stack.of(this), backends.length > 0 ? 'agent' : 'mediaWorker'),
      AWS_REGION: Stack.of(this).region,
      AGENT_BACKENDS: backends.join(','),
      // Encoders never use up their machine's network.
      AGENT_NETWORK_MBPS: onGpu ? '' : String(settings.manifestAgentNetworkMbps),
      AGENT_GPU_MEGAPIXELS: String(onGpu ? settings.gpuMegapixels : 0),
      AGENT_RELEASE_PARAMETER: release.parameterName,
      AGENT_DATABASE_CONNECTIONS: String(databaseConnections),
      AGENT_MACHINE_SECONDS: String(machineSeconds),
    };
    const logGroup = new ServiceLogs(this, `${id}Logs`, settings.logRetentionDays);
    if (backends.length > 0) this.logGroups.push(logGroup);
    if (onGpu) this.gpuLogGroups.push(logGroup);
    return {
      environment: pickVariables<keyof typeof environment>(
        [...agentVariables, ...(backends.length > 0 ? publishingVariables : []), ...(standsIn ? machineVariables : [])],
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
      readonlyRootFilesystem: !settings.ecsExec,
      ...(settings.ecsExec && {
        linuxParameters: new LinuxParameters(this, `${id}Init`, { initProcessEnabled: true }),
      }),
      // A container that ends is restarted within seconds, in the same task on the same machine.
      enableRestartPolicy: true,
      restartAttemptPeriod: Duration.minutes(1),
    } satisfies Partial<ContainerDefinitionOptions>;
  }
}
