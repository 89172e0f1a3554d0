// An alarm with a severity, a sentence for its reader, and an entry in the runbook of lib/README.md.
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** `urgent`: streams or requests fail, or soon will. `soon`: on the next working day. */
export type Severity = 'urgent' | 'soon';

export interface RunbookAlarmSettings {
  /** Heading of the entry in the runbook. Similar alarms share an entry. */
  readonly runbook: string;
  readonly severity: Severity;
  /** The finding, as a sentence for the reader of the notification. */
  readonly says: string;
  readonly metric: IMetric;
  /** The value at or above which the alarm is raised. @default 1, without `below` */
  readonly atLeast?: number;
  /** The value below which the alarm is raised. */
  readonly below?: number;
  /** The number of consecutive periods of the metric for which the condition has to hold. @default 1 */
  readonly periods?: number;
  /** The number of periods for which the alarm stays raised after the last one with the condition. @default 0 */
  readonly stays?: number;
  /** Whether to raise the alarm when the metric has no values. @default false */
  readonly missingIsBad?: boolean;
  /** @default chosen by CloudFormation */
  readonly alarmName?: string;
}

export class RunbookAlarm extends Alarm {
  constructor(
    scope: Construct,
    id: string,
    { atLeast = 1, periods = 1, stays = 0, missingIsBad = false, ...settings }: RunbookAlarmSettings,
  ) {
    const { metric, below, alarmName } = settings;
    super(scope, id, {
      ...(alarmName !== undefined && { alarmName }),
      alarmDescription: descriptionOf(settings),
      metric,
      threshold: below ?? atLeast,
      comparisonOperator:
        below === undefined
          ? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
          : ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: periods + stays,
      ...(stays > 0 && { datapointsToAlarm: periods }),
      treatMissingData: missingIsBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
  }
}

/** Subscriptions filter by its first word: lib/README.md, “Notifications”. */
export function descriptionOf({
  severity,
  says,
  runbook,
}: Pick<RunbookAlarmSettings, 'severity' | 'says' | 'runbook'>): string {
  return `${severity === 'urgent' ? 'Urgent' : 'Soon'}: ${says} Runbook: lib/README.md, “${runbook}”.`;
}
