// Wake-ups at a time: one-off EventBridge schedules that put a message on the timers queue.
import { Aws, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';

export interface StreamTimersProps {
  /** Where a schedule that fires puts its message. */
  readonly queue: IQueue;
}

export class StreamTimers extends Construct {
  /** All schedules are in it; deleting it with the stage deletes them. */
  readonly group: ScheduleGroup;
  /** What EventBridge Scheduler acts as when a schedule fires. */
  readonly role: Role;
  readonly queue: IQueue;
  /** The right to arm, move and disarm timers. */
  readonly armAccess: ManagedPolicy;

  constructor(scope: Construct, id: string, { queue }: StreamTimersProps) {
    super(scope, id);
    this.queue = queue;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', {
      // The condition keeps other accounts' and other groups' schedules from borrowing it.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Stack.of(this).account, 'aws:SourceArn': this.group.scheduleGroupArn },
        },
      }),
    });
    queue.grantSendMessages(this.role);

    this.armAccess = new ManagedPolicy(this, 'ArmAccess');
    this.group.grantWriteSchedules(this.armAccess);
    this.group.grantDeleteSchedules(this.armAccess);
    this.role.grantPassRole(this.armAccess.grantPrincipal);
    const schedules = Stack.of(this).formatArn({
      partition: Aws.PARTITION,
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${this.group.scheduleGroupName}/*`,
    });
    acknowledge(this.armAccess, 'All schedules of the group are this service’s.', wildcardResource(this, schedules));
  }
}
