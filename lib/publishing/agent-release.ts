// Tells running agents which task definition is deployed now, so that older ones stop asking to be kept.
import { Stack } from 'aws-cdk-lib';
import type { TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';

/**
 * ECS does not end a task that protects itself, whatever is deployed, and a stream may run for years. So the parameter changes before
 * the service does, and the service's old tasks, which read it every minute, let go of their protection.
 */
export class AgentRelease extends Construct {
  /** Known before the task definition that it will hold the ARN of, whose environment names it. */
  readonly parameterName: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.parameterName = `/${Stack.of(this).stackName}/${id}`;
  }

  /** Writes the parameter, and lets the task read it. @param service deployed after it */
  publish(taskDefinition: TaskDefinition, service: Construct): void {
    const parameterArn = Stack.of(this).formatArn({
      service: 'ssm',
      resource: 'parameter',
      resourceName: this.parameterName.slice(1),
    });
    taskDefinition.addToTaskRolePolicy(
      new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [parameterArn] }),
    );
    const parameter = new StringParameter(this, 'Parameter', {
      parameterName: this.parameterName,
      stringValue: taskDefinition.taskDefinitionArn,
    });
    service.node.addDependency(parameter);
  }
}
