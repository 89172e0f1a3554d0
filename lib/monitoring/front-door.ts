// Alarms of the front door: the page as clients outside AWS see it, and the answers of the distribution.
// The metrics of CloudFront and of Route 53 are in us-east-1, whatever the region of a stage.
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnHealthCheck } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import type { WebStack } from '../web/web-stack.ts';
import type { StageSettings } from '../stage-settings.ts';
import { cloudFrontRegion } from '../shared/stage-regions.ts';
import type { RunbookAlarmSettings } from './runbook-alarm.ts';

const fiveMinutes = Duration.minutes(5);

/** @returns settings of alarms by their ids, for a stack in us-east-1 */
export function frontDoorAlarms(
  scope: Construct,
  { domain }: StageSettings,
  web: WebStack,
): ReadonlyMap<string, RunbookAlarmSettings> {
  const { distributionId, distributionName } = web.outputs();
  return new Map([
    [
      'PageUnreachable',
      {
        runbook: 'Page unreachable',
        severity: 'urgent',
        says: 'The page has no answer, or one with an error, for clients outside AWS.',
        metric: pageReached(scope, domain?.name ?? distributionName),
        below: 1,
        periods: 3,
        missingIsBad: true,
      },
    ],
    [
      'DistributionErrors',
      {
        runbook: 'Distribution errors',
        severity: 'urgent',
        says: 'The distribution answered requests with 5xx.',
        metric: distributionErrors(distributionId),
        atLeast: 5,
        periods: 2,
      },
    ],
    [
      'DistributionTraffic',
      {
        runbook: 'Traffic',
        severity: 'soon',
        says: 'The distribution has sent more than 50 GB within an hour: that costs 100 dollars a day.',
        metric: bytesSent(distributionId),
        atLeast: 50e9,
      },
    ],
  ]);
}

function pageReached(scope: Construct, host: string): IMetric {
  const check = new CfnHealthCheck(scope, 'Page', {
    healthCheckConfig: {
      type: 'HTTPS',
      fullyQualifiedDomainName: host,
      resourcePath: '/',
      port: 443,
      enableSni: true,
      requestInterval: 30,
      failureThreshold: 3,
    },
  });
  return new Metric({
    namespace: 'AWS/Route53',
    metricName: 'HealthCheckStatus',
    dimensionsMap: { HealthCheckId: check.attrHealthCheckId },
    statistic: Stats.MINIMUM,
    period: Duration.minutes(1),
    label: 'page reached',
    region: cloudFrontRegion,
  });
}

function bytesSent(distributionId: string): IMetric {
  return new Metric({
    namespace: 'AWS/CloudFront',
    metricName: 'BytesDownloaded',
    dimensionsMap: { DistributionId: distributionId, Region: 'Global' },
    statistic: Stats.SUM,
    period: Duration.hours(1),
    label: 'bytes sent',
    region: cloudFrontRegion,
  });
}

/** Answers of the API with 5xx too, and those that fail in the function at CloudFront, which API Gateway never sees. */
function distributionErrors(distributionId: string): IMetric {
  const metric = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'AWS/CloudFront',
      metricName,
      dimensionsMap: { DistributionId: distributionId, Region: 'Global' },
      statistic,
      period: fiveMinutes,
      region: cloudFrontRegion,
    });
  return new MathExpression({
    expression: 'requests * percent / 100',
    usingMetrics: { requests: metric('Requests', Stats.SUM), percent: metric('5xxErrorRate', Stats.AVERAGE) },
    period: fiveMinutes,
    label: '5xx of the distribution',
  });
}
