// Releases that roll themselves back: the guarantees of the templates for functions and agents.
import { describe, expect, test, vi } from 'vitest';
import { versionedLog } from '../../lambda/log.ts';
import type { Log } from '../../lambda/log.ts';
import { stages } from '../../lib/stages.ts';
import { matchesFilter } from '../support/filter-pattern.ts';
import { type Resource, synthesizeStage, testApp } from '../support/synth.ts';

const prod = synthesizeStage(testApp(), 'prod', stages.prod);
const ofType = (stack: string, type: string) => prod.resources(stack).filter(([, { Type }]) => Type === type);

/** The logical id that a reference within the stack names. */
const referred = (value: any): string => value?.Ref ?? value?.['Fn::GetAtt']?.[0] ?? '';
const alarmsOf = (stack: string) => new Map(ofType(stack, 'AWS::CloudWatch::Alarm'));

interface Release {
  readonly stack: string;
  readonly functionID: string;
  readonly alias: Resource & { readonly UpdatePolicy?: any };
}

const releases: readonly Release[] = ['Identity', 'Api'].flatMap((stack) =>
  ofType(stack, 'AWS::Lambda::Alias').map(([, alias]) => ({
    stack,
    functionID: referred(alias.Properties.FunctionName),
    alias,
  })),
);

describe('the functions that answer callers', () => {
  test('are the four that API Gateway calls, each by its alias only', () => {
    expect(releases.map(({ functionID }) => functionID.slice(0, -8)).sort()).toEqual([
      'Auth',
      'Graphql',
      'Mcp',
      'Rest',
    ]);
    const integrations = ofType('Api', 'AWS::ApiGateway::Method').map(([, { Properties }]) =>
      JSON.stringify(Properties.Integration.Uri),
    );
    expect(integrations.length).toBeGreaterThan(4);
    expect(integrations.filter((uri) => !/Release/.test(uri))).toEqual([]);
  });

  test.each(releases)('$functionID is released to a tenth first, and taken back by an alarm', ({ stack, alias }) => {
    const { ApplicationName, DeploymentGroupName } = alias.UpdatePolicy.CodeDeployLambdaAliasUpdate;
    expect(referred(ApplicationName)).not.toBe('');
    const [, group] = ofType(stack, 'AWS::CodeDeploy::DeploymentGroup').find(
      ([id]) => id === referred(DeploymentGroupName),
    )!;
    expect(group.Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
      AlarmConfiguration: { Enabled: true },
    });
  });

  test.each(releases)('$functionID is judged by alarms of the version that is released', ({ stack, alias }) => {
    const [, group] = ofType(stack, 'AWS::CodeDeploy::DeploymentGroup').find(
      ([id]) => id === referred(alias.UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName),
    )!;
    const version = referred(alias.Properties.FunctionVersion);
    const named: any[] = group.Properties.AlarmConfiguration.Alarms;
    const alarms = named.map(({ Name }) => alarmsOf(stack).get(referred(Name))!.Properties);
    expect(alarms.map(({ MetricName }) => MetricName)).toEqual([expect.stringMatching(/Faults$/), 'Errors']);
    for (const { Dimensions } of alarms) {
      const ofVersion = Dimensions.filter(({ Name }: { Name: string }) => Name.endsWith('Version'));
      expect(ofVersion.map(({ Value }: any) => referred(Value))).toEqual([version]);
    }
  });

  test.each(releases)('$functionID says with each fault which version has it', ({ stack, functionID }) => {
    const [, fn] = ofType(stack, 'AWS::Lambda::Function').find(([id]) => id === functionID)!;
    const own = ofType(stack, 'AWS::Logs::MetricFilter').filter(
      ([, { Properties }]) => referred(Properties.LogGroupName) === referred(fn.Properties.LoggingConfig.LogGroup),
    );
    const [, filter] = own.find(([, { Properties }]) => transformOf(Properties).MetricName.endsWith('Faults')) ?? [];
    expect(transformOf(filter!.Properties).Dimensions).toEqual([{ Key: 'Version', Value: '$.version' }]);
    const lines = linesOf((log) => {
      for (const event of ['request_failed', 'auth_failed', 'relay_failed']) log(event, { code: 'internal' });
    });
    expect(lines.map((line) => JSON.parse(line).version)).toEqual(['7', '7', '7']);
    const counted = lines.map((line) => matchesFilter(filter!.Properties.FilterPattern, line));
    expect(counted).toEqual([true, true, false]);
  });
});

/** Log lines of version 7 of a function. */
function linesOf(work: (log: Log) => void): readonly string[] {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    work(versionedLog({ AWS_LAMBDA_FUNCTION_VERSION: '7' }));
    return written.mock.calls.map(([line]) => String(line));
  } finally {
    written.mockRestore();
  }
}

function transformOf({ MetricTransformations: [transform] }: any) {
  return transform;
}

describe('the agents', () => {
  const services = ofType('Publishing', 'AWS::ECS::Service').filter(([id]) => /^Agents(?:Ffmpeg|Manifest)/.test(id));

  test('of both backends go back by circuit breaker, and by an alarm of their own', () => {
    expect(services).toHaveLength(2);
    const alarms = services.map(([, { Properties }]) => {
      const { DeploymentCircuitBreaker, Alarms } = Properties.DeploymentConfiguration;
      expect(DeploymentCircuitBreaker).toEqual({ Enable: true, Rollback: true });
      expect(Alarms).toMatchObject({ Enable: true, Rollback: true });
      expect(Alarms.AlarmNames).toHaveLength(1);
      return referred(Alarms.AlarmNames[0]);
    });
    expect(new Set(alarms).size).toBe(2);
    for (const id of alarms)
      expect(alarmsOf('Publishing').get(id)?.Properties).toMatchObject({
        EvaluationPeriods: 3,
        DatapointsToAlarm: 2,
        TreatMissingData: 'notBreaching',
      });
  });

  test('are judged by what is our fault, and not by a hand-over or by what others do', () => {
    const filters = ofType('Publishing', 'AWS::Logs::MetricFilter').map(([, { Properties }]) => Properties);
    expect(filters).toHaveLength(2);
    for (const { FilterPattern } of filters) {
      const matches = (fields: object) => matchesFilter(FilterPattern, JSON.stringify(fields));
      expect(matches({ event: 'session_ended', blame: 'ours' })).toBe(true);
      expect(matches({ event: 'agent_cut_off', how: 'cut off' })).toBe(true);
      expect(matches({ event: 'session_ended', blame: 'destination' })).toBe(false);
      expect(matches({ event: 'replica_claimed', epoch: 2 })).toBe(false);
    }
  });
});
