// Names in lib/README.md's instructions for engineers: all of them exist.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readme = read('lib/README.md');
const found = (pattern: RegExp) => [...readme.matchAll(pattern)].map(([, name = '']) => name);

describe('lib/README.md', () => {
  const stage = synthesizeStage(testApp(), 'prod', stages.prod);
  const databaseResources = Object.values(stage.template('Database').Resources);

  test('names resources of the stacks it names', () => {
    const named = [...readme.matchAll(/--stack-name STAGE-(\w+) --logical-resource-id (\w+)/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, stack, id] of named) expect(stage.template(stack ?? '').Resources).toHaveProperty(id ?? '');
  });

  test('names stacks that a stage has', () => {
    const stacks = found(/npm run \w+ -- \w+\/(\w+)/g);
    expect(stacks.filter((name) => !stage.stacks.has(name))).toEqual([]);
  });

  test('names scripts that package.json has', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
    expect(found(/npm run ([\w:-]+)/g).filter((name) => !(name in scripts))).toEqual([]);
  });

  test('names files of lib', () => {
    const files = found(/`((?:\w+\/)?[\w-]+\.ts)`/g);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(() => read(join('lib', file))).not.toThrow();
  });

  // The README says to restore into the same instance for this reason: a renamed one has another id and another secret.
  test('is right that four resources refer to the database instance by its own id and secret', () => {
    const referring = databaseResources.filter(({ Properties }) =>
      /"DbiResourceId"|"MasterUserSecret\.SecretArn"/.test(JSON.stringify(Properties)),
    );
    expect(referring.map(({ Type }) => Type).sort()).toEqual([
      'AWS::IAM::ManagedPolicy',
      'AWS::IAM::Policy',
      'AWS::IAM::Policy',
      'AWS::Lambda::Function',
    ]);
  });
});
