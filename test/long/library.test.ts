// The library in a user's hands: packed, installed into a fresh CDK app, type-checked and synthesized there.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildLibrary } from '../../bin/library/build-library.ts';
import { ServiceStage } from '../../lib/service-stage.ts';
import { stages } from '../../lib/stages.ts';
import { testApp } from '../support/synth.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'library-'));
const theirs = join(folder, 'theirs');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Metadata?: { readonly theirs?: true }; readonly Properties?: any }>
  >;
}

/** The Node of this process is first in the PATH, because npm and the CDK start others through it. */
function run(command: string, args: readonly string[], cwd: string): string {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, PATH, AWS_EC2_METADATA_DISABLED: 'true', NODE_OPTIONS: '' };
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
  return stdout;
}

/** Synthesizes one of the apps, and returns its templates by file name. */
function synthesize(app: string, ...context: string[]): ReadonlyMap<string, Template> {
  const out = join(folder, `cdk.out-${app}`);
  rmSync(out, { recursive: true, force: true });
  run('npx', ['cdk', 'synth', '--quiet', '**', '--app', `npx tsx bin/${app}.ts`, '--output', out, ...context], theirs);
  const files = globSync('**/*.template.json', { cwd: out });
  return new Map(files.map((file) => [basename(file), JSON.parse(readFileSync(join(out, file), 'utf8')) as Template]));
}

/** Changes a JSON file of their app. */
function change(file: string, changes: Readonly<Record<string, unknown>>): void {
  const path = join(theirs, file);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }));
}

/** The resources of a template, without the CDK's own about the app. */
function comparable({ Resources }: Template): object {
  const { CDKMetadata: _ofApp, ...resources } = Resources;
  return resources;
}

let initFlags: Readonly<Record<string, unknown>> = {};

beforeAll(async () => {
  const library = join(folder, 'library');
  await buildLibrary(library);
  run('npm', ['pack', library], folder);
  mkdirSync(theirs);
  run(join(root, 'node_modules/.bin/cdk'), ['init', 'app', '--language', 'typescript', '--generate-only'], theirs);
  ({ context: initFlags } = JSON.parse(readFileSync(join(theirs, 'cdk.json'), 'utf8')));
  const [packed = ''] = globSync('*.tgz', { cwd: folder });
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/cdk-nag/package.json'), 'utf8'));
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
  run('npm', ['install', ...quietly, join('..', packed), `cdk-nag@${version}`], theirs);
  for (const kind of ['bin', 'lib', 'test']) rmSync(join(theirs, kind), { recursive: true });
  cpSync(join(import.meta.dirname, 'library-apps'), join(theirs, 'bin'), { recursive: true });
});

describe('the library in a fresh CDK app', () => {
  it('brings no package along, and no sources', () => {
    const installed = join(theirs, 'node_modules/loop-streaming-platform');
    expect(readdirSync(installed).sort()).toEqual(
      ['API.md', 'README.md', 'functions', 'image', 'lambda', 'lib', 'modules', 'package.json', 'page', 'types'].sort(),
    );
    const files = globSync('**/*.{ts,tsx}', { cwd: installed, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.map(({ name }) => name).filter((name) => !name.endsWith('.d.ts'))).toEqual([]);
  });

  describe.each(['commonjs', 'module'])('of the kind %s', (type) => {
    beforeAll(() => change('package.json', { type }));

    it('has declarations that their compiler takes, without leaving any out', () => {
      expect(run('npx', ['tsc', '--skipLibCheck', 'false'], theirs)).toBe('');
    });

    it('takes ten lines to a stage, which is the same with the flags of `cdk init` and without any', () => {
      const lines = readFileSync(join(theirs, 'bin/stage.ts'), 'utf8').split('\n').slice(1);
      expect(lines.filter((line) => line !== '').length).toBeLessThanOrEqual(10);
      expect(initFlags['@aws-cdk/core:defaultCrossStackReferences']).toBe('weak');
      change('cdk.json', { context: initFlags });
      const withFlags = synthesize('stage');
      change('cdk.json', { context: {} });
      const without = synthesize('stage');
      change('cdk.json', { context: initFlags });
      expect(withFlags.size).toBe(12);
      for (const [file, template] of withFlags) expect(comparable(without.get(file)!)).toEqual(comparable(template));
      expect(JSON.stringify([...withFlags.values()])).toContain('Fn::ImportValue');
    });
  });

  it('has in a stage what this repository has, passes their nag, and lets their aspect reach everything', () => {
    const templates = synthesize('checked-stage');
    const app = testApp({ bundling: true });
    const settings = { ...stages.prod, account: '123456789012', bootstrapQualifier: null };
    const own = new ServiceStage(app, 'radio', settings);
    expect([...templates.keys()].map((file) => file.replace(/[0-9A-F]{8}\.template\.json$/, '')).sort()).toEqual(
      own.node.children.map(({ node }) => `radio${node.id}`).sort(),
    );
    // The folder name of an asset is the hash of the code.
    const functionsIn = (out: string) => globSync('asset.*/index.mjs', { cwd: out }).sort();
    expect(functionsIn(join(folder, 'cdk.out-checked-stage'))).toEqual(functionsIn(app.outdir));
    const missed = [...templates].flatMap(([file, { Resources }]) =>
      Object.entries(Resources)
        .filter(([, { Type, Metadata }]) => Type !== 'AWS::CDK::Metadata' && !Metadata?.theirs)
        .map(([id]) => `${file}: ${id}`),
    );
    expect(missed).toEqual([]);
  });

  it('can be built into an image by Docker, from a Dockerfile that copies what lies beside it', () => {
    const [dockerfile = ''] = globSync('asset.*/Dockerfile', { cwd: join(folder, 'cdk.out-checked-stage') });
    const context = join(folder, 'cdk.out-checked-stage', dirname(dockerfile));
    expect(readdirSync(context).sort()).toEqual(['Dockerfile', 'agent']);
    expect(readFileSync(join(context, 'agent/rds.pem'), 'utf8')).toMatch(/^-----BEGIN CERTIFICATE-----/);
    for (const module of ['agent/index.mjs', 'agent/imports/index.mjs'])
      run(process.execPath, ['--check', module], context);
  });

  it('is held to their nag, which finds the fault in a bucket of theirs beside it', () => {
    expect(() => synthesize('checked-stage', '-c', 'flawed=true')).toThrow('AwsSolutions-S10');
  });

  it('can be a stage of CDK Pipelines, whose smoke test reads the stage’s addresses', () => {
    const resources = Object.values(synthesize('pipeline').get('Pipeline.template.json')!.Resources);
    const pipeline = resources.find(({ Type }) => Type === 'AWS::CodePipeline::Pipeline');
    const actions: any[] = pipeline!.Properties.Stages.flatMap(({ Actions }: any) => Actions);
    const smokeTest = actions.find(({ Name }) => Name === 'SmokeTest');
    const variables: { name: string; value: string }[] = JSON.parse(smokeTest.Configuration.EnvironmentVariables);
    const delivery = actions.find(({ Namespace }) => variables[0]!.value === `#{${Namespace}.SiteUrl}`);
    expect(delivery.Configuration.StackName).toBe('radio-Delivery');
    expect(variables.map(({ name, value }) => [name, value.replace(/.*\./, '')])).toEqual([
      ['SITE_URL', 'SiteUrl}'],
      ['API_BASE_URL', 'ApiBaseUrl}'],
    ]);
  });

  it('lends its resources to a stack of theirs inside a stage', () => {
    const templates = synthesize('own-stack');
    const [, { Resources }] = [...templates].find(([file]) => file.startsWith('radioOperations'))!;
    const types = new Set(Object.values(Resources).map(({ Type }) => Type));
    for (const type of ['AWS::EC2::Instance', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'])
      expect(types).toContain(type);
  });

  it('has constructs that stand alone', () => {
    const [[, { Resources }] = ['', { Resources: {} }]] = [...synthesize('constructs')];
    const types = Object.values(Resources).map(({ Type }) => Type);
    for (const type of ['AWS::ECS::Service', 'AWS::ECS::CapacityProvider', 'AWS::SQS::Queue', 'AWS::WAFv2::WebACL'])
      expect(types).toContain(type);
  });
});
