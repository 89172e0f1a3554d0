// Pauses the mails of a configuration set while too many of them come back. Decisions D281 and D289.
import { Duration } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { mailSetARN } from '../shared/mail-sender.ts';
import { alarmChanges } from './distant-alarms.ts';
import { unattendedMachine } from './unattended-machine.ts';

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
    const machine = unattendedMachine(this, {
      comment: `Pauses mails with ${mailSet}, and sends them again`,
      steps: call,
      timeout: Duration.minutes(10),
    });
    new Rule(this, 'Changes', {
      // An alarm that lacks data is neither a reason to pause nor one to send again.
      eventPattern: { ...alarmChanges, resources: [alarm.alarmArn], detail: { state: { value: ['ALARM', 'OK'] } } },
      targets: [new SfnStateMachine(machine)],
    });
  }
}
