// The metrics of mails that come back or are called spam, as SES counts them.
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';

const hour = Duration.hours(1);
const day = Duration.days(1);

/**
 * Mails of a day that come back, and their share of all mails of the account: less than SES allows. It reviews accounts
 * with 5 % of bounces or 0.1 % of complaints, and pauses them at 10 % or 0.5 %.
 */
const bouncesMany = { least: 10, share: 0.04 };
const complaintsMany = { least: 3, share: 0.003 };

/** Bounces and complaints within an hour. @param mailSet a configuration set */
export function mailsRefused(mailSet: string, label: string): IMetric {
  return new MathExpression({
    expression: 'FILL(bounces, 0) + FILL(complaints, 0)',
    usingMetrics: {
      bounces: mailEvents('Bounce', hour, mailSet),
      complaints: mailEvents('Complaint', hour, mailSet),
    },
    period: hour,
    label,
  });
}

/**
 * 1 while many mails of the last day with a configuration set were refused, and those of another set and of this one
 * are a large share of all mails of the account; else 0.
 */
export function manyRefused(mailSet: string, otherSet: string, label: string): IMetric {
  const many = (metric: string, { least, share }: { readonly least: number; readonly share: number }) =>
    `(FILL(${metric}, 0) >= ${least} AND ` +
    `FILL(${metric}, 0) + FILL(${metric}OfOthers, 0) >= ${share} * FILL(sent, 0))`;
  return new MathExpression({
    expression: `IF(${many('bounces', bouncesMany)} OR ${many('complaints', complaintsMany)}, 1, 0)`,
    usingMetrics: {
      bounces: mailEvents('Bounce', day, mailSet),
      bouncesOfOthers: mailEvents('Bounce', day, otherSet),
      complaints: mailEvents('Complaint', day, mailSet),
      complaintsOfOthers: mailEvents('Complaint', day, otherSet),
      sent: mailEvents('Send', day),
    },
    period: day,
    label,
  });
}

/** @param mailSet absent: all mails of the account */
function mailEvents(metricName: string, period: Duration, mailSet?: string): Metric {
  return new Metric({
    namespace: 'AWS/SES',
    metricName,
    ...(mailSet !== undefined && { dimensionsMap: { 'ses:configuration-set': mailSet } }),
    statistic: Stats.SUM,
    period,
  });
}
