// Rights judged by a policy engine: every recorded call is allowed, and needs a right that grants it.
import { describe, expect, test } from 'vitest';
import { formatCall, newCalls, readRecordedCalls } from '../deploy/recorded-calls.ts';
import { ConcreteTemplates } from '../support/concrete-templates.ts';
import { testDatabase } from '../support/database.ts';
import { type AwsCall, SimulatedAccount, type TakenRight } from '../support/iam.ts';
import { completeDev } from '../support/complete-dev.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { callsOfAdapters } from './adapter-callers.ts';
import { callsOfServices } from './service-calls.ts';
import { unusedRights } from './unused-rights.ts';

/** The stage of the deploy test, with an address to send mails from. */
const stage = synthesizeStage(testApp(), 'emulated', { ...completeDev, mailFrom: 'no-reply@example.com' });
const templates = new ConcreteTemplates(stage);
const account = new SimulatedAccount(templates);
const database = testDatabase();
const recorded = readRecordedCalls().map((call) => ({ ...call, caller: account.roleOf(call.caller) }));
const calls = [...recorded, ...callsOfServices(account, templates)];

async function refused(asked: readonly AwsCall[], taken?: TakenRight): Promise<string[]> {
  const verdicts = await Promise.all(asked.map((call) => account.verdictOn(call, taken)));
  return asked.filter((_, index) => verdicts[index] !== 'Allowed').map(formatCall);
}

describe('what is called', () => {
  test('by the adapters of functions and tasks has been recorded', async () => {
    const lines = (await callsOfAdapters(database.pool(), templates)).map(formatCall);
    expect(newCalls(lines, { record: process.env['RECORD_CALLS'] === '1' })).toEqual([]);
  });

  test('is allowed', async () => {
    const rights = new Set(calls.map(({ caller, action }) => `${caller} ${action}`));
    console.log(`${calls.length} different calls of AWS, ${rights.size} distinct rights of roles and services`);
    expect(recorded.length).toBeGreaterThan(0);
    expect(await refused(calls)).toEqual([]);
  });

  /** Time for two thousand requests to the engine. */
  const askingMs = 60_000;
  test(
    'is refused, and nothing else, once its right is taken away, is elsewhere, or bound',
    { timeout: askingMs },
    async () => {
      const ofRoles = calls.filter(({ caller }) => account.roleIDs.includes(caller));
      const byRight = Map.groupBy(ofRoles, ({ caller, action }) => `${caller} ${action}`);
      expect(byRight.size).toBeGreaterThan(50);
      for (const group of byRight.values()) {
        const [{ caller, action }] = group as [AwsCall];
        const ofRole = ofRoles.filter((call) => call.caller === caller);
        const expected = group.map(formatCall).sort();
        const elsewhere = 'arn:aws:iam::111111111111:role/of-nobody';
        const unmet = { StringEquals: { 'aws:PrincipalAccount': '222222222222' } };
        expect((await refused(ofRole, { action })).sort()).toEqual(expected);
        expect(await refused(group, { action, resource: elsewhere })).toHaveLength(group.length);
        expect(await refused(group, { action, condition: unmet })).toHaveLength(group.length);
      }
    },
  );
});

describe('who reads the bytes of strangers', () => {
  const roleOf = (id: RegExp) => {
    const found = templates.ofType('AWS::ECS::TaskDefinition').filter((resource) => id.test(resource.id));
    expect(found).toHaveLength(1);
    return account.roleOf(found[0]!.id);
  };
  const only = (type: string, id: RegExp) => {
    const found = templates.ofType(type).filter((resource) => id.test(resource.id));
    expect(found).toHaveLength(1);
    return found[0]!.id;
  };
  const serviceSecret = only('AWS::SecretsManager::Secret', /\/ServiceSecret/);
  const payments = only('AWS::SecretsManager::Secret', /\/PaymentProviders/);
  const sealingKey = only('AWS::KMS::Key', /\/SealingKey/);
  const mediaKey = only('AWS::KMS::Key', /^Media\//);
  const bucket = only('AWS::S3::Bucket', /^Media\/Uploads/);
  const queue = (name: string) => only('AWS::SQS::Queue', new RegExp(`/Commands${name}[0-9A-F]{8}$`));
  const schedule = `${only('AWS::Scheduler::ScheduleGroup', /./)}#ID`;
  const timersRole = only('AWS::IAM::Role', /StreamTimersRole/);

  const withoutSecrets = (caller: string): AwsCall[] => [
    { caller, action: 'secretsmanager:GetSecretValue', resource: serviceSecret },
    { caller, action: 'secretsmanager:GetSecretValue', resource: payments },
    { caller, action: 'scheduler:CreateSchedule', resource: schedule },
    {
      caller,
      action: 'iam:PassRole',
      resource: timersRole,
      context: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
    },
    { caller, action: 'sqs:SendMessage', resource: queue('Timers') },
    // Directly from KMS: the bucket's key may be used only through S3.
    { caller, action: 'kms:Decrypt', resource: mediaKey },
    { caller, action: 's3:PutObject', resource: `${bucket}#health/probe` },
  ];
  const withoutKey = (caller: string, purpose = 'data key'): AwsCall[] => [
    { caller, action: 'kms:Decrypt', resource: sealingKey, context: { 'kms:EncryptionContext:purpose': purpose } },
  ];
  const importWorker = roleOf(/ImportWorkers/);
  const mediaWorker = roleOf(/MediaWorkers/);
  const agents = [roleOf(/FfmpegTask/), roleOf(/ManifestTask/)];

  test.each<[string, AwsCall[]]>([
    [
      'an import worker',
      [
        ...withoutSecrets(importWorker),
        ...withoutKey(importWorker),
        { caller: importWorker, action: 'sqs:SendMessage', resource: queue('PublishFfmpeg') },
        { caller: importWorker, action: 's3:GetObject', resource: `${bucket}#renditions/ID` },
        { caller: importWorker, action: 's3:DeleteObject', resource: `${bucket}#renditions/ID` },
        // A role that was not created for this, and a role in any account without the external id.
        {
          caller: importWorker,
          action: 'sts:AssumeRole',
          resource: 'arn:aws:iam::222222222222:role/deployer',
          context: { 'sts:ExternalId': 'ID' },
        },
        {
          caller: importWorker,
          action: 'sts:AssumeRole',
          resource: 'arn:aws:iam::222222222222:role/loop-source-of-a-user',
        },
      ],
    ],
    [
      'a media worker',
      [
        ...withoutSecrets(mediaWorker),
        ...withoutKey(mediaWorker),
        ...withoutKey(mediaWorker, 'sources'),
        { caller: mediaWorker, action: 's3:PutObject', resource: `${bucket}#uploads/ID` },
        { caller: mediaWorker, action: 'sqs:SendMessage', resource: queue('Imports') },
      ],
    ],
    [
      'an agent',
      agents.flatMap((agent) => [
        ...withoutSecrets(agent),
        ...withoutKey(agent, 'sources'),
        // Only a ciphertext that was wrapped as a data key.
        {
          caller: agent,
          action: 'kms:Decrypt',
          resource: sealingKey,
          context: { 'kms:EncryptionContext:purpose': 'x' },
        },
        { caller: agent, action: 's3:PutObject', resource: `${bucket}#uploads/ID` },
        { caller: agent, action: 'sqs:SendMessage', resource: queue('Imports') },
      ]),
    ],
  ])('%s may not reach what its work does not need', async (_who, unneeded) => {
    expect(await refused(unneeded)).toEqual(unneeded.map(formatCall));
  });
});

test('what is granted and never called is known, line by line, with the reason', async () => {
  const lines = unusedRights(account, calls);
  expect(lines.filter((line) => line.endsWith(': '))).toEqual([]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('unused-rights.txt');
});
