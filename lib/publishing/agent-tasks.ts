// What all tasks of the publisher's image have in common: health, deployment, and rights.
import { Duration, Stack } from 'aws-cdk-lib';
import { type CfnTaskDefinition, type ICluster, PropagatedTagSource, type TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { agentHealthPort } from '../../lambda/publisher/environment.ts';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';
import type { DeployableKind, PlatformAccess } from '../shared/platform-access.ts';
import type { CommandQueues } from './command-queues.ts';

/** In this time an agent gives back its streams, one connection after the other. Fargate allows no more. */
export const stopTimeout = Duration.minutes(2);
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

/** Lets a task reach the platform, consume these queues, and protect itself from being ended. */
export function grantTask(
  taskDefinition: TaskDefinition,
  kind: DeployableKind,
  { access, queues }: { readonly access: PlatformAccess; readonly queues: CommandQueues },
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
