// The rights of tasks: on the platform, on their queues, and on their own protection.
import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { ICluster, TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';
import type { CommandQueues } from './command-queues.ts';
import type { TaskAccess, TaskKind } from './task-surroundings.ts';

/** Lets a task reach the platform, consume these queues, and protect itself from being ended. */
export function grantTask(
  taskDefinition: TaskDefinition,
  kind: TaskKind,
  { access, queues }: { readonly access: TaskAccess; readonly queues: CommandQueues },
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
  const execLogs = cluster.executeCommandConfiguration?.logConfiguration?.cloudWatchLogGroup;
  if (execLogs)
    acknowledge(
      taskDefinition,
      'Each session with a task writes a log stream of its own.',
      wildcardResource(
        stack,
        stack.formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: `${execLogs.logGroupRef.logGroupName}:*`,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ),
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
