// The weekly comparison of a stage with its templates: its scope, and the alarms for its findings.
import { expect, test } from 'vitest';
import { settingReads } from '../../lib/monitoring/reader-rights.ts';
import { stages } from '../../lib/stages.ts';
import { type SynthesizedStage, synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
const prod = synthesizeStage(app, 'prod', stages.prod);
const frankfurt = synthesizeStage(app, 'frankfurt', {
  ...stages.prod,
  region: 'eu-central-1',
  availabilityZones: ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'],
  liveIngest: { minTasks: 1, maxTasks: 2 },
});

const ofType = (stage: SynthesizedStage, type: string) =>
  stage.resources('Monitoring').flatMap(([, { Type, Properties }]) => (Type === type ? [Properties] : []));

/** The states of the comparison of a stage, by name. */
function statesOf(stage: SynthesizedStage): Record<string, any> {
  const [{ DefinitionString }, ...others] = stage
    .resources('Monitoring')
    .flatMap(([id, { Properties }]) =>
      id.startsWith('DriftCheckMachine') && Properties.DefinitionString ? [Properties] : [],
    );
  expect(others).toEqual([]);
  const [, parts] = DefinitionString['Fn::Join'] ?? ['', [DefinitionString]];
  return JSON.parse(parts.map((part: unknown) => (typeof part === 'string' ? part : 'aws')).join('')).States;
}

test('is of every stack in the region of the stage', () => {
  expect(statesOf(prod).Stacks.Result.stackNames.toSorted()).toEqual(
    [...prod.stacks.keys()].map((id) => `prod-${id}`).toSorted(),
  );
  // The resources for CloudFront are in us-east-1.
  expect(statesOf(frankfurt).Stacks.Result.stackNames.toSorted()).toEqual(
    [...frankfurt.stacks.keys()]
      .filter((id) => !id.startsWith('Edge'))
      .map((id) => `frankfurt-${id}`)
      .toSorted(),
  );
});

test('goes on to the next stack where one differs, and fails at the end', () => {
  const { EachStack, Differing, DoesAnyDiffer } = statesOf(prod);
  const each = EachStack.ItemProcessor.States;
  expect(Object.values<any>(each).filter(({ Type }) => Type === 'Fail')).toEqual([]);
  const judged = each.IsItAsItShouldBe;
  expect([judged.Choices.map(({ Next }: { Next: string }) => Next), judged.Default]).toEqual([
    ['WaitForIt', 'NotCompared', 'ItIs'],
    'NameDifferences',
  ]);
  expect(each.ItIsNot.Result.is).toBe('different');
  expect(Differing.Parameters['found.$']).toBe(`$[?(@.is == '${each.ItIsNot.Result.is}')]`);
  expect(DoesAnyDiffer.Choices).toEqual([{ Variable: '$.found[0]', IsPresent: true, Next: 'Drifted' }]);
});

test('begins by itself every week, and raises an alarm where it fails', () => {
  const targetOf = ({ Targets }: any) => JSON.stringify(Targets);
  const rules = ofType(prod, 'AWS::Events::Rule').filter((rule) => targetOf(rule).includes('DriftCheckMachine'));
  expect(rules.map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(['cron(0 6 ? * MON *)']);
  const [alarm, ...others] = ofType(prod, 'AWS::CloudWatch::Alarm').filter(({ Metrics }) =>
    JSON.stringify(Metrics ?? '').includes('DriftCheckMachine'),
  );
  expect(others).toEqual([]);
  const names = alarm.Metrics.flatMap(({ MetricStat }: any) => MetricStat?.Metric.MetricName ?? []);
  // An execution at its time limit is not one that failed.
  expect(names).toEqual(['ExecutionsFailed', 'ExecutionsTimedOut', 'ExecutionsAborted']);
  expect(alarm.Metrics.find(({ Expression }: any) => Expression).Expression).toBe(
    'FILL(failed, 0) + FILL(late, 0) + FILL(aborted, 0)',
  );
  // One of seven days is enough, so it stays raised for a week.
  const period = alarm.Metrics.find(({ MetricStat }: any) => MetricStat).MetricStat.Period;
  expect([period, alarm.EvaluationPeriods, alarm.DatapointsToAlarm]).toEqual([86_400, 7, 1]);
});

test('does not count the numbers that scaling changes, and counts what is deleted', () => {
  const { Unexpected, IsAnyUnexpected, ItIsNot, ItIs } = statesOf(prod).EachStack.ItemProcessor.States;
  const scaled = "@.PropertyPath != '/DesiredCount' && @.PropertyPath != '/AllocatedStorage'";
  expect(Unexpected.Parameters).toEqual({
    'changes.$': `$.StackResourceDrifts[*].PropertyDifferences[?(${scaled})]`,
    'deleted.$': "$.StackResourceDrifts[?(@.StackResourceDriftStatus == 'DELETED')]",
  });
  expect(IsAnyUnexpected).toEqual({
    Type: 'Choice',
    Choices: [
      {
        Or: [
          { Variable: '$.changes[0]', IsPresent: true },
          { Variable: '$.deleted[0]', IsPresent: true },
        ],
        Next: 'ItIsNot',
      },
    ],
    Default: 'ItIs',
  });
  expect([ItIsNot.Result.is, ItIs.Result.is]).toEqual(['different', 'in sync']);
});

test('may read the settings of every type of resource, and neither what is stored nor other stages’ code', () => {
  const services = new Set(
    [prod, frankfurt].flatMap((stage) =>
      stage.resources().flatMap(([, { Type }]) => /^AWS::(\w+)::/.exec(Type)?.[1] ?? []),
    ),
  );
  const readable = new Set([...Object.keys(settingReads), 'Lambda', 'CloudFormation']);
  expect([...services].filter((service) => !readable.has(service))).toEqual([]);
  const [, reads] = prod.resources('Monitoring').find(([id]) => id.startsWith('DriftCheckReads')) ?? [];
  const statements: any[] = reads?.Properties.PolicyDocument.Statement;
  const everywhere = statements.filter(({ Resource }) => Resource === '*').flatMap(({ Action }) => Action);
  expect(
    everywhere.filter((action) => /^(lambda|ssm:Get|s3:GetObject|secretsmanager:GetSecret|logs:GetLog)/.test(action)),
  ).toEqual([]);
  const named = statements.filter(({ Resource }) => Resource !== '*').flatMap(({ Resource }) => Resource);
  expect(named.filter((resource) => !JSON.stringify(resource).includes('prod'))).toEqual([]);
});
