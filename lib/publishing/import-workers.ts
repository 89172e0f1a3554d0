// The containers that fetch imports from links into the object store.
import { Stack } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { CpuArchitecture, type ICluster, LogDriver, OperatingSystemFamily } from 'aws-cdk-lib/aws-ecs';
import { QueueProcessingFargateService } from 'aws-cdk-lib/aws-ecs-patterns';
import { Construct } from 'constructs';
import { importWorkerCommand, type importVariables } from '../../lambda/imports/environment.ts';
import { AgentRelease } from './agent-release.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import { type AgentsProps, deployment, grantTask, hardenPatternContainer, healthCheck } from './agents.ts';

export interface ImportWorkersProps extends AgentsProps {
  readonly cluster: ICluster;
}

type Variable = (typeof importVariables)[number];

export class ImportWorkers extends Construct {
  constructor(scope: Construct, id: string, props: ImportWorkersProps) {
    super(scope, id);
    const { settings, network, access, queues, image, cluster } = props;
    const release = new AgentRelease(this, 'Release');
    const own: Readonly<Record<Variable, string>> = { IMPORT_RELEASE_PARAMETER: release.parameterName };
    const workers = new QueueProcessingFargateService(this, 'Workers', {
      ...deployment,
      cluster,
      image: image.for(this, 'Image', Platform.LINUX_ARM64),
      command: [...importWorkerCommand],
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
      // What it does is TLS and waiting; its memory is two parts for each of a few imports.
      cpu: 1024,
      memoryLimitMiB: 2048,
      queue: queues.get('imports'),
      environment: { ...access.environmentFor(Stack.of(this)), ...own },
      logDriver: LogDriver.awsLogs({
        logGroup: new ServiceLogs(this, 'Logs', settings.logRetentionDays),
        streamPrefix: 'imports',
      }),
      healthCheck,
      // It fetches up to 100 GiB an import: directly, not through NAT. The security group lets nobody in.
      assignPublicIp: true,
      taskSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [network.publishers, network.databaseClients],
      minScalingCapacity: settings.importWorkersMin,
      maxScalingCapacity: settings.importWorkersMax,
      // A worker that has a slot free takes its message at once, so messages that wait mean that all are full.
      scalingSteps: [
        { upper: 0, change: -1 },
        { lower: 1, change: 1 },
        { lower: 50, change: 5 },
      ],
      disableCpuBasedScaling: true,
    });
    hardenPatternContainer(workers.taskDefinition);
    grantTask(workers.taskDefinition, props, cluster, []);
    release.publish(workers.taskDefinition, workers.service);
  }
}
