// Rolls back a bad release of a function: the new version first gets a tenth of the calls, with its own alarms.
import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, type IMetric, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';
import { acknowledge, policyOfAWS } from './acknowledge.ts';
import type { ServiceFunction } from './service-function.ts';

/** Failed requests of a version in a minute. The number is low because the new version gets few requests. */
const faultsAMinute = 3;

/**
 * Callers of a function call `alias`. At a deployment, CodeDeploy routes a tenth of the calls to the new version for
 * five minutes, and then all. If an alarm of that version is raised meanwhile, all calls go to the old version again,
 * and the stack is rolled back as well. The migrations have run before, and the old version works with the new schema.
 */
export class FunctionRelease extends Construct {
  readonly alias: Alias;

  constructor(scope: Construct, id: string, fn: ServiceFunction) {
    super(scope, id);
    const version = fn.currentVersion;
    this.alias = new Alias(this, 'Alias', { aliasName: 'live', version });
    const faults = {
      metricNamespace: `${loadMetrics.namespace}/${Stack.of(this).stackName}`,
      metricName: `${fn.node.id}Faults`,
    };
    new MetricFilter(this, 'Faults', {
      ...faults,
      logGroup: fn.logGroup,
      filterPattern: FilterPattern.literal('{ $.event = "request_failed" || $.event = "auth_failed" }'),
      metricValue: '1',
      dimensions: { Version: '$.version' },
    });
    const common = { statistic: Stats.SUM, period: Duration.minutes(1) };
    const alarms = [
      this.#alarm(
        'Faulty',
        faultsAMinute,
        new Metric({
          ...common,
          namespace: faults.metricNamespace,
          metricName: faults.metricName,
          dimensionsMap: { Version: version.version },
        }),
      ),
      this.#alarm(
        'Failing',
        1,
        new Metric({
          ...common,
          namespace: 'AWS/Lambda',
          metricName: 'Errors',
          dimensionsMap: {
            FunctionName: fn.functionName,
            Resource: `${fn.functionName}:${this.alias.aliasName}`,
            ExecutedVersion: version.version,
          },
        }),
      ),
    ];
    const mover = new Role(this, 'Mover', { assumedBy: new ServicePrincipal('codedeploy') });
    new LambdaDeploymentGroup(this, 'Group', {
      role: mover,
      application: new LambdaApplication(this, 'Application'),
      alias: this.alias,
      alarms,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
    acknowledge(
      mover,
      'The policy that AWS made for this purpose: to move an alias, and to look at alarms.',
      policyOfAWS('AWSCodeDeployRoleForLambdaLimited'),
    );
  }

  /** An alarm without notifications, which the alarms of the stage send. */
  #alarm(id: string, threshold: number, metric: IMetric): Alarm {
    return new Alarm(this, id, {
      alarmDescription: 'A version of the function fails: its deployment is rolled back.',
      metric,
      threshold,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
