// Access of operators to a stage: only sessions of one role without other rights, and no network path.
import { expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { ConcreteTemplates } from '../support/concrete-templates.ts';
import { SimulatedAccount } from '../support/iam.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const stage = synthesizeStage(testApp(), 'emulated', stages.dev);
const templates = new ConcreteTemplates(stage);
const account = new SimulatedAccount(templates);
const only = (type: string) => {
  const found = templates.ofType(type).filter(({ id }) => id.startsWith('Operate/'));
  return found.filter(({ id }) => !id.includes('ServiceRole'));
};
const [operate] = only('AWS::Lambda::Function');
const [operator] = only('AWS::IAM::Role');
const invoking = { action: 'lambda:InvokeFunction', resource: operate!.id };

test('of all roles of a stage the operators’ alone may invoke the function', async () => {
  expect(account.roleIDs.length).toBeGreaterThan(10);
  const verdicts = await Promise.all(
    account.roleIDs.map(async (caller) => [caller, await account.verdictOn({ caller, ...invoking })] as const),
  );
  expect(verdicts.filter(([, verdict]) => verdict === 'Allowed').map(([caller]) => caller)).toEqual([operator!.id]);
});

test('the operators’ role may invoke no other function, read no secret, and reach no queue or object', async () => {
  const others = [
    ['lambda:InvokeFunction', 'AWS::Lambda::Function'],
    ['secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret'],
    ['sqs:SendMessage', 'AWS::SQS::Queue'],
    ['s3:GetObject', 'AWS::S3::Bucket'],
    ['kms:Decrypt', 'AWS::KMS::Key'],
    ['sts:AssumeRole', 'AWS::IAM::Role'],
  ] as const;
  for (const [action, type] of others)
    for (const { id } of templates.ofType(type).filter((resource) => resource !== operate && resource !== operator)) {
      const resource = type === 'AWS::S3::Bucket' ? `${id}#key` : id;
      expect([id, await account.verdictOn({ caller: operator!.id, action, resource })]).not.toEqual([id, 'Allowed']);
    }
});

test('no service may take the role on, and whoever of the account may has to be allowed it by an administrator', () => {
  expect(operator!.properties.AssumeRolePolicyDocument.Statement).toEqual([
    { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { AWS: expect.stringMatching(/:iam::\d{12}:root$/) } },
  ]);
});

test('nothing but a call by that role leads to the function: no URL, no event, no route, no permission', () => {
  const leading = stage
    .resources()
    .filter(([, { Type }]) =>
      /^AWS::(?:Lambda::(?:Url|Permission|EventSourceMapping)|ApiGateway|Events|Scheduler)/.test(Type),
    );
  expect(leading.length).toBeGreaterThan(5);
  expect(leading.filter(([, resource]) => JSON.stringify(resource).includes('Operate'))).toEqual([]);
});
