// The stream that starts every minute in AWS: the alarm if it fails, and the access to its ingest.
import { expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { matchesFilter } from '../support/filter-pattern.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const prod = synthesizeStage(testApp(), 'prod', { ...stages.prod, syntheticStream: true });
const without = synthesizeStage(testApp(), 'without', { ...stages.prod, syntheticStream: false });
const ofType = (type: string, stage = prod) => stage.resources('Monitoring').filter(([, { Type }]) => Type === type);

test('the function is called every minute, and not again for what failed', () => {
  const [[id, { Properties }]] = ofType('AWS::Lambda::Function') as any;
  expect(id).toMatch(/^SyntheticStreamSynthetic/);
  const rules = ofType('AWS::Events::Rule').filter(([, rule]) => JSON.stringify(rule).includes(id));
  expect(rules.map(([, rule]) => rule.Properties)).toEqual([
    expect.objectContaining({
      ScheduleExpression: 'rate(1 minute)',
      Targets: [expect.objectContaining({ RetryPolicy: expect.objectContaining({ MaximumRetryAttempts: 0 }) })],
    }),
  ]);
  // A hanging call ends before the next one begins.
  expect(Properties.Timeout).toBeLessThan(60);
});

test('an alarm is raised by the first start that fails, and by three minutes in which none is proved', () => {
  const alarmOn = (line: object) => {
    const counted = ofType('AWS::Logs::MetricFilter')
      .map(([, { Properties }]) => Properties)
      .filter(({ FilterPattern }) => matchesFilter(FilterPattern, JSON.stringify(line)))
      .map(({ MetricTransformations: [{ MetricName }] }) => MetricName);
    expect(counted).toHaveLength(1);
    const alarms = ofType('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
    return alarms.filter((alarm) => JSON.stringify(alarm).includes(`"MetricName":"${counted[0]}"`));
  };
  const common = {
    Metrics: [expect.objectContaining({ MetricStat: expect.objectContaining({ Period: 60, Stat: 'Sum' }) })],
  };
  expect(alarmOn({ event: 'synthetic_start_failed', step: 'pictures' })).toEqual([
    expect.objectContaining({
      ...common,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    }),
  ]);
  expect(alarmOn({ event: 'synthetic_start_proved', seconds: 3 })).toEqual([
    expect.objectContaining({
      ...common,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 3,
      TreatMissingData: 'breaching',
    }),
  ]);
});

test('its ingest takes objects from the network of the stage, by TLS, and lets nobody read them', () => {
  const [[, { Properties: bucket }]] = ofType('AWS::S3::Bucket') as any;
  expect(bucket).toMatchObject({
    PublicAccessBlockConfiguration: { BlockPublicPolicy: true, RestrictPublicBuckets: true },
    LifecycleConfiguration: { Rules: [expect.objectContaining({ ExpirationInDays: 1, Status: 'Enabled' })] },
  });
  const [[, { Properties: policy }]] = ofType('AWS::S3::BucketPolicy') as any;
  const allowed = policy.PolicyDocument.Statement.filter(({ Effect }: any) => Effect === 'Allow');
  expect(allowed).toEqual([
    expect.objectContaining({
      Action: 's3:PutObject',
      Principal: { AWS: '*' },
      Condition: { StringEquals: { 'aws:SourceVpc': { 'Fn::ImportValue': expect.stringContaining('Vpc') } } },
    }),
  ]);
  const denied = policy.PolicyDocument.Statement.filter(({ Effect }: any) => Effect === 'Deny');
  expect(denied.map(({ Condition }: any) => Object.keys(Condition)[0]).sort()).toEqual(['Bool', 'NumericLessThan']);
});

test('a stage without has nothing of it', () => {
  expect(JSON.stringify(without.template('Monitoring'))).not.toMatch(/synthetic/i);
});
