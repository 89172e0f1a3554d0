// The function that has a new service start without agents, where machines start only for streams.
// Decision D185.
import { Duration, Stack } from 'aws-cdk-lib';
import type { BaseService, Cluster, TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { InvocationType, Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import { firstCountVariables } from '../../lambda/jobs/environment.ts';
import {
  acknowledge,
  acknowledgeCdkFunction,
  acknowledgeForCheckov,
  policyOfAWS,
  wildcardResource,
} from '../shared/acknowledge.ts';
import { bundledCode } from '../shared/bundled-code.ts';
import { pickVariables } from '../shared/pick-variables.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface FirstCountProps {
  readonly settings: Pick<StageSettings, 'logRetentionDays'>;
  readonly cluster: Cluster;
  readonly service: BaseService;
  readonly taskDefinition: TaskDefinition;
}

/**
 * CloudFormation waits for the first agent of a new service, and a count in the template would take agents away at each
 * release. So the template has no count. A function is called once, before the service is created, and sets its count.
 */
export class FirstCount extends Construct {
  constructor(scope: Construct, id: string, { settings, cluster, service, taskDefinition }: FirstCountProps) {
    super(scope, id);
    const fn = new LambdaFunction(this, 'Function', {
      description: 'Has the new service of agents on machines start without agents',
      code: bundledCode('jobs/first-count.lambda.ts', {}),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: Duration.minutes(15),
      environment: pickVariables(firstCountVariables, {
        AGENTS_CLUSTER: cluster.clusterName,
        AGENTS_FAMILY: taskDefinition.family,
      }),
      loggingFormat: LoggingFormat.JSON,
      logGroup: new ServiceLogs(this, 'Logs', settings.logRetentionDays),
    });
    this.#grant(fn, cluster);
    const call = new Trigger(this, 'Call', {
      handler: fn,
      // The function runs on while the service is created.
      invocationType: InvocationType.EVENT,
      executeOnHandlerChange: false,
      executeBefore: [service],
    });
    call.executeAfter(fn);
    const reason = 'Called once, before the service is created. If it fails, the service waits for a machine.';
    acknowledgeForCheckov(fn, reason, 'CKV_AWS_50', 'CKV_AWS_115', 'CKV_AWS_116');
    acknowledgeForCheckov(fn, 'It calls ECS only, and needs no NAT for that.', 'CKV_AWS_117');
    acknowledgeForCheckov(fn, 'No variable is secret.', 'CKV_AWS_173');
    acknowledgeCdkFunction(
      Stack.of(this)
        .node.findChild('AWSCDK.TriggerCustomResourceProviderCustomResourceProvider')
        .node.findChild('Handler'),
    );
  }

  #grant(fn: LambdaFunction, { clusterArn, clusterName }: Cluster): void {
    const stack = Stack.of(this);
    const services = stack.formatArn({ service: 'ecs', resource: 'service', resourceName: `${clusterName}/*` });
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['ecs:ListServices'],
        resources: ['*'],
        conditions: { ArnEquals: { 'ecs:cluster': clusterArn } },
      }),
    );
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ['ecs:DescribeServices', 'ecs:UpdateService'], resources: [services] }),
    );
    acknowledge(
      fn,
      'ECS names a service when it creates it, and lists services by their cluster only.',
      policyOfAWS('AWSLambdaBasicExecutionRole'),
      'AwsSolutions-IAM5[Resource::*]',
      wildcardResource(this, services),
    );
  }
}
