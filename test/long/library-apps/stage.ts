// An app of a library user: a stage of the platform, checked by the user's cdk-nag, with the user's aspect.
import { App, Aspects, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { ServiceStage } from 'loop-streaming-platform';
import { PublisherImage } from 'loop-streaming-platform/publisher-image';
import { stages } from 'loop-streaming-platform/stages';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
// A construct that their cdk-nag must report, as a proof that it runs.
if (app.node.tryGetContext('flawed')) new Bucket(new Stack(app, 'Flawed'), 'Bucket');
const stage = new ServiceStage(app, 'radio', {
  settings: { ...stages.prod, account: '123456789012', bootstrapQualifier: null },
  image: new PublisherImage(undefined),
});
Aspects.of(stage).add({
  visit(node: IConstruct) {
    if (CfnResource.isCfnResource(node)) node.addMetadata('theirs', true);
  },
});
