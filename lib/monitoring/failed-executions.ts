// The metric of executions of a state machine that did not succeed.
import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';

/** Step Functions counts an execution at its time limit apart from those that fail. */
export function failedExecutions(machine: StateMachine, period: Duration, label: string): IMetric {
  const summed = { statistic: Stats.SUM, period };
  return new MathExpression({
    expression: 'FILL(failed, 0) + FILL(late, 0) + FILL(aborted, 0)',
    usingMetrics: {
      failed: machine.metricFailed(summed),
      late: machine.metricTimedOut(summed),
      aborted: machine.metricAborted(summed),
    },
    period,
    label,
  });
}
