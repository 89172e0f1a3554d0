// The rights of one stage's deploy roles on another stage in the same account: none, by a policy engine.
import type { Stack } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { PipelineStack } from '../../lib/delivery/pipeline-stack.ts';
import { stages } from '../../lib/stages.ts';
import { accountID, ConcreteTemplates } from '../support/concrete-templates.ts';
import type { ConcreteResource } from '../support/concrete-templates.ts';
import { SimulatedAccount } from '../support/iam.ts';
import { judge } from '../support/policy-engine.ts';
import type { NamedPolicy, Verdict } from '../support/policy-engine.ts';
import { synthesizeStage, templateOf, testApp } from '../support/synth.ts';

const app = testApp();
const pipeline = new PipelineStack(app, 'pipeline', {
  githubRepository: 'owner/name',
  githubProviderArn: null,
  stages,
});
const templates = new ConcreteTemplates({
  stacks: new Map<string, Stack>([['Pipeline', pipeline]]),
  template: () => templateOf(pipeline),
});
const account = new SimulatedAccount(templates);
const stageNames = Object.keys(stages) as (keyof typeof stages)[];
const qualifierOf = (stage: keyof typeof stages) => stages[stage].bootstrapQualifier ?? 'hnb659fds';
const bootstrapRole = (stage: keyof typeof stages, kind: string) =>
  `cdk-${qualifierOf(stage)}-${kind}-role-${accountID}-us-east-1`;
/** All stages in one account, because the settings give none of them its own. */
const stageApp = testApp();
const templatesOf = Object.fromEntries(
  stageNames.map((name) => [name, new ConcreteTemplates(synthesizeStage(stageApp, name, stages[name]))]),
) as Record<keyof typeof stages, ConcreteTemplates>;
const pairs = stageNames.flatMap((one) =>
  stageNames.filter((other) => other !== one).map((other): [keyof typeof stages, keyof typeof stages] => [one, other]),
);

/** Default policy of CloudFormation's execution role, from `cdk bootstrap`. */
const administrator: NamedPolicy = {
  name: 'AdministratorAccess',
  policy: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] },
};

/** Actions that destroy or take over the resources of a type. */
const harm: Readonly<Record<string, string>> = {
  'AWS::ECS::Cluster': 'ecs:DeleteCluster',
  'AWS::IAM::ManagedPolicy': 'iam:CreatePolicyVersion',
  'AWS::IAM::Role': 'iam:UpdateAssumeRolePolicy',
  'AWS::KMS::Key': 'kms:ScheduleKeyDeletion',
  'AWS::Lambda::Function': 'lambda:UpdateFunctionCode',
  'AWS::Logs::LogGroup': 'logs:DeleteLogGroup',
  'AWS::RDS::DBInstance': 'rds:DeleteDBInstance',
  'AWS::RDS::DBProxy': 'rds:DeleteDBProxy',
  'AWS::S3::Bucket': 's3:PutBucketPolicy',
  'AWS::SNS::Topic': 'sns:DeleteTopic',
  'AWS::SQS::Queue': 'sqs:DeleteQueue',
  'AWS::SecretsManager::Secret': 'secretsmanager:GetSecretValue',
  'AWS::SSM::Parameter': 'ssm:PutParameter',
};

/** The verdict for a bootstrap role that has all rights and the attached policy of the stack `pipeline`. */
function verdictOn(role: string, action: string, resource: ConcreteResource): Promise<Verdict> {
  const attached = templates
    .ofType('AWS::IAM::ManagedPolicy')
    .filter(({ properties }) => properties.Roles?.includes(role))
    .map(({ id, properties }) => ({ name: id, policy: properties.PolicyDocument }));
  // S3 evaluates tags only for buckets that enable it, and ours do not.
  const isTagged = resource.type !== 'AWS::S3::Bucket';
  const tag = [resource.properties.Tags ?? []].flat().find(({ Key }: any) => Key === 'stage')?.Value;
  return judge({
    principal: `arn:aws:sts::${accountID}:assumed-role/${role}/session`,
    action,
    arn: resource.arn.replace(/:\*$/, ''),
    context: tag === undefined || !isTagged ? {} : { 'aws:ResourceTag/stage': tag },
    identityPolicies: [administrator, ...attached],
    // IAM can grant rights on a key only as far as the key's own policy allows it.
    resourcePolicy: resource.properties.KeyPolicy,
  });
}

describe.each(stageNames)('GitHub’s environment %s', (name) => {
  const role = account.roleIDs.find((id) => id.startsWith(`Pipeline/Deploy${name}`))!;
  const assume = (other: keyof typeof stages, kind: string) =>
    account.verdictOn({
      caller: role,
      action: 'sts:AssumeRole',
      resource: `arn:aws:iam::${accountID}:role/${bootstrapRole(other, kind)}`,
    });

  test('takes on the roles of its stage, and none that deploys another', async () => {
    for (const kind of ['deploy', 'file-publishing', 'lookup']) {
      for (const other of stageNames)
        expect([other, kind, await assume(other, kind)]).toEqual([
          other,
          kind,
          other === name ? 'Allowed' : 'ImplicitlyDenied',
        ]);
      expect(await assume(name, 'cfn-exec')).toBe('ImplicitlyDenied');
    }
  });
});

function targetsIn(stage: keyof typeof stages) {
  return Object.entries(harm).flatMap(([type, action]) =>
    templatesOf[stage].ofType(type).map((resource) => ({ action, resource })),
  );
}

/** Lines that name the action and its resource, by AWS' answer. */
async function answers(role: string, stage: keyof typeof stages): Promise<Partial<Record<Verdict, string[]>>> {
  const lines: Partial<Record<Verdict, string[]>> = {};
  for (const { action, resource } of targetsIn(stage))
    (lines[await verdictOn(role, action, resource)] ??= []).push(`${action} ${resource.id}`);
  return lines;
}

describe('a role of the bootstrap', () => {
  test.each(pairs)('that deploys %s does no harm to %s', async (one, other) => {
    for (const kind of ['deploy', 'cfn-exec']) {
      const { ExplicitlyDenied: refused, ...others } = await answers(bootstrapRole(one, kind), other);
      expect(others).toEqual({});
      expect(refused?.length).toBeGreaterThan(50);
    }
  });

  test.each(stageNames)('that deploys %s does what it will to its own', async (one) => {
    expect(Object.keys(await answers(bootstrapRole(one, 'cfn-exec'), one))).toEqual(['Allowed']);
  });

  test('without a fence would do harm', async () => {
    expect(Object.keys(await answers('cdk-of-nobody', 'prod'))).toEqual(['Allowed']);
  });
});
