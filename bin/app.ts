// The CDK's entry: builds the stages of lib/stages.ts, and has cdk-nag check them at every synth.
// `-c stage=NAME` builds an engineer's own stage instead; `-c githubRepository=OWNER/NAME` adds the pipeline's stack,
// for all stages or with `-c stages=NAME,NAME` for those of one account.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { PipelineStack } from '../lib/delivery/pipeline-stack.ts';
import { ServiceStage } from '../lib/service-stage.ts';
import { PublisherImage } from '../lib/shared/publisher-image.ts';
import { stagesOfAccount, stagesToBuild } from '../lib/stages.ts';

// CloudFormation's own rules would take half of a synth's time, so the tests in test/stacks check them instead.
const app = new App({ builtinCloudFormationValidation: false });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

const digest: string | undefined = app.node.tryGetContext('imageDigest');
const image = digest === undefined ? PublisherImage.fromSources() : PublisherImage.fromDigest(digest);
for (const [name, settings] of Object.entries(stagesToBuild(app.node.tryGetContext('stage')))) {
  new ServiceStage(app, name, { ...settings, image });
}

const githubRepository: unknown = app.node.tryGetContext('githubRepository');
if (typeof githubRepository === 'string')
  new PipelineStack(app, 'pipeline', {
    githubRepository,
    githubProviderArn: app.node.tryGetContext('githubProviderArn') ?? null,
    stages: stagesOfAccount(app.node.tryGetContext('stages')),
  });
