// How a stage is watched and gone into: logs, traces, notifications, its budget, and commands in tasks.
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type Check, emailAddress, flag, orNull, text, wholeNumber } from './setting-checks.ts';

export interface OperatingSettings {
  /** Days for which logs are kept: one of the numbers that CloudWatch Logs allows. */
  readonly logRetentionDays: RetentionDays;
  /**
   * Address that gets notifications of alarms and of the budget, after it has been confirmed.
   * Null: nobody gets them until somebody subscribes to the SNS topic by hand.
   */
  readonly alarmEmail: string | null;
  /**
   * US dollars that the stage may cost in a month, by its tag. A notification is sent at 80 % of them, and when the
   * forecast is higher. Nothing is switched off. Null: there is no budget.
   */
  readonly monthlyBudgetUsd: number | null;
  /**
   * URL of an OpenTelemetry collector of yours, such as `https://otel.example.com`: functions and tasks send traces and
   * measures there, by OTLP over HTTP. It needs no credential, since variables hold no secrets: let it answer to the
   * stage's addresses. Null: nothing is sent.
   */
  readonly otlpEndpoint: string | null;
  /**
   * Whether a stream is started every minute, over the public address, and an alarm raised where none can be
   * (lib/README.md, “Starts fail”). `npm run cost` says what that costs.
   */
  readonly syntheticStream: boolean;
  /**
   * Whether engineers may run commands in tasks (`aws ecs execute-command`; lib/README.md, “Go into a task”). It takes
   * containers whose files can be written, and rights of tasks on the channels of Systems Manager. A change starts all
   * tasks anew.
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
