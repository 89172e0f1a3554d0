// The weekly comparison of a stage with its templates: its scope, and the alarms for its findings.
import { expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { type SynthesizedStage, synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
const prod = synthesizeStage(app, 'prod', stages.prod);
const frankfurt = synthesizeStage(app, 'frankfurt', {
  ...stages.prod,
  region: 'eu-central-1',
  availabilityZones: ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'],
});

const ofType = (stage: SynthesizedStage, type: string) =>
  stage.resources('Monitoring').flatMap(([, { Type, Properties }]) => (Type === type ? [Properties] : []));

/** The states of the one state machine of a stage, by name. */
function statesOf(stage: SynthesizedStage): Record<string, any> {
  const [{ DefinitionString }, ...others] = ofType(stage, 'AWS::StepFunctions::StateMachine');
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
      .filter((id) => id !== 'Edge')
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
    ['WaitForIt', 'ItIs'],
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
  const watched = ofType(prod, 'AWS::CloudWatch::Alarm').flatMap(({ Metrics }) => Metrics ?? []);
  const failed = watched.filter(({ MetricStat }: any) => MetricStat?.Metric.MetricName === 'ExecutionsFailed');
  expect(failed).toHaveLength(1);
});
