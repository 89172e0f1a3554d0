// Settings for the operation of a stage: logs, traces, notifications, budget, and commands in tasks.
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type Check, emailAddress, flag, orNull, text, wholeNumber } from './setting-checks.ts';

export interface OperatingSettings {
  /** Days for which logs are kept. CloudWatch Logs allows only certain numbers. */
  readonly logRetentionDays: RetentionDays;
  /**
   * Address that receives notifications of alarms and of the budget, after it has been confirmed.
   * Null: there are no notifications until a person subscribes to the SNS topic.
   */
  readonly alarmEmail: string | null;
  /**
   * Monthly budget of the stage in US dollars, by its tag. A notification is sent at 80 % of it, when the forecast
   * exceeds it, and when downloads from S3 cost a hundredth of it within a day, of all stages of the account. Nothing
   * is switched off. Null: there is no budget.
   */
  readonly monthlyBudgetUsd: number | null;
  /**
   * URL of your OpenTelemetry collector, such as `https://otel.example.com`. Functions and tasks send traces and
   * metrics to it by OTLP over HTTP, without credentials, because variables hold no secrets. So the collector has to
   * accept the addresses of the stage. Null: nothing is sent.
   */
  readonly otlpEndpoint: string | null;
  /**
   * Whether a stream is started every minute through the public address, with an alarm if the start fails
   * (lib/README.md, “Starts fail”). `npm run cost` shows its price.
   */
  readonly syntheticStream: boolean;
  /**
   * Whether engineers may run commands in tasks (`aws ecs execute-command`; lib/README.md, “Go into a task”). This
   * needs writable containers, and rights of tasks on the channels of Systems Manager. A change restarts all tasks.
   */
  readonly ecsExec: boolean;
}

export const operatingChecks: Readonly<Record<keyof OperatingSettings, Check>> = {
  logRetentionDays: {
    expected: 'a value of RetentionDays',
    holds: (value) => typeof value === 'number' && value in RetentionDays,
  },
  alarmEmail: orNull(emailAddress),
  monthlyBudgetUsd: orNull(wholeNumber(1, 10_000_000)),
  otlpEndpoint: orNull(text(/^https:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, 'an https:// URL without query')),
  syntheticStream: flag,
  ecsExec: flag,
};
