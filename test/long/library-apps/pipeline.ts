// An app of a library user: CDK Pipelines with a stage of the platform.
import { App, Stack } from 'aws-cdk-lib';
import { Repository } from 'aws-cdk-lib/aws-codecommit';
import { CodePipeline, CodePipelineSource, ShellStep } from 'aws-cdk-lib/pipelines';
import { ServiceStage } from 'loop-streaming-platform';
import { PublisherImage } from 'loop-streaming-platform/publisher-image';
import { stages } from 'loop-streaming-platform/stages';

const stack = new Stack(new App(), 'Pipeline', { env: { account: '123456789012', region: 'us-east-1' } });
const repository = new Repository(stack, 'Repository', { repositoryName: 'theirs' });
const pipeline = new CodePipeline(stack, 'Pipeline', {
  synth: new ShellStep('Synth', {
    input: CodePipelineSource.codeCommit(repository, 'main'),
    commands: ['npm ci', 'npx cdk synth'],
  }),
  crossAccountKeys: true,
});
pipeline.addStage(
  new ServiceStage(stack, 'radio', {
    settings: { ...stages.staging, account: '123456789012', bootstrapQualifier: null },
    image: new PublisherImage(undefined),
  }),
);
