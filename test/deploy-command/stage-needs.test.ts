// A stage's requirements on an account: manually computed sums, and the templates that they follow from.
import { describe, expect, test } from 'vitest';
import { bootstrapVersion } from '../../bin/deploy/checks/bootstrap.ts';
import { linkedRoles } from '../../bin/deploy/checks/linked-roles.ts';
import { needsOf, queueConsumers, vcpusOfMachine } from '../../bin/deploy/stage-needs.ts';
import { queueCallsMax } from '../../lib/shared/function-calls.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const settings = {
  ...stages.prod,
  gpuInstanceType: 'g5.2xlarge',
  gpuMachinesMin: 3,
  gpuMachinesMax: 50,
  ffmpegAgentsMin: 3,
  manifestAgentsMin: 3,
  manifestAgentsMax: 40,
  importWorkersMin: 1,
  importWorkersMax: 10,
  apiRequestsPerSecond: 2000,
};

describe('a stage needs', () => {
  test('twice its tasks while a release is deployed', () => {
    const { gpuVcpus, fargateVcpus } = needsOf(settings);
    expect(gpuVcpus).toEqual({ toDeploy: 2 * 3 * 8, atMost: 50 * 8 });
    expect(fargateVcpus).toEqual({ toDeploy: 2 * (3 + 1), atMost: 2 * (40 + 10) });
  });

  test('a first import worker, though it keeps none', () => {
    const first = needsOf({ ...settings, manifestAgentsMin: 1, importWorkersMin: 0 });
    expect(first.fargateVcpus.toDeploy).toBe(2);
  });

  test('the machines that always run, and no more than there may be', () => {
    expect(needsOf({ ...settings, gpuMachinesMin: 9 }).gpuVcpus.toDeploy).toBe(9 * 8);
    expect(needsOf({ ...settings, gpuMachinesMax: 4 }).gpuVcpus.toDeploy).toBe(4 * 8);
  });

  test('calls for webhooks, platforms and jobs beside those of the API', () => {
    expect(needsOf(settings).concurrentCalls).toEqual({ toDeploy: 3 * 10 + 3 + 4, atMost: 3 * 10 + 3 + 200 });
    expect(needsOf({ ...settings, apiRequestsPerSecond: 1 }).concurrentCalls.atMost).toBe(37);
    expect(needsOf({ ...settings, databaseProxy: false }).concurrentCalls.toDeploy).toBe(3 * 2 + 3 + 4);
  });

  test.each([
    ['g4dn.xlarge', 4],
    ['g6.2xlarge', 8],
    ['g5.16xlarge', 64],
  ])('%s has %i vCPU', (type, vcpus) => expect(vcpusOfMachine(type)).toBe(vcpus));
});

describe('the templates', () => {
  const app = testApp();
  const stage = synthesizeStage(app, 'prod', stages.prod);
  const ofType = (wanted: string) => stage.resources().filter(([, { Type }]) => Type === wanted);

  test('use each service that a service-linked role is asked for', () => {
    const types = Object.values(linkedRoles).flat();
    expect(types.filter((type) => ofType(type).length === 0)).toEqual([]);
  });

  test('have the Fargate tasks and the calls of queues that are reckoned with', () => {
    const tasks = ofType('AWS::ECS::TaskDefinition').map(([, { Properties }]) => Properties);
    const fargate = tasks.filter(({ RequiresCompatibilities }) => RequiresCompatibilities.includes('FARGATE'));
    expect(fargate.map(({ Cpu }) => Cpu)).toEqual(['1024', '1024']);
    const scaling = ofType('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties.ScalingConfig);
    const calls = scaling.map(({ MaximumConcurrency }) => MaximumConcurrency);
    expect(calls).toEqual(Array.from({ length: queueConsumers }, () => queueCallsMax(stages.prod)));
  });

  test('ask for the version of the bootstrap that is looked for', () => {
    const versions = app.synth().stacksRecursively.map(({ requiresBootstrapStackVersion: version }) => version);
    const assemblies = app.synth().nestedAssemblies.flatMap(({ nestedAssembly }) => nestedAssembly.stacks);
    const asked = assemblies.map(({ requiresBootstrapStackVersion: version }) => version ?? 0);
    expect(Math.max(...asked, ...versions.map((version) => version ?? 0))).toBe(bootstrapVersion);
  });
});
