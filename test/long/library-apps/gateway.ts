// An app of somebody else: a stage of the platform without a distribution, whose page a function answers with.
import { App } from 'aws-cdk-lib';
import { ServiceStage } from 'loop-streaming-platform';
import { PublisherImage } from 'loop-streaming-platform/publisher-image';
import { stages } from 'loop-streaming-platform/stages';

new ServiceStage(new App(), 'radio', {
  settings: {
    ...stages.staging,
    account: '123456789012',
    bootstrapQualifier: null,
    frontDoor: 'gateway',
    domain: { name: 'live.example.com', hostedZoneId: 'Z0123456789' },
  },
  image: new PublisherImage(undefined),
});
