// CDK entry: the stages of lib/stages.ts (or, with -c stage=NAME, an engineer's own), checked by cdk-nag at every synth.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ServiceStage } from '../lib/service-stage.ts';
import { stagesToBuild } from '../lib/stages.ts';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

for (const [name, settings] of Object.entries(stagesToBuild(app.node.tryGetContext('stage')))) {
  new ServiceStage(app, name, { settings });
}
