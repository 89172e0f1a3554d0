// The path of changes to AWS: pinned actions, a role for each environment, and images that are never overwritten.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { PipelineStack } from '../../lib/delivery/pipeline-stack.ts';
import { imageRepositoryName } from '../../lib/shared/publisher-image.ts';
import { stages, stagesOfAccount } from '../../lib/stages.ts';
import { nagFindings } from '../support/nag-findings.ts';
import { testApp } from '../support/synth.ts';

const app = testApp();
const template = Template.fromStack(
  new PipelineStack(app, 'pipeline', {
    githubRepository: 'owner/name',
    githubProviderArn: null,
    stages,
  }),
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

  test('include those of all its jobs', () => {
    const used = [...workflow.matchAll(/^ {4}environment: (\S+)$/gm)].map(
      ([, name]) => `repo:owner/name:environment:${name}`,
    );
    expect(used).toHaveLength(6);
    expect(environments).toEqual(expect.arrayContaining(used));
  });

  test('have no finding that is not accepted', () => {
    expect(nagFindings(app)).toEqual([]);
  });

  test('cannot be made without the name of a repository', () => {
    expect(
      () =>
        new PipelineStack(new App(), 'pipeline', {
          githubRepository: 'owner',
          githubProviderArn: null,
          stages: {},
        }),
    ).toThrow('-c githubRepository=OWNER/NAME');
  });
});

function testAppWithPipeline(): App {
  const own = testApp();
  new PipelineStack(own, 'pipeline', { githubRepository: 'owner/name', githubProviderArn: null, stages });
  return own;
}

/** Whether a policy denies an action, as IAM evaluates it: an asterisk matches any text, also none. */
function denies(statements: readonly any[], action: string, resource: string, stageTag?: string): boolean {
  const covers = (patterns: unknown, text: string) =>
    [patterns]
      .flat()
      .map((pattern) => (typeof pattern === 'string' ? pattern : textOf(pattern)))
      .some((pattern) =>
        new RegExp(
          `^${pattern
            .split('*')
            .map((part) => RegExp.escape(part))
            .join('.*')}$`,
        ).test(text),
      );
  return statements.some(
    ({ Effect, Action, Resource, Condition }) =>
      Effect === 'Deny' &&
      covers(Action, action) &&
      covers(Resource, resource) &&
      (!Condition || Condition.StringEquals['aws:ResourceTag/stage'].includes(stageTag)),
  );
}

/** Text of an ARN in the template, in the account 1. */
function textOf(value: any): string {
  const parts: any[] = value['Fn::Join']?.[1] ?? [value];
  return parts
    .map((part) =>
      typeof part === 'string' ? part : { 'AWS::AccountId': '1', 'AWS::Partition': 'aws' }[String(part.Ref)],
    )
    .join('');
}

describe('stages in one account', () => {
  const policies = Object.values<any>(template.findResources('AWS::IAM::ManagedPolicy')).map(
    ({ Properties }) => Properties,
  );
  const fenceOf = (qualifier: string) =>
    policies.find(({ Roles }) => textOf(Roles[0]).startsWith(`cdk-${qualifier}-`))?.PolicyDocument.Statement;
  const staging = fenceOf('lssstaging');
  const stackOf = (stage: string) => `arn:aws:cloudformation:us-east-1:1:stack/${stage}-Database/id`;

  test('are deployed by roles of their own', () => {
    const assumed = Object.values<any>(template.findResources('AWS::IAM::Policy')).map(({ Properties }) => [
      textOf(Properties.Roles[0].Ref).replace(/[0-9A-F]{8}$/, ''),
      [...JSON.stringify(Properties.PolicyDocument).matchAll(/cdk-(\w+)-deploy-role/g)].map(
        ([, qualifier]) => qualifier,
      ),
    ]);
    expect(Object.fromEntries(assumed)).toMatchObject({
      Deploydev: ['hnb659fds'],
      Deploystaging: ['lssstaging'],
      Deployprod: ['lssprod'],
    });
  });

  test('have a fence about the roles that deploy them, and that CloudFormation works as', () => {
    expect(policies.map(({ Roles }) => Roles.map(textOf))).toEqual(
      ['hnb659fds', 'lssstaging', 'lssprod'].map((qualifier) => [
        `cdk-${qualifier}-deploy-role-1-us-east-1`,
        `cdk-${qualifier}-cfn-exec-role-1-us-east-1`,
      ]),
    );
  });

  test('have fences that no deployment takes down, so a human puts them up', () => {
    const { stacks } = testAppWithPipeline().synth();
    expect(
      stacks.map(({ assumeRoleArn, cloudFormationExecutionRoleArn }) => [
        assumeRoleArn,
        cloudFormationExecutionRoleArn,
      ]),
    ).toEqual([[undefined, undefined]]);
    for (const qualifier of ['hnb659fds', 'lssprod'])
      expect(denies(fenceOf(qualifier), 'iam:DeletePolicy', 'arn:aws:iam::1:policy/pipeline-Fenceprod')).toBe(true);
  });

  // The policy of the bootstrap's deploy role allows DeleteStack and UpdateStack on every resource. A stack that a role
  // deployed is deleted with that role, regardless of the caller.
  test.each([
    ['cloudformation:DeleteStack', stackOf('prod')],
    ['cloudformation:CreateChangeSet', stackOf('dev')],
    ['s3:DeleteObject', 'arn:aws:s3:::prod-media-uploads4f6eb0fd-abc/uploads/1'],
    ['iam:UpdateAssumeRolePolicy', 'arn:aws:iam::1:role/prod-Api-RestServiceRole'],
    ['ssm:PutParameter', 'arn:aws:ssm:us-east-1:1:parameter/loop-streaming-platform/prod/public-origin'],
    ['sts:AssumeRole', 'arn:aws:iam::1:role/cdk-lssprod-deploy-role-1-us-east-1'],
    ['iam:DetachRolePolicy', 'arn:aws:iam::1:role/cdk-lssstaging-cfn-exec-role-1-us-east-1'],
  ])('cannot do each other harm: staging, %s on %s', (action, resource) => {
    expect(denies(staging, action, resource)).toBe(true);
  });

  test('cannot touch what has the tag of another', () => {
    const database = 'arn:aws:rds:us-east-1:1:db:whatever';
    expect(denies(staging, 'rds:DeleteDBInstance', database, 'prod')).toBe(true);
    expect(denies(staging, 'rds:DeleteDBInstance', database, 'staging')).toBe(false);
    expect(denies(staging, 'rds:DeleteDBInstance', database)).toBe(false);
  });

  test.each([
    ['cloudformation:UpdateStack', stackOf('staging')],
    ['iam:PassRole', 'arn:aws:iam::1:role/cdk-lssstaging-cfn-exec-role-1-us-east-1'],
    ['s3:PutObject', 'arn:aws:s3:::staging-media-uploads4f6eb0fd-abc/uploads/1'],
    ['iam:CreateRole', 'arn:aws:iam::1:role/staging-Api-RestServiceRole'],
  ])('can be deployed: staging, %s on %s', (action, resource) => {
    expect(denies(staging, action, resource)).toBe(false);
  });

  test('are those that the account has', () => {
    expect(Object.keys(stagesOfAccount('dev,prod'))).toEqual(['dev', 'prod']);
    expect(stagesOfAccount(undefined)).toBe(stages);
    expect(() => stagesOfAccount('qa')).toThrow('there is no shared stage "qa"');
  });
});

describe('an account that knows GitHub already', () => {
  // An account can have only one provider for each address: a second one fails with EntityAlreadyExists.
  // https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateOpenIDConnectProvider.html
  const arn = 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com';
  const made = (githubProviderArn: string) =>
    Template.fromStack(
      new PipelineStack(testApp(), 'pipeline', {
        githubRepository: 'owner/name',
        githubProviderArn,
        stages: { prod: stages.prod },
      }),
    );

  test('keeps its provider, which the roles trust', () => {
    const template = made(arn);
    template.resourceCountIs('AWS::IAM::OIDCProvider', 0);
    const principals = Object.values<any>(template.findResources('AWS::IAM::Role')).map(
      ({ Properties }) => Properties.AssumeRolePolicyDocument.Statement[0].Principal,
    );
    expect(principals).toEqual(principals.map(() => ({ Federated: arn })));
  });

  test('is not believed to know it by another provider', () => {
    expect(() => made('arn:aws:iam::123456789012:oidc-provider/example.com')).toThrow('-c githubProviderArn=');
  });
});

describe('images', () => {
  // A release has an index and an image for each of two architectures.
  // https://docs.aws.amazon.com/AmazonECR/latest/userguide/LifecyclePolicies.html
  test('are kept by releases, not by their parts', () => {
    const [repository] = Object.values<any>(template.findResources('AWS::ECR::Repository'));
    const { rules } = JSON.parse(repository.Properties.LifecyclePolicy.LifecyclePolicyText);
    expect(rules.map(({ selection }: any) => selection)).toEqual([
      { tagStatus: 'tagged', tagPatternList: ['*'], countType: 'imageCountMoreThan', countNumber: 300 },
      { tagStatus: 'untagged', countType: 'sinceImagePushed', countNumber: 1, countUnit: 'days' },
    ]);
  });

  test('are kept, scanned, and never overwritten', () => {
    template.hasResourceProperties('AWS::ECR::Repository', {
      RepositoryName: imageRepositoryName,
      ImageTagMutability: 'IMMUTABLE',
      ImageScanningConfiguration: { ScanOnPush: true },
    });
    expect(workflow).toContain(`REPOSITORY: ${imageRepositoryName}\n`);
  });
});
