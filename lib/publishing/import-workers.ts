// The containers that import media from links into the object store.
import { Stack } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  CpuArchitecture,
  type ICluster,
  LogDriver,
  OperatingSystemFamily,
  type TaskDefinition,
} from 'aws-cdk-lib/aws-ecs';
import { QueueProcessingFargateService } from 'aws-cdk-lib/aws-ecs-patterns';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { sourceRolePrefix } from '../../lambda/domain/sources/source-role.ts';
import { importVariables, importWorkerCommand } from '../../lambda/imports/environment.ts';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';
import { pickVariables } from '../shared/pick-variables.ts';
import type { PublisherImage } from '../shared/publisher-image.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import type { StageSettings } from '../stage-settings.ts';
import { AgentRelease } from './agent-release.ts';
import { hardenPatternContainer, healthCheck, serviceOptions } from './agent-tasks.ts';
import type { CommandQueues } from './command-queues.ts';
import { grantTask } from './task-rights.ts';
import type { TaskAccess, TaskNetwork } from './task-surroundings.ts';

export interface ImportWorkersProps {
  readonly settings: Pick<StageSettings, 'ecsExec' | 'importWorkersMax' | 'importWorkersMin' | 'logRetentionDays'>;
  readonly network: TaskNetwork;
  readonly access: TaskAccess;
  readonly queues: CommandQueues;
  readonly image: PublisherImage;
  readonly cluster: ICluster;
}

export class ImportWorkers extends Construct {
  constructor(scope: Construct, id: string, props: ImportWorkersProps) {
    super(scope, id);
    const { settings, network, access, queues, image, cluster } = props;
    const release = new AgentRelease(this, 'Release');
    const platform = access.environmentFor(Stack.of(this), 'importWorker');
    const environment = pickVariables(importVariables, {
      ...platform,
      IMPORT_RELEASE_PARAMETER: release.parameterName,
      // The account, not the role of the task: policies that trust a role do not trust a new role with the same name.
      ROLE_PRINCIPAL: Stack.of(this).formatArn({ service: 'iam', region: '', resource: 'root' }),
    });
    const workers = new QueueProcessingFargateService(this, 'Workers', {
      ...serviceOptions(settings),
      cluster,
      image: image.for(this, 'Image', Platform.LINUX_ARM64),
      command: [...importWorkerCommand],
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
      // A worker mostly encrypts and waits. It holds two parts of each of a few imports in memory.
      cpu: 1024,
      memoryLimitMiB: 2048,
      queue: queues.get('imports'),
      environment,
      logDriver: LogDriver.awsLogs({
        logGroup: new ServiceLogs(this, 'Logs', settings.logRetentionDays),
        streamPrefix: 'imports',
      }),
      healthCheck,
      // With a public address, imports of up to 100 GiB need no NAT gateway. The security group admits no connections.
      // It is not the group of agents, which opens the port for agents.
      assignPublicIp: true,
      taskSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [network.databaseClients],
      minScalingCapacity: settings.importWorkersMin,
      maxScalingCapacity: settings.importWorkersMax,
      // A worker with capacity takes a message at once. If messages wait, all workers are full.
      scalingSteps: [
        { upper: 0, change: -1 },
        { lower: 1, change: 1 },
        { lower: 50, change: 5 },
      ],
      disableCpuBasedScaling: true,
    });
    hardenPatternContainer(workers.taskDefinition, settings);
    grantTask(workers.taskDefinition, 'importWorker', props, cluster, []);
    grantSourceRoles(workers.taskDefinition);
    release.announce(workers.taskDefinition, workers.service);
  }
}

/** Lets a task assume roles in accounts of users: only roles with the platform's name, and only for a named user. */
function grantSourceRoles(taskDefinition: TaskDefinition): void {
  const stack = Stack.of(taskDefinition);
  const roles = stack.formatArn({
    service: 'iam',
    region: '',
    account: '*',
    resource: 'role',
    resourceName: `${sourceRolePrefix}*`,
  });
  taskDefinition.addToTaskRolePolicy(
    new PolicyStatement({
      actions: ['sts:AssumeRole'],
      resources: [roles],
      conditions: { Null: { 'sts:ExternalId': 'false' } },
    }),
  );
  acknowledge(
    taskDefinition,
    'Users name the roles, which are in their accounts and let us in themselves.',
    wildcardResource(stack, roles),
  );
}
