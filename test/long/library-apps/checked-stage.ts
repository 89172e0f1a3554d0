// An app of a library user: a large stage, checked by the user's cdk-nag, with the user's aspect.
import { App, Aspects, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { ServiceStage } from 'loop-streaming-platform';
import { presets } from 'loop-streaming-platform/presets';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
// A construct that their cdk-nag must report, as a proof that it runs.
if (app.node.tryGetContext('flawed')) new Bucket(new Stack(app, 'Flawed'), 'Bucket');
const stage = new ServiceStage(app, 'radio', {
  preset: presets.prod,
  account: '123456789012',
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1d'],
});
Aspects.of(stage).add({
  visit(node: IConstruct) {
    if (CfnResource.isCfnResource(node)) node.addMetadata('theirs', true);
  },
});
