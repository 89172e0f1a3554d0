// Pauses mails to addresses that are not confirmed while too many of them come back. Decision D281.
import { Duration } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { DefinitionBody, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { acknowledge } from '../shared/acknowledge.ts';
import { mailSetARN } from '../shared/mail-sender.ts';
import { alarmChanges } from './distant-alarms.ts';

export interface MailPauseProps {
  /** Its mails are paused while this alarm is raised. */
  readonly alarm: IAlarm;
  /** The name of a configuration set of SES. */
  readonly mailSet: string;
}

export class MailPause extends Construct {
  constructor(scope: Construct, id: string, { alarm, mailSet }: MailPauseProps) {
    super(scope, id);
    const call = CallAwsService.jsonata(this, 'SetSending', {
      service: 'sesv2',
      action: 'putConfigurationSetSendingOptions',
      parameters: {
        ConfigurationSetName: mailSet,
        SendingEnabled: "{% $states.input.detail.state.value = 'OK' %}",
      },
      iamAction: 'ses:PutConfigurationSetSendingOptions',
      iamResources: [mailSetARN(this, mailSet)],
    }).addRetry({ maxAttempts: 5, interval: Duration.seconds(5), backoffRate: 2 });
    const machine = new StateMachine(this, 'Machine', {
      comment: 'Pauses mails to addresses that are not confirmed, and sends them again',
      definitionBody: DefinitionBody.fromChainable(call),
      timeout: Duration.minutes(10),
    });
    acknowledge(
      machine,
      'Step Functions keeps the history of each execution for 90 days, and nobody waits for it.',
      'AwsSolutions-SF1',
      'AwsSolutions-SF2',
    );
    new Rule(this, 'Changes', {
      // An alarm that lacks data is neither a reason to pause nor one to send again.
      eventPattern: { ...alarmChanges, resources: [alarm.alarmArn], detail: { state: { value: ['ALARM', 'OK'] } } },
      targets: [new SfnStateMachine(machine)],
    });
  }
}
