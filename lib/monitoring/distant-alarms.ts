// A stack with alarms on metrics of another region, and the way from there to the topic of the stage.
// CloudWatch notifies topics of its own region only, so EventBridge carries each change over: decision D192.
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { EventBus, EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { EventBus as ToEventBus, SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stage-settings.ts';
import { RunbookAlarm, type RunbookAlarmSettings } from './runbook-alarm.ts';

export interface DistantAlarmsProps {
  readonly settings: StageSettings;
  /** The region of the metrics, another than the stage's. */
  readonly region: string;
}

/** The events of alarms that change their state. */
export const alarmChanges = { source: ['aws.cloudwatch'], detailType: ['CloudWatch Alarm State Change'] };

export class DistantAlarms extends Stack {
  readonly #stageRegion: string;
  readonly #arns: string[] = [];

  constructor(scope: Construct, id: string, { settings, region }: DistantAlarmsProps) {
    super(scope, id, { env: { region, ...(settings.account !== null && { account: settings.account }) } });
    this.#stageRegion = settings.region;
  }

  add(id: string, settings: RunbookAlarmSettings): void {
    // A name that the stage's region knows too, without a reference to this stack.
    const alarmName = `${this.stackName}-${id}`;
    new RunbookAlarm(this, id, { ...settings, alarmName });
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    const arn = this.formatArn({ service: 'cloudwatch', resource: 'alarm', resourceName: alarmName, arnFormat });
    this.#arns.push(arn);
  }

  /** To be called once, after all alarms have been added. */
  carryTo(stage: Stack, topic: ITopic): void {
    const service = { service: 'events', region: this.#stageRegion, resource: 'event-bus', resourceName: 'default' };
    const bus = EventBus.fromEventBusArn(this, 'StageBus', this.formatArn(service));
    new Rule(this, 'Changes', {
      eventPattern: { ...alarmChanges, resources: this.#arns },
      targets: [new ToEventBus(bus)],
    });
    const says = (path: string) => EventField.fromPath(path);
    new Rule(stage, `ChangesOf${this.node.id}`, {
      eventPattern: { ...alarmChanges, resources: this.#arns },
      targets: [
        new SnsTopic(topic, {
          // As CloudWatch's own notifications name these, so that the same filters of subscriptions hold.
          message: RuleTargetInput.fromObject({
            AlarmName: says('$.detail.alarmName'),
            AlarmDescription: says('$.detail.configuration.description'),
            NewStateValue: says('$.detail.state.value'),
            NewStateReason: says('$.detail.state.reason'),
            Region: says('$.region'),
          }),
        }),
      ],
    });
  }
}
