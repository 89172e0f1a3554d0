// A stage's requirements on an account, read from its templates: the sums by hand, and an empty account.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CheckContext } from '../../bin/deploy/check.ts';
import { bootstrapVersion } from '../../bin/deploy/checks/bootstrap.ts';
import { linkedRoles } from '../../bin/deploy/checks/linked-roles.ts';
import { fargateVcpus, gpuVcpus } from '../../bin/deploy/checks/quotas.ts';
import { readCommand } from '../../bin/deploy/command-line.ts';
import { needsOf, type QuotaNeeds, type StageNeeds, vcpusOfMachine } from '../../bin/deploy/stage-needs.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { emptyAccount } from './account-facts.ts';
import { type AwsStandIn, startAws } from './aws-stand-in.ts';

const app = testApp();
const built = Object.entries(stages).map(([name, settings]) => {
  const stage = synthesizeStage(app, name, settings);
  const templates = [...stage.stacks.keys()].map((id) => stage.template(id));
  return [name, { stage, templates, needs: needsOf(templates) }] as const;
});
const of = Object.fromEntries(built);
const { prod } = of;

/** Tasks of the agents of the prepared backend, then of import workers, each by its vCPU. */
const byHand: Readonly<Record<string, StageNeeds>> = {
  dev: {
    gpuVcpus: { toDeploy: 0, atMost: 4 * 4 },
    // The first deployment needs less: an agent, and the first import worker.
    fargateVcpus: { toDeploy: 2 * (1 * 2 + 0), atMost: 2 * (2 * 2 + 1 * 1) },
    concurrentCalls: { toDeploy: 3 * 2 + 2 + 1 + 4, atMost: 3 * 2 + 2 + 1 + 10 },
    vpcs: { toDeploy: 1, atMost: 1 },
    machineTypes: ['t4g.micro', 'g4dn.xlarge'],
    databases: [{ instanceClass: 'db.t4g.micro', majorVersion: '18', zoneCount: 1 }],
  },
  staging: {
    gpuVcpus: { toDeploy: 0, atMost: 8 * 4 },
    fargateVcpus: { toDeploy: 2 * (2 * 2 + 1 * 1), atMost: 2 * (4 * 2 + 2 * 1) },
    concurrentCalls: { toDeploy: 3 * 10 + 3 + 1 + 4, atMost: 3 * 10 + 3 + 1 + 50 },
    vpcs: { toDeploy: 1, atMost: 1 },
    machineTypes: ['g4dn.xlarge'],
    databases: [{ instanceClass: 'db.t4g.medium', majorVersion: '18', zoneCount: 2 }],
  },
  prod: {
    gpuVcpus: { toDeploy: 2 * 3 * 4, atMost: 60 * 4 },
    fargateVcpus: { toDeploy: 2 * (3 * 1 + 1 * 1), atMost: 2 * (40 * 1 + 10 * 1) },
    concurrentCalls: { toDeploy: 3 * 10 + 3 + 1 + 4, atMost: 3 * 10 + 3 + 1 + 200 },
    vpcs: { toDeploy: 1, atMost: 1 },
    machineTypes: ['g4dn.xlarge'],
    databases: [{ instanceClass: 'db.m8g.large', majorVersion: '18', zoneCount: 2 }],
  },
};

describe('a stage needs', () => {
  test.each(built)('the sums of the tasks, machines and calls of its templates: %s', (name, { needs }) => {
    expect(needs).toEqual(byHand[name]);
  });

  /** The templates of prod with other properties of the resources of a type whose id matches. */
  function changed(type: string, id: RegExp, properties: object): StageNeeds {
    const templates = prod!.templates.map(({ Resources }) => ({
      Resources: Object.fromEntries(
        Object.entries(Resources).map(([key, resource]) => [
          key,
          resource.Type === type && id.test(key)
            ? { ...resource, Properties: { ...resource.Properties, ...properties } }
            : resource,
        ]),
      ),
    }));
    return needsOf(templates);
  }

  test.each<[string, Parameters<typeof changed>, keyof QuotaNeeds, number]>([
    ['the machines that always run', ['AWS::AutoScaling::AutoScalingGroup', /./, { MinSize: '9' }], 'gpuVcpus', 9 * 4],
    [
      'no more machines than there may be',
      ['AWS::AutoScaling::AutoScalingGroup', /./, { MaxSize: '4' }],
      'gpuVcpus',
      16,
    ],
    ['a machine for a first task', ['AWS::ECS::Service', /MediaWorkers/, { DesiredCount: 5 }], 'gpuVcpus', 8 * 4],
    ['tasks of their size', ['AWS::ECS::TaskDefinition', /ManifestTask/, { Cpu: '4096' }], 'fargateVcpus', 2 * 13],
  ])('%s', (_what, change, need, toDeploy) => {
    expect(changed(...change)[need].toDeploy).toBe(toDeploy);
  });

  test.each([
    ['g4dn.xlarge', 4],
    ['g6.2xlarge', 8],
    ['g5.16xlarge', 64],
  ])('%s has %i vCPU', (type, vcpus) => expect(vcpusOfMachine(type)).toBe(vcpus));
});

describe('an empty account', () => {
  const before = { ...process.env };
  let aws: AwsStandIn;
  beforeAll(async () => {
    aws = await startAws(emptyAccount);
    process.env = { ...before, ...aws.environment };
  });
  afterAll(() => {
    aws.close();
    process.env = before;
  });

  test.each(built)(
    'has the quota of machines and of tasks that %s needs, or is told its name',
    async (name, { needs }) => {
      const command = readCommand(['deploy', name]);
      if ('text' in command) throw new Error(command.text);
      const credentials = () => Promise.resolve({ accessKeyId: 'GOOD', secretAccessKey: 'secret' });
      const config = { region: 'us-east-1', credentials, maxAttempts: 1 };
      const context: CheckContext = { command, account: '', aws: config, needs, ownStacks: () => Promise.resolve([]) };
      const [[gpu], [fargate]] = await Promise.all([gpuVcpus.run(context), fargateVcpus.run(context)]);
      const { toDeploy, atMost } = needs.gpuVcpus;
      expect(gpu).toMatchObject({
        needed: `${toDeploy || 'none'} to deploy, ${atMost} at most`,
        found: '0',
        state: name === 'prod' ? 'missing' : 'warning',
        remedy: expect.arrayContaining([expect.stringContaining(`L-DB2E81BA --desired-value ${atMost} `)]),
      });
      expect(fargate).toMatchObject({ found: '6', state: name === 'dev' ? 'warning' : 'missing' });
    },
  );
});

describe('the templates', () => {
  test('use each service that a service-linked role is asked for', () => {
    const types = new Set(prod!.stage.resources().map(([, { Type }]) => Type));
    expect(
      Object.values(linkedRoles)
        .flat()
        .filter((type) => !types.has(type)),
    ).toEqual([]);
  });

  test('ask for the version of the bootstrap that is looked for', () => {
    const versions = app.synth().stacksRecursively.map(({ requiresBootstrapStackVersion: version }) => version);
    const assemblies = app.synth().nestedAssemblies.flatMap(({ nestedAssembly }) => nestedAssembly.stacks);
    const asked = assemblies.map(({ requiresBootstrapStackVersion: version }) => version ?? 0);
    expect(Math.max(...asked, ...versions.map((version) => version ?? 0))).toBe(bootstrapVersion);
  });
});
