// An app of a library user: a stage of the platform in ten lines.
import { App } from 'aws-cdk-lib';
import { ServiceStage } from 'loop-streaming-platform';

const app = new App();
new ServiceStage(app, 'radio', {
  account: '123456789012',
  region: 'eu-central-1',
  availabilityZones: ['eu-central-1a', 'eu-central-1b'],
  mailFrom: 'hello@example.com',
});
