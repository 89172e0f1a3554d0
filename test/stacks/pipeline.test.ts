// How changes reach AWS: the workflow's actions are pinned, its roles are its environments', and images are never overwritten.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { PipelineStack } from '../../lib/delivery/pipeline-stack.ts';
import { imageRepositoryName } from '../../lib/shared/publisher-image.ts';
import { stages } from '../../lib/stages.ts';
import { testApp } from '../support/synth.ts';

const app = testApp();
const template = Template.fromStack(
  new PipelineStack(app, 'pipeline', { githubRepository: 'owner/name', stageNames: Object.keys(stages) }),
);
const workflow = readFileSync(join(import.meta.dirname, '../../.github/workflows/deliver.yml'), 'utf8');

describe('the roles of the workflow', () => {
  const environments = Object.values<any>(template.findResources('AWS::IAM::Role')).map(({ Properties }) => {
    const { Condition } = Properties.AssumeRolePolicyDocument.Statement[0];
    expect(Condition.StringEquals['token.actions.githubusercontent.com:aud']).toBe('sts.amazonaws.com');
    return Condition.StringEquals['token.actions.githubusercontent.com:sub'];
  });

  test('are one for each environment, and for no other repository', () => {
    expect(environments).toEqual(
      ['images', 'diff', ...Object.keys(stages)].map((name) => `repo:owner/name:environment:${name}`),
    );
  });

  test('are those that its jobs take on', () => {
    const used = [...workflow.matchAll(/^ {4}environment: (\S+)$/gm)].map(
      ([, name]) => `repo:owner/name:environment:${name}`,
    );
    expect(used).toHaveLength(4);
    expect(environments).toEqual(expect.arrayContaining(used));
  });

  test('have no finding that is not accepted', () => {
    const { violations } = new AwsSolutionsChecks(app).validateScope(app);
    expect(
      violations.map(({ ruleName, violatingResources }) => [
        ruleName,
        violatingResources.map(({ constructPath }) => constructPath),
      ]),
    ).toEqual([]);
  });

  test('need a repository', () => {
    expect(() => new PipelineStack(new App(), 'pipeline', { githubRepository: 'owner', stageNames: [] })).toThrow(
      '-c githubRepository=OWNER/NAME',
    );
  });
});

describe('images', () => {
  test('are kept, scanned, and never overwritten', () => {
    template.hasResourceProperties('AWS::ECR::Repository', {
      RepositoryName: imageRepositoryName,
      ImageTagMutability: 'IMMUTABLE',
      ImageScanningConfiguration: { ScanOnPush: true },
    });
    expect(workflow).toContain(`REPOSITORY: ${imageRepositoryName}\n`);
  });
});

describe('the workflow', () => {
  test('runs actions of exactly the commits that were looked at', () => {
    const actions = [...workflow.matchAll(/uses: (.+)/g)].map(([, action]) => action);
    expect(actions.filter((action) => !/@[0-9a-f]{40} # v\d/.test(action ?? ''))).toEqual([]);
  });

  test('synthesizes once, and deploys that', () => {
    expect(workflow.match(/cdk synth/g)).toHaveLength(1);
    expect(workflow.match(/cdk deploy/g)).toEqual(['cdk deploy']);
    expect(workflow).toContain('cdk deploy --app cdk.out');
  });
});
