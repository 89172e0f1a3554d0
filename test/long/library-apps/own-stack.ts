// An app of a library user: a stack of the user inside a stage, with the stage's own resources.
import { App, Stack, type StackProps } from 'aws-cdk-lib';
import { Alarm, Dashboard, GraphWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { BastionHostLinux } from 'aws-cdk-lib/aws-ec2';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { ServiceStage } from 'loop-streaming-platform';

class Operations extends Stack {
  constructor(stage: ServiceStage, id: string, props: StackProps = {}) {
    super(stage, id, props);
    const { vpc, databaseClients, alarmTopic, distribution, metrics } = stage;
    const bastion = new BastionHostLinux(this, 'Bastion', { vpc, securityGroup: databaseClients });
    stage.uploads.grantRead(bastion);
    const alarm = new Alarm(this, 'PageErrors', {
      metric: distribution.metric5xxErrorRate(),
      threshold: 5,
      evaluationPeriods: 3,
    });
    alarm.addAlarmAction(new SnsAction(alarmTopic));
    alarmTopic.addSubscription(new EmailSubscription('ops@example.com'));
    new Dashboard(this, 'Board').addWidgets(
      new GraphWidget({ left: [metrics.replicas('ffmpeg'), stage.database.metricCPUUtilization()] }),
    );
  }
}

const stage = new ServiceStage(new App(), 'radio', {
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b'],
});
new Operations(stage, 'Operations');
