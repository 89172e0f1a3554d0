// Publishes the deployed task definition to running agents, so that agents of an older one let ECS end them.
// Decision D87.
import { Stack } from 'aws-cdk-lib';
import type { TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';

/**
 * ECS does not end a task that protects itself, even at a deployment, and a stream may run for years. So this parameter
 * changes before the service. The service's old tasks read it every minute, and then end their protection.
 */
export class AgentRelease extends Construct {
  /**
   * The variables of the task definition contain this name, and the parameter contains the task definition's ARN. So
   * the name has to be known first.
   */
  readonly parameterName: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.parameterName = `/${Stack.of(this).stackName}/${id}`;
  }

  /** Writes the parameter, and lets the tasks read it. @param service is deployed after the parameter */
  announce(taskDefinition: TaskDefinition, service: Construct): void {
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
    // The CDK makes a service wait for the task role only. Without the rights to pull its image and to write its logs,
    // no task starts, and the circuit breaker counts these failures.
    if (taskDefinition.executionRole) service.node.addDependency(taskDefinition.executionRole);
  }
}
