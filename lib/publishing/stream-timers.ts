// Timers of streams: EventBridge schedules that fire once and put a message on the queue `timers`.
import { Aws, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { serviceOfAWS } from '../../lambda/domain/shared/aws-partition.ts';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';

export interface StreamTimersProps {
  /** The queue for the messages of schedules. */
  readonly queue: IQueue;
}

export class StreamTimers extends Construct {
  /** The group of all schedules. When it is deleted with the stage, they are deleted too. */
  readonly group: ScheduleGroup;
  /** The role of EventBridge Scheduler when a schedule fires. */
  readonly role: Role;
  readonly queue: IQueue;
  /** The right to create and to move timers. */
  readonly armAccess: ManagedPolicy;

  constructor(scope: Construct, id: string, { queue }: StreamTimersProps) {
    super(scope, id);
    this.queue = queue;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', {
      // The condition keeps schedules of other accounts and other groups from using the role.
      assumedBy: new ServicePrincipal('scheduler', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Stack.of(this).account, 'aws:SourceArn': this.group.scheduleGroupArn },
        },
      }),
    });
    this.role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));

    const schedules = Stack.of(this).formatArn({
      partition: Aws.PARTITION,
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${this.group.scheduleGroupName}/*`,
    });
    // The CDK's grants would not limit the passing of the role to the scheduler. There is no right to delete timers: a
    // job checks whether there is work when a timer fires.
    this.armAccess = new ManagedPolicy(this, 'ArmAccess', {
      statements: [
        new PolicyStatement({
          actions: ['scheduler:CreateSchedule', 'scheduler:UpdateSchedule'],
          resources: [schedules],
        }),
        new PolicyStatement({
          actions: ['iam:PassRole'],
          resources: [this.role.roleArn],
          conditions: { StringEquals: { 'iam:PassedToService': serviceOfAWS('scheduler') } },
        }),
      ],
    });
    acknowledge(this.armAccess, 'All schedules of the group are this service’s.', wildcardResource(this, schedules));
  }
}
