// `npm run deploy` over a stage that stands: its refusals, the order of the stacks, and its reports.
import { afterEach, expect, test } from 'vitest';
import { readAssembledStage, templatesAfter } from '../../bin/deploy/template-changes/assembled-stage.ts';
import type { Template } from '../../bin/deploy/template-changes/stage-templates.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { type AccountFacts, goodAccount } from './account-facts.ts';
import { type AwsStandIn, startAws } from './aws-stand-in.ts';
import { runDeploy } from './run-deploy.ts';

const timeout = 120_000;
const app = testApp();
synthesizeStage(app, 'ada', stages.dev);
const assembly = app.synth().directory;
const assembled = readAssembledStage(assembly, 'ada');
const started: AwsStandIn[] = [];

afterEach(() => started.splice(0).forEach((aws) => aws.close()));

/** An account in which the stage stands as it was synthesized, but for the changes of the function. */
function standing(change: (templates: ReadonlyMap<string, any>) => void = () => {}): AccountFacts {
  const templates = structuredClone(new Map(assembled.templates));
  change(templates);
  const stacks = [...templates].map(([id, template]) => [
    `ada-${id}`,
    { status: 'UPDATE_COMPLETE', isProtected: false, template: JSON.stringify(template) },
  ]);
  return { ...goodAccount, stacks: Object.fromEntries(stacks) };
}

async function deployOver(facts: AccountFacts, command = 'deploy', ...args: readonly string[]) {
  const aws = await startAws(facts);
  started.push(aws);
  const digest = `imageDigest=sha256:${'a'.repeat(64)}`;
  const { output, code } = await runDeploy(
    [command, 'ada', '--own', '-c', digest, '--app', assembly, ...args],
    aws.environment,
  );
  return {
    output,
    code,
    commands: [...output.matchAll(/^> cdk (\S+ \S+(?: --exclusively)?)/gm)].map(([, ran]) => ran),
  };
}

const otherUser = (templates: ReadonlyMap<string, any>) => {
  templates.get('Database').Resources.DatabaseB269D8BB.Properties.MasterUsername = 'somebody';
};

test('a deployment that would lose data is refused, before anything is deployed', { timeout }, async () => {
  const { output, code, commands } = await deployOver(standing(otherUser));
  expect(output).toContain(
    '✗  lost Database/DatabaseB269D8BB: RDS::DBInstance Database/DatabaseB269D8BB is replaced, ' +
      'because MasterUsername cannot be changed',
  );
  expect(output).toContain('With --despite-changes they are deployed all the same.');
  expect([code, commands]).toEqual([1, []]);
});

test(
  'an upgrade of Postgres beside a changed migration is refused, with the order to do it in',
  { timeout },
  async () => {
    const { output, code, commands } = await deployOver(
      standing((templates) => {
        const { DatabaseB269D8BB, Migrate } = templates.get('Database').Resources;
        DatabaseB269D8BB.Properties.EngineVersion = '17';
        Migrate.Properties.HandlerArn = { Ref: 'VersionOfTheReleaseBefore' };
      }),
    );
    expect(output).toContain(
      '✗  refused Database/DatabaseB269D8BB: Database/DatabaseB269D8BB is upgraded to Postgres 18',
    );
    expect(output).toContain('Two deployments: first this release with the version that stands, then only');
    expect([code, commands]).toEqual([1, []]);
  },
);

test('a deployment that would lose data is carried out if that is said', { timeout }, async () => {
  const { output, commands } = await deployOver(standing(otherUser), 'deploy', '--despite-changes');
  expect(output).toContain('✗  lost Database/DatabaseB269D8BB');
  expect(commands).toEqual(['deploy ada/**']);
});

test('a comparison shows the same, and refuses nothing', { timeout }, async () => {
  const { output, commands } = await deployOver(standing(otherUser), 'diff');
  expect(output).toContain('✗  lost Database/DatabaseB269D8BB');
  expect(commands).toEqual(['diff ada/**']);
});

test('stacks that import what goes are deployed first', { timeout }, async () => {
  const { output, commands } = await deployOver(
    standing((templates) => {
      templates.get('Publishing').Outputs.Gone = { Value: 'x', Export: { Name: 'ada-Publishing:Gone' } };
      templates.get('Operate').Outputs.Reads = { Value: { 'Fn::ImportValue': 'ada-Publishing:Gone' } };
    }),
  );
  expect(output).toContain('Other stacks import what goes, so these are deployed first: Operate.');
  // The stand-in deploys nothing, so the first command fails, and no other follows.
  expect(commands).toEqual(['deploy ada/Operate --exclusively']);
});

test('a stage that stands as it was synthesized has no findings', { timeout }, async () => {
  const { output, commands } = await deployOver(standing());
  expect(output).toMatch(/Comparison with ada as it stands.*\n\n> cdk deploy/);
  expect(commands).toEqual(['deploy ada/**']);
});

test('templates that AWS does not show block nothing, and are named', { timeout }, async () => {
  const { output, commands } = await deployOver({ ...standing(), forbidden: ['cloudformation:GetTemplate'] });
  expect(output).toContain('!  Templates: not compared, because AWS does not show them (AccessDenied');
  expect(commands).toEqual(['deploy ada/**']);
});

test('a stack that is deployed alone takes those with it that it waits for, and leaves the others', () => {
  const old: Template = { Resources: {} };
  const before = new Map([...assembled.templates.keys()].map((id) => [id, old]));
  const after = templatesAfter(before, assembled, 'Database');
  expect([...after].filter(([, template]) => template !== old).map(([id]) => id)).toEqual(['Network', 'Database']);
});
