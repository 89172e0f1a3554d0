// Metrics of a stage: its own figures, and the log lines of its programs.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chooseEncoder } from '../../lambda/publisher/media/choose-encoder.ts';
import { loadMetrics } from '../../lambda/publisher/environment.ts';
import { stages } from '../../lib/stages.ts';
import { matchesFilter } from '../support/filter-pattern.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const prod = synthesizeStage(testApp(), 'prod', stages.prod);
const monitoring = prod.resources('Monitoring').map(([, resource]) => resource);
const alarms = monitoring.filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm');
const filters = monitoring.filter(({ Type }) => Type === 'AWS::Logs::MetricFilter').map(({ Properties }) => Properties);

/** The pattern and the log groups of a metric that counts log lines. */
function counted(metricName: string): { readonly pattern: string; readonly logGroups: string } {
  const own = filters.filter(({ MetricTransformations: [{ MetricName }] }) => MetricName === metricName);
  const [pattern = '', ...others] = new Set(own.map(({ FilterPattern }): string => FilterPattern));
  expect(others).toEqual([]);
  return { pattern, logGroups: JSON.stringify(own.map(({ LogGroupName }) => LogGroupName)) };
}

/** The properties of the one alarm on a metric of the stage, and the metric's statistic. */
function alarmOn(metricName: string) {
  const found = alarms.flatMap(({ Properties }) => {
    const [query, ...others] = Properties.Metrics ?? [];
    const isOwn = query?.MetricStat?.Metric.MetricName === metricName && others.length === 0;
    return isOwn ? [{ ...Properties, Statistic: query.MetricStat.Stat }] : [];
  });
  expect(found).toHaveLength(1);
  return found[0];
}

// API Gateway labels its figures with the name of the API, not its id: APIs of the same name share them.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
test('the figures of the API are those of this stage’s API and its one deployment', () => {
  const [, api] = prod.resources('Api').find(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi') ?? [];
  expect(api?.Properties.Name).toBe('prod-Api');
  const ofApi = alarms
    .flatMap(({ Properties }): any[] => Properties.Metrics ?? [])
    .map(({ MetricStat }) => MetricStat?.Metric)
    .filter((metric) => metric?.Namespace === 'AWS/ApiGateway');
  expect(ofApi.map(({ MetricName }) => MetricName)).toEqual(['5XXError', 'Latency']);
  for (const { Dimensions } of ofApi)
    expect(Dimensions).toEqual([
      { Name: 'ApiName', Value: 'prod-Api' },
      { Name: 'Stage', Value: { 'Fn::ImportValue': expect.stringContaining('DeploymentStage') } },
    ]);
});

test('what agents report of themselves is asked for by the unit that they report it in', () => {
  const { namespace, ...reported } = loadMetrics;
  const units = new Map<string, string>(Object.values(reported).map(({ name, unit }) => [name, unit]));
  const asked = alarms
    .flatMap(({ Properties }) => [Properties, ...(Properties.Metrics ?? []).map(({ MetricStat }: any) => MetricStat)])
    .map((stat) => ({ ...(stat?.Metric ?? stat), unit: stat?.Unit }))
    .filter((metric) => metric.Namespace === namespace);
  expect(asked.length).toBeGreaterThan(3);
  for (const { MetricName, unit } of asked) expect([MetricName, unit]).toEqual([MetricName, units.get(MetricName)]);
});

test('the events that are counted are those that programs log', () => {
  const root = join(import.meta.dirname, '../../lambda');
  const sources = globSync('**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const logged = new Set(sources.flatMap((text) => [...text.matchAll(/[lL]og\(\s*'(\w+)'/g)]).map(([, name]) => name));
  // Lambda's own log lines have a type, and no event.
  const own = filters.filter(({ FilterPattern }) => !FilterPattern.startsWith('{ $.type = "platform.'));
  const events = own.flatMap(({ FilterPattern }) => [...FilterPattern.matchAll(/\$\.event = "(\w+)"/g)]);
  expect(events.length).toBeGreaterThan(own.length - 1);
  expect(events.map(([, name]) => name).filter((name) => !logged.has(name))).toEqual([]);
});

describe('the front door', () => {
  const abroad = synthesizeStage(testApp(), 'abroad', {
    ...stages.prod,
    region: 'eu-west-1',
    availabilityZones: ['eu-west-1a', 'eu-west-1b'],
  });
  const places = [
    ['the stage’s stack, where CloudFront has its figures', prod, 'Monitoring'],
    ['a stack in us-east-1 otherwise', abroad, 'EdgeAlarms'],
  ] as const;

  test.each(places)('is watched from %s', (_where, stage, stack) => {
    expect(stage.stacks.get(stack)?.region).toBe('us-east-1');
    const stats = stage
      .resources(stack)
      .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
      .flatMap(([, { Properties }]) => Properties.Metrics.map(({ MetricStat }: any) => MetricStat?.Metric))
      .filter((metric) => /CloudFront|Route53/.test(metric?.Namespace));
    expect(stats.map(({ MetricName }) => MetricName)).toEqual([
      'HealthCheckStatus',
      'Requests',
      '5xxErrorRate',
      'BytesDownloaded',
    ]);
    expect(stats[1].Dimensions).toContainEqual({ Name: 'Region', Value: 'Global' });
    const [, page] = stage.resources(stack).find(([, { Type }]) => Type === 'AWS::Route53::HealthCheck')!;
    expect(page.Properties.HealthCheckConfig).toMatchObject({ Type: 'HTTPS', EnableSNI: true, ResourcePath: '/' });
  });

  test('of another region tells the stage’s topic, with a description to filter by', () => {
    const [, rule] = abroad.resources('Monitoring').find(([id]) => id.startsWith('ChangesOfEdgeAlarms')) ?? [];
    expect(rule?.Properties.EventPattern.resources).toHaveLength(3);
    const [{ InputTransformer }] = rule?.Properties.Targets ?? [];
    expect(InputTransformer.InputTemplate).toContain('"AlarmDescription":<detail-configuration-description>');
    const publishers = JSON.stringify(
      abroad.resources('Monitoring').filter(([, { Type }]) => Type === 'AWS::SNS::TopicPolicy'),
    );
    expect(publishers).toContain('events.amazonaws.com');
  });
});

test('agents that are gone notify once, by one alarm of all that they cause', () => {
  const composite = monitoring.find(({ Type }) => Type === 'AWS::CloudWatch::CompositeAlarm');
  const parts = [...JSON.stringify(composite?.Properties.AlarmRule).matchAll(/"Alarms(\w+?)[0-9A-F]{8}"/g)];
  expect(parts.map(([, name]) => name).toSorted()).toEqual([
    'LeaseExpiries',
    'NoAgentsffmpeg',
    'NoAgentsmanifest',
    'QueueAgepublishffmpeg',
    'QueueAgepublishmanifest',
    'StartsFail',
    'StartsUnproved',
  ]);
  expect(composite?.Properties.AlarmActions).toHaveLength(1);
});

describe('a machine whose GPU does not encode', () => {
  const { pattern, logGroups } = counted('GpusUnused');

  test('raises an alarm as long as agents or workers run on it', async () => {
    // This machine has no GPU, so its log lines are those of an agent without one.
    const lines: string[] = [];
    const encoder = await chooseEncoder(
      await findMediaTools(process.env),
      'h264',
      (event, fields) => void lines.push(JSON.stringify({ event, ...fields })),
    );
    lines.push(JSON.stringify({ event: 'agent_load', encoder: encoder.codec, Replicas: 0 }));
    expect(lines.map((line) => matchesFilter(pattern, line))).toEqual([true, true]);
    expect(logGroups).toMatch(/FfmpegLogs.+MediaWorkerLogs/);
    expect(alarmOn('GpusUnused')).toMatchObject({ Threshold: 1, EvaluationPeriods: 1, Statistic: 'Sum' });
  });

  test.each([
    ['a GPU that encodes', { event: 'encoder_chosen', encoder: 'h264_nvenc' }],
    ['its reports', { event: 'agent_load', encoder: 'h264_nvenc' }],
    // The GPUs of g4dn machines cannot encode AV1, so agents there always use software.
    ['a codec that the GPU lacks', { event: 'encoder_chosen', encoder: 'libsvtav1', insteadOf: ['av1_nvenc: …'] }],
  ])('is not %s', (_what, line) => {
    expect(matchesFilter(pattern, JSON.stringify(line))).toBe(false);
  });

  test('is not one that was made without a GPU', () => {
    expect(logGroups).not.toContain('Manifest');
  });
});

test('a mail to somebody who signs up raises an alarm if SES does not take it', () => {
  const { pattern, logGroups } = counted('MailsFailed');
  expect(matchesFilter(pattern, JSON.stringify({ event: 'mail_failed', subject: 'Your code' }))).toBe(true);
  expect(logGroups).toContain('AuthLogs');
  expect(alarmOn('MailsFailed')).toMatchObject({
    Threshold: 1,
    EvaluationPeriods: 1,
    TreatMissingData: 'notBreaching',
  });
});

test('many mails of sign-in beyond the limits of an inbox or a network raise an alarm', () => {
  const { pattern, logGroups } = counted('MailsHeld');
  expect(matchesFilter(pattern, JSON.stringify({ event: 'sign_in_mail_held', limit: 'network' }))).toBe(true);
  expect(logGroups).toContain('AuthLogs');
  expect(alarmOn('MailsHeld')).toMatchObject({ Threshold: 50, EvaluationPeriods: 1, Statistic: 'Sum' });
});

describe('every function', () => {
  test('has an alarm for its errors and one for what is refused', () => {
    const watched = prod
      .resources('Monitoring')
      .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
      .map(([, { Properties }]) => Properties.Metrics?.[0]?.MetricStat)
      .filter((stat) => stat?.Metric.Namespace === 'AWS/Lambda' && stat.Metric.Dimensions[0].Name === 'FunctionName');
    for (const name of ['Errors', 'Throttles']) {
      const ofName = watched.filter((stat) => stat.Metric.MetricName === name);
      expect(new Set(ofName.map((stat) => JSON.stringify(stat.Metric.Dimensions[0].Value))).size).toBe(12);
      expect(new Set(ofName.map((stat) => stat.Stat))).toEqual(new Set(['Sum']));
    }
  });

  test('is counted where a call leaves less than a tenth of its memory', () => {
    const own = filters.filter(
      ({ MetricTransformations: [{ MetricName }] }) => MetricName === 'FunctionsShortOfMemory',
    );
    expect(new Set(own.map(({ LogGroupName }) => JSON.stringify(LogGroupName))).size).toBe(12);
    // The line in Lambda's documented format (“Lambda Telemetry API Event schema reference”).
    const report = (maxMemoryUsedMB: number) =>
      JSON.stringify({
        time: '2026-11-23T12:00:00.000Z',
        type: 'platform.report',
        record: {
          requestId: '79b4f56e-95b1-4643-9700-2807f4e68189',
          metrics: { durationMs: 11.12, billedDurationMs: 12, memorySizeMB: 1024, maxMemoryUsedMB },
          status: 'success',
        },
      });
    for (const { FilterPattern } of own) {
      expect(matchesFilter(FilterPattern, report(1000))).toBe(true);
      expect(matchesFilter(FilterPattern, report(200))).toBe(false);
    }
    expect(alarmOn('FunctionsShortOfMemory')).toMatchObject({ Threshold: 1, Statistic: 'Sum' });
  });
});
