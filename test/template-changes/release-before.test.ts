// The commit whose templates the present ones are compared with, in repositories made for the test.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { releaseBefore } from '../support/release-before.ts';

const folder = mkdtempSync(join(tmpdir(), 'releases-'));
afterAll(() => rmSync(folder, { recursive: true }));
const repository = join(folder, 'whole');
const file = 'test/stacks/templates/api.json';

function git(root: string, ...args: readonly string[]): string {
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  return execFileSync('git', ['-C', root, ...author, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function write(path: string, resources: object): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), JSON.stringify({ Resources: resources }));
}

function commit(path: string, resources: object): string {
  write(path, resources);
  git(repository, 'add', '.');
  git(repository, 'commit', '--quiet', '--message', 'x');
  return git(repository, 'rev-parse', 'HEAD').trim();
}

test('is the last one with other templates, the named base, or none', () => {
  mkdirSync(repository);
  git(repository, 'init', '--quiet');
  const first = commit(file, { One: {} });
  expect(releaseBefore(undefined, repository)).toBeNull();
  commit(file, { Two: {} });
  const last = commit('README.md', {});
  const found = releaseBefore(undefined, repository);
  expect(found?.name).toBe(first.slice(0, 10));
  expect(found?.templates('.')).toEqual(new Map([['Api', { Resources: { One: {} } }]]));
  expect(found?.templates('dev').size).toBe(0);
  expect(releaseBefore(last, repository)?.name).toBe(last.slice(0, 10));
  expect(releaseBefore('0'.repeat(40), repository)?.name).toBe(first.slice(0, 10));
  write(file, { Three: {} });
  expect(releaseBefore(undefined, repository)?.name).toBe(last.slice(0, 10));

  const shallow = join(folder, 'shallow');
  git(folder, 'clone', '--quiet', '--depth=1', `file://${repository}`, shallow);
  expect(releaseBefore(undefined, shallow)).toBeNull();
  expect(releaseBefore(undefined, folder)).toBeNull();
});
