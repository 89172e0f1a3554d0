// Checks once a week whether the resources in the account still match the templates, to find manual changes.
import { Duration, Stack, Stage } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Choice,
  Condition,
  Fail,
  type IChainable,
  JsonPath,
  Map as EachOf,
  Pass,
  Result,
  type StateMachine,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { acknowledge } from '../shared/acknowledge.ts';
import { failedExecutions } from './failed-executions.ts';
import { grantReads } from './reader-rights.ts';
import { unattendedMachine } from './unattended-machine.ts';

/** Properties that scaling changes, of services and of the database: the template has only their first value. */
const scaledProperties = ['/DesiredCount', '/AllocatedStorage'] as const;

/**
 * CloudFormation compares each stack of the stage in this region with its resources. An execution fails if one differs
 * or cannot be compared. The differences are in its history.
 */
export class DriftCheck extends Construct {
  readonly #machine: StateMachine;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const stackNames = Stage.of(this)!
      .node.children.filter((child) => Stack.isStack(child))
      .filter(({ region }) => region === Stack.of(this).region)
      .map(({ stackName }) => stackName);
    this.#machine = unattendedMachine(this, {
      comment: 'Compares the stacks of the stage with their templates',
      steps: this.#comparison(stackNames),
      role: this.#reader(),
      timeout: Duration.hours(2),
    });
    new Rule(this, 'EveryWeek', {
      schedule: Schedule.cron({ weekDay: 'MON', hour: '6', minute: '0' }),
      targets: [new SfnStateMachine(this.#machine)],
    });
  }

  get failed(): IMetric {
    return failedExecutions(this.#machine, Duration.days(1), 'comparisons that failed');
  }

  /** @param stackNames stacks to compare one after the other, because CloudFormation allows few comparisons at once */
  #comparison(stackNames: readonly string[]): IChainable {
    const call = (id: string, action: string, parameters: Record<string, unknown>, resultPath?: string) =>
      new CallAwsService(this, id, {
        service: 'cloudformation',
        action,
        parameters,
        // The role already has the rights.
        iamResources: ['*'],
        iamAction: 'cloudformation:DescribeStackDriftDetectionStatus',
        ...(resultPath !== undefined && { resultPath }),
      }).addRetry({ maxAttempts: 5, interval: Duration.seconds(10), backoffRate: 2 });
    const look = call(
      'Look',
      'describeStackDriftDetectionStatus',
      { StackDriftDetectionId: JsonPath.stringAt('$.begun.StackDriftDetectionId') },
      '$.seen',
    );
    const differences = call('NameDifferences', 'describeStackResourceDrifts', {
      StackName: JsonPath.stringAt('$.stackName'),
      StackResourceDriftStatusFilters: ['MODIFIED', 'DELETED'],
    });
    const scaled = scaledProperties.map((path) => `@.PropertyPath != '${path}'`).join(' && ');
    const unexpected = new Pass(this, 'Unexpected', {
      parameters: {
        'changes.$': `$.StackResourceDrifts[*].PropertyDifferences[?(${scaled})]`,
        'deleted.$': "$.StackResourceDrifts[?(@.StackResourceDriftStatus == 'DELETED')]",
      },
    });
    const isUnexpected = Condition.or(Condition.isPresent('$.changes[0]'), Condition.isPresent('$.deleted[0]'));
    const inSync = new Pass(this, 'ItIs', { result: Result.fromObject({ is: 'in sync' }) });
    const different = new Pass(this, 'ItIsNot', { result: Result.fromObject({ is: 'different' }) });
    const weigh = new Choice(this, 'IsAnyUnexpected').when(isUnexpected, different).otherwise(inSync);
    const wait = new Wait(this, 'WaitForIt', { time: WaitTime.duration(Duration.seconds(30)) });
    const unseen = new Pass(this, 'NotCompared', { result: Result.fromObject({ is: 'different' }) });
    const judge = new Choice(this, 'IsItAsItShouldBe')
      .when(Condition.stringEquals('$.seen.DetectionStatus', 'DETECTION_IN_PROGRESS'), wait)
      .when(Condition.not(Condition.stringEquals('$.seen.DetectionStatus', 'DETECTION_COMPLETE')), unseen)
      .when(Condition.stringEquals('$.seen.StackDriftStatus', 'IN_SYNC'), inSync)
      .otherwise(differences.next(unexpected).next(weigh));
    const each = new EachOf(this, 'EachStack', { itemsPath: '$.stackNames', maxConcurrency: 1 }).itemProcessor(
      new Pass(this, 'Name', { parameters: { stackName: JsonPath.stringAt('$') } })
        .next(call('Begin', 'detectStackDrift', { StackName: JsonPath.stringAt('$.stackName') }, '$.begun'))
        .next(wait)
        .next(look)
        .next(judge),
    );
    const differing = new Pass(this, 'Differing', { parameters: { 'found.$': `$[?(@.is == 'different')]` } });
    return new Pass(this, 'Stacks', { result: Result.fromObject({ stackNames }) })
      .next(each)
      .next(differing)
      .next(
        new Choice(this, 'DoesAnyDiffer')
          .when(Condition.isPresent('$.found[0]'), new Fail(this, 'Drifted', { error: 'Drifted' }))
          .otherwise(new Succeed(this, 'AllAsTheyShouldBe')),
      );
  }

  /** The role of the comparison. CloudFormation reads each resource with its rights, but no stored data. */
  #reader(): Role {
    const role = new Role(this, 'Reader', {
      assumedBy: new ServicePrincipal('states', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    const policy = new ManagedPolicy(this, 'Reads', { roles: [role] });
    policy.addStatements(
      new PolicyStatement({
        actions: [
          'cloudformation:BatchDescribeTypeConfigurations',
          'cloudformation:DescribeStacks',
          'cloudformation:DescribeStackResources',
          'cloudformation:DetectStackDrift',
          'cloudformation:DetectStackResourceDrift',
        ],
        resources: ['*'],
      }),
    );
    grantReads(policy, Stack.of(this));
    acknowledge(role, 'Step Functions calls CloudFormation for it.', 'AwsSolutions-IAM5[Resource::*]');
    return role;
  }
}
