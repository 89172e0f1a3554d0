// The tasks that receive contributors of live inputs: an ECS service behind the load balancer of `LiveFront`.
// Decision D249.
import { Duration, Stack } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  type Cluster,
  type ContainerDefinitionOptions,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  LinuxParameters,
  LogDriver,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import type { NetworkTargetGroup } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { Construct } from 'constructs';
import { coresOfTask, liveCommand, livePort, liveVariables } from '../../lambda/live/environment.ts';
import { AgentRelease } from '../publishing/agent-release.ts';
import { healthCheck, serviceOptions, stopTimeout } from '../publishing/agent-tasks.ts';
import { CapacityScaling } from '../publishing/capacity-scaling.ts';
import type { CommandQueues } from '../publishing/command-queues.ts';
import { grantTask } from '../publishing/task-rights.ts';
import type { TaskNetwork } from '../publishing/task-surroundings.ts';
import { pickVariables } from '../shared/pick-variables.ts';
import type { PlatformAccess } from '../shared/platform-access.ts';
import type { PublisherImage } from '../shared/publisher-image.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { LiveFront } from './live-front.ts';

export interface LiveIngestProps {
  readonly settings: Pick<StageSettings, 'ecsExec' | 'logRetentionDays'>;
  readonly tasks: NonNullable<StageSettings['liveIngest']>;
  readonly network: TaskNetwork;
  readonly access: PlatformAccess;
  readonly queues: CommandQueues;
  readonly image: PublisherImage;
  readonly cluster: Cluster;
  readonly front: LiveFront;
}

const containerName = 'Ingest';

export class LiveIngest extends Construct {
  readonly logGroup: ServiceLogs;
  readonly targets: NetworkTargetGroup;

  constructor(scope: Construct, id: string, props: LiveIngestProps) {
    super(scope, id);
    const { settings, tasks, network, image, cluster, front } = props;
    this.logGroup = new ServiceLogs(this, 'Logs', settings.logRetentionDays);
    const release = new AgentRelease(this, 'LiveIngestRelease');
    const taskDefinition = new FargateTaskDefinition(this, 'Task', {
      cpu: 1024 * coresOfTask,
      memoryLimitMiB: 4096,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
    });
    taskDefinition.addContainer(containerName, {
      ...this.#container(props, release),
      image: image.for(this, 'Image', Platform.LINUX_ARM64),
    });
    const service = new FargateService(this, 'Service', {
      ...serviceOptions(settings),
      cluster,
      taskDefinition,
      // The address is for AWS' services, without a NAT gateway. The security group admits the load balancer only.
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [front.taskGroup, network.databaseClients],
      healthCheckGracePeriod: Duration.minutes(2),
    });
    grantTask(taskDefinition, 'liveIngest', props, cluster, []);
    release.announce(taskDefinition, service);
    this.targets = front.forwardTo(service.loadBalancerTarget({ containerName, containerPort: livePort }));
    const { minTasks: minAgents, maxTasks: maxAgents } = tasks;
    new CapacityScaling(this, 'Scaling', { cluster, service, backend: 'live', minAgents, maxAgents });
  }

  #container({ settings, access, front }: LiveIngestProps, release: AgentRelease) {
    const environment = {
      ...access.environmentFor(Stack.of(this), 'liveIngest'),
      LIVE_RELEASE_PARAMETER: release.parameterName,
      LIVE_PROTOCOL: front.protocol,
      LIVE_CORES: String(coresOfTask),
    };
    return {
      command: [...liveCommand],
      environment: pickVariables(liveVariables, environment),
      portMappings: [{ containerPort: livePort }],
      logging: LogDriver.awsLogs({ logGroup: this.logGroup, streamPrefix: 'live' }),
      healthCheck,
      stopTimeout,
      readonlyRootFilesystem: !settings.ecsExec,
      ...(settings.ecsExec && { linuxParameters: new LinuxParameters(this, 'Init', { initProcessEnabled: true }) }),
      enableRestartPolicy: true,
      restartAttemptPeriod: Duration.minutes(1),
    } satisfies Partial<ContainerDefinitionOptions>;
  }
}
