// Commands in running tasks: every service allows them if the stage does, and no service otherwise.
import { expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { nagFindings } from '../support/nag-findings.ts';

const app = testApp();
const open = synthesizeStage(app, 'open', { ...stages.prod, ecsExec: true });
const closed = synthesizeStage(testApp(), 'closed', stages.prod);

const ofType = (stage: typeof open, type: string) =>
  stage.resources('Publishing').flatMap(([, { Type, Properties }]) => (Type === type ? [Properties] : []));
const channelRights = (stage: typeof open) =>
  ofType(stage, 'AWS::IAM::Policy').filter((policy) => JSON.stringify(policy).includes('ssmmessages:'));

test('every service of a stage with ECS Exec takes commands, and has what they need', () => {
  const services = ofType(open, 'AWS::ECS::Service');
  expect(services).toHaveLength(4);
  for (const { EnableExecuteCommand } of services) expect(EnableExecuteCommand).toBe(true);
  for (const { ContainerDefinitions } of ofType(open, 'AWS::ECS::TaskDefinition'))
    expect(ContainerDefinitions).toEqual([
      expect.objectContaining({
        ReadonlyRootFilesystem: false,
        LinuxParameters: expect.objectContaining({ InitProcessEnabled: true }),
      }),
    ]);
  expect(channelRights(open)).toHaveLength(4);
});

test('what is said in a session is kept in a log of its own, as long as other logs', () => {
  const [{ Configuration }] = ofType(open, 'AWS::ECS::Cluster');
  const { Logging, LogConfiguration } = Configuration.ExecuteCommandConfiguration;
  expect([Logging, LogConfiguration]).toEqual([
    'OVERRIDE',
    expect.objectContaining({ CloudWatchLogGroupName: { Ref: expect.stringMatching(/^AgentsExecLogs/) } }),
  ]);
});

test('cdk-nag finds nothing in it that is not accepted', () => {
  expect(nagFindings(app)).toEqual([]);
});

test('a stage without lets nobody in', () => {
  for (const { EnableExecuteCommand } of ofType(closed, 'AWS::ECS::Service'))
    expect(EnableExecuteCommand).toBeUndefined();
  for (const { ContainerDefinitions } of ofType(closed, 'AWS::ECS::TaskDefinition'))
    expect(ContainerDefinitions[0].ReadonlyRootFilesystem).toBe(true);
  expect(channelRights(closed)).toEqual([]);
});
