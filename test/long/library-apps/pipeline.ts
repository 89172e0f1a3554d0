// An app of a library user: CDK Pipelines with a stage of the platform, and a smoke test of its address.
import { App, Stack } from 'aws-cdk-lib';
import { Repository } from 'aws-cdk-lib/aws-codecommit';
import { CodePipeline, CodePipelineSource, ShellStep } from 'aws-cdk-lib/pipelines';
import { ServiceStage } from 'loop-streaming-platform';

const stack = new Stack(new App(), 'Pipeline', { env: { account: '123456789012', region: 'us-east-1' } });
const repository = new Repository(stack, 'Repository', { repositoryName: 'theirs' });
const pipeline = new CodePipeline(stack, 'Pipeline', {
  synth: new ShellStep('Synth', {
    input: CodePipelineSource.codeCommit(repository, 'main'),
    commands: ['npm ci', 'npx cdk synth'],
  }),
  crossAccountKeys: true,
});
const stage = new ServiceStage(stack, 'radio', {
  account: '123456789012',
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b'],
});
const smokeTest = new ShellStep('SmokeTest', {
  envFromCfnOutputs: { SITE_URL: stage.outputs.siteUrl, API_BASE_URL: stage.outputs.apiBaseUrl },
  commands: ['curl --fail "$SITE_URL"', 'curl --fail "$API_BASE_URL/status"'],
});
pipeline.addStage(stage, { post: [smokeTest] });
