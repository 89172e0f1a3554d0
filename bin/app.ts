// CDK entry: the stages of lib/stages.ts (or, with -c stage=NAME, an engineer's own), checked by cdk-nag at every synth.
// With -c githubRepository=OWNER/NAME also what the pipeline needs of an account.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { PipelineStack } from '../lib/delivery/pipeline-stack.ts';
import { ServiceStage } from '../lib/service-stage.ts';
import { PublisherImage } from '../lib/shared/publisher-image.ts';
import { stages, stagesToBuild } from '../lib/stages.ts';

// CloudFormation's own rules take half of a synth's time: test/stacks holds the templates to them.
const app = new App({ builtinCloudFormationValidation: false });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

const image = new PublisherImage(app.node.tryGetContext('imageDigest'));
for (const [name, settings] of Object.entries(stagesToBuild(app.node.tryGetContext('stage')))) {
  new ServiceStage(app, name, { settings, image });
}

const githubRepository: unknown = app.node.tryGetContext('githubRepository');
if (typeof githubRepository === 'string')
  new PipelineStack(app, 'pipeline', { githubRepository, stageNames: Object.keys(stages) });
