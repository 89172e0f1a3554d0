// Checks every hour, in the region of the copies, whether the copied backups of the database are recent.
// RDS has no metric for this, and stops copying without one of the two keys.
import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { Choice, Condition, Fail, Succeed } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import type { DatabaseStack } from '../database/database-stack.ts';
import { acknowledge } from '../shared/acknowledge.ts';
import { failedExecutions } from './failed-executions.ts';
import type { RunbookAlarmSettings } from './runbook-alarm.ts';
import { unattendedMachine } from './unattended-machine.ts';

/** RDS copies the transaction log every few minutes, and a snapshot each day. */
const oldestHours = 2;

export class CopiedBackups extends Construct {
  readonly alarm: RunbookAlarmSettings;

  /** @param scope in the region of the copies */
  constructor(scope: Construct, id: string, database: DatabaseStack) {
    super(scope, id);
    const newest = '$states.result.DbInstanceAutomatedBackups.RestoreWindow.LatestTime';
    const look = CallAwsService.jsonata(this, 'Look', {
      service: 'rds',
      action: 'describeDBInstanceAutomatedBackups',
      parameters: { Filters: [{ Name: 'db-instance-id', Values: [database.instanceIDIn(Stack.of(this))] }] },
      iamResources: ['*'],
      outputs: `{% {'recent': $count(${newest}[$toMillis($) > $millis() - ${oldestHours * 3_600_000}])} %}`,
    }).addRetry({ maxAttempts: 5, interval: Duration.seconds(10), backoffRate: 2 });
    const judge = Choice.jsonata(this, 'IsOneRecent')
      .when(Condition.jsonata('{% $states.input.recent > 0 %}'), new Succeed(this, 'OneIs'))
      .otherwise(new Fail(this, 'NoneIs', { error: 'Late', cause: `no copy of the last ${oldestHours} hours` }));
    const machine = unattendedMachine(this, {
      comment: 'Looks whether the copied backups of the database are recent',
      steps: look.next(judge),
      timeout: Duration.minutes(10),
    });
    acknowledge(machine.role, 'RDS lets a role list copied backups as a whole only.', 'AwsSolutions-IAM5[Resource::*]');
    new Rule(this, 'EveryHour', {
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new SfnStateMachine(machine)],
    });
    this.alarm = {
      runbook: 'Copies fail',
      severity: 'soon',
      says: `The second region has no backup of the database from the last ${oldestHours} hours.`,
      metric: failedExecutions(machine, Duration.hours(1), 'looks without a recent backup'),
      periods: 3,
    };
  }
}
