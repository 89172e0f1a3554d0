// A stage with a second region: its copies there, their keys and roles, and no trace of it in other stages.
import { describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
const settings = { ...stages.prod, account: '123456789012', recoveryRegion: 'us-west-2' };
const copied = synthesizeStage(app, 'copied', settings);
const only = (stack: string, type: string, id = /./) => {
  const found = copied.resources(stack).filter(([name, { Type }]) => Type === type && id.test(name));
  expect(found).toHaveLength(1);
  return found[0]![1].Properties;
};
/** A value of the stack in the other region. */
const ofRecovery = (output: RegExp) => ({
  'Fn::GetStackOutput': expect.objectContaining({
    StackName: 'copied-Recovery',
    Region: 'us-west-2',
    OutputName: expect.stringMatching(output),
  }),
});

test('is in the second region, encrypted there, and kept as the stage’s data is', () => {
  expect(copied.stacks.get('Recovery')?.region).toBe('us-west-2');
  expect(only('Recovery', 'AWS::KMS::Key').EnableKeyRotation).toBe(true);
  const bucket = only('Recovery', 'AWS::S3::Bucket');
  expect(JSON.stringify(bucket.BucketEncryption)).toContain('aws:kms');
  expect(bucket.VersioningConfiguration).toEqual({ Status: 'Enabled' });
  for (const [, { Type, DeletionPolicy }] of copied.resources('Recovery'))
    if (/KMS::Key$|S3::Bucket$/.test(Type)) expect([Type, DeletionPolicy]).toEqual([Type, 'Retain']);
});

test('has backups to any second of as many days', () => {
  expect(only('Database', 'AWS::RDS::DBInstance')).toMatchObject({
    AutomaticBackupReplicationRegion: 'us-west-2',
    AutomaticBackupReplicationKmsKeyId: ofRecovery(/Key/),
    AutomaticBackupReplicationRetentionPeriod: stages.prod.databaseBackupDays,
  });
});

test('has uploads and their deletions, and neither renditions nor previews', () => {
  const { ReplicationConfiguration, VersioningConfiguration, LifecycleConfiguration } = only(
    'Media',
    'AWS::S3::Bucket',
    /^Uploads/,
  );
  expect(VersioningConfiguration).toEqual({ Status: 'Enabled' });
  expect(ReplicationConfiguration.Rules).toEqual([
    expect.objectContaining({
      Status: 'Enabled',
      DeleteMarkerReplication: { Status: 'Enabled' },
      SourceSelectionCriteria: { SseKmsEncryptedObjects: { Status: 'Enabled' } },
      Filter: { Prefix: 'uploads/' },
      // Without them, S3 does not count copies that fail.
      Destination: expect.objectContaining({ Metrics: { Status: 'Enabled' } }),
    }),
  ]);
  expect(LifecycleConfiguration.Rules).toContainEqual(
    expect.objectContaining({ NoncurrentVersionExpiration: { NoncurrentDays: 1 } }),
  );
});

test('is written by a role that S3 alone takes on, with each key for one direction', () => {
  const { Statement } = only('Media', 'AWS::IAM::Policy', /^Copier/).PolicyDocument;
  const keys = Statement.filter(({ Action }: any) => String(Action).startsWith('kms:'));
  expect(keys).toEqual([
    expect.objectContaining({ Action: 'kms:Decrypt', Resource: { 'Fn::GetAtt': [expect.any(String), 'Arn'] } }),
    expect.objectContaining({ Action: 'kms:Encrypt', Resource: ofRecovery(/Key/) }),
  ]);
});

describe('is watched', () => {
  test('where uploads are not copied', () => {
    const [, alarm] = copied.resources('Monitoring').find(([id]) => id.startsWith('AlarmsCopiesFail')) ?? [];
    const [{ MetricStat }] = alarm?.Properties.Metrics ?? [];
    const { Rules } = only('Media', 'AWS::S3::Bucket', /^Uploads/).ReplicationConfiguration;
    const dimensions = Object.fromEntries(MetricStat.Metric.Dimensions.map(({ Name, Value }: any) => [Name, Value]));
    expect([MetricStat.Metric.MetricName, dimensions.RuleId]).toEqual(['OperationsFailedReplication', Rules[0].Id]);
    expect(Object.keys(dimensions).toSorted()).toEqual(['DestinationBucket', 'RuleId', 'SourceBucket']);
  });

  test('where backups are late, in the second region, from which the topic of the stage hears of it', () => {
    expect(copied.stacks.get('CopyAlarms')?.region).toBe('us-west-2');
    const machine = only('CopyAlarms', 'AWS::StepFunctions::StateMachine');
    const definition = machine.DefinitionString['Fn::Join'][1].map((part: unknown) =>
      typeof part === 'string' ? part : 'x',
    );
    const { Look, IsOneRecent, NoneIs } = JSON.parse(definition.join('')).States;
    expect(Look.Resource).toMatch(/rds:describeDBInstanceAutomatedBackups$/);
    expect(Look.Output).toContain('RestoreWindow.LatestTime[$toMillis($) > $millis() - 7200000]');
    expect([IsOneRecent.Choices[0].Next, IsOneRecent.Default, NoneIs.Type]).toEqual(['OneIs', 'NoneIs', 'Fail']);
    const alarm = only('CopyAlarms', 'AWS::CloudWatch::Alarm');
    expect(alarm).toMatchObject({ AlarmName: 'copied-CopyAlarms-BackupsLate', EvaluationPeriods: 3 });
    const sent = only('CopyAlarms', 'AWS::Events::Rule', /^Changes/);
    expect(JSON.stringify(sent.Targets)).toContain(':events:us-east-1:123456789012:event-bus/default');
    const heard = only('Monitoring', 'AWS::Events::Rule', /^ChangesOfCopyAlarms/);
    expect(heard.EventPattern).toEqual(sent.EventPattern);
    expect(JSON.stringify(heard.EventPattern.resources)).toContain(
      'us-west-2:123456789012:alarm:copied-CopyAlarms-BackupsLate',
    );
    expect(heard.Targets[0].Arn).toEqual({ Ref: expect.stringMatching(/^Notifications/) });
  });
});

describe('of a stage that takes its keys', () => {
  const keys = {
    mediaKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/media',
    recoveryKeyArn: 'arn:aws:kms:us-west-2:123456789012:key/copies',
  };
  const given = synthesizeStage(testApp(), 'given', { ...settings, ...keys });
  const ofType = (stack: string, type: string) => given.resources(stack).filter(([, { Type }]) => Type === type);

  test('is encrypted by the key that is given, and makes none', () => {
    expect(ofType('Recovery', 'AWS::KMS::Key')).toEqual([]);
    const [[, copies] = []] = ofType('Recovery', 'AWS::S3::Bucket');
    expect(JSON.stringify(copies?.Properties.BucketEncryption)).toContain(keys.recoveryKeyArn);
    const [[, database] = []] = ofType('Database', 'AWS::RDS::DBInstance');
    expect(database?.Properties.AutomaticBackupReplicationKmsKeyId).toBe(keys.recoveryKeyArn);
    const [, uploads] = ofType('Media', 'AWS::S3::Bucket').find(([id]) => id.startsWith('Uploads')) ?? [];
    expect(JSON.stringify(uploads?.Properties.ReplicationConfiguration)).toContain(keys.recoveryKeyArn);
  });

  test('is written by a role that may open with the one key, and seal with the other', () => {
    const [, policy] = ofType('Media', 'AWS::IAM::Policy').find(([id]) => id.startsWith('Copier')) ?? [];
    const used = policy?.Properties.PolicyDocument.Statement.filter(({ Action }: any) =>
      String(Action).startsWith('kms:'),
    );
    expect(used.map(({ Action, Resource }: any) => [Action, Resource])).toEqual([
      ['kms:Decrypt', keys.mediaKeyArn],
      ['kms:Encrypt', keys.recoveryKeyArn],
    ]);
  });
});

test('is nothing of a stage without a second region', () => {
  const prod = synthesizeStage(testApp(), 'prod', stages.prod);
  expect([...prod.stacks.keys()]).not.toContain('Recovery');
  const text = JSON.stringify([...prod.stacks.keys()].map((id) => prod.template(id)));
  expect(text).not.toMatch(/"ReplicationConfiguration|AutomaticBackupReplication/);
});
