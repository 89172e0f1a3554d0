// The snapshots of templates of the release before, from git: those of the base, or the last ones that were different.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StageTemplates, Template } from '../../bin/deploy/template-changes/stage-templates.ts';

const here = join(import.meta.dirname, '../..');
const folder = 'test/stacks/templates';
/** Bytes of all snapshots of a stage, and more. */
const maxBuffer = 2 ** 26;

export interface Release {
  /** The commit, as git shortens it. */
  readonly name: string;
  /** Templates of a stage, which is `.` for prod and else the name of its folder. */
  templates(stage: string): StageTemplates;
}

/** The committed snapshots as they are in this folder. */
export function presentTemplates(stage: string): StageTemplates {
  const files = globSync(`${folder}/${stage}/*.json`, { cwd: here });
  return templatesOf(files.map((file) => [file, readFileSync(join(here, file), 'utf8')]));
}

/**
 * @param base the commit to compare with, such as the base of a pull request; undefined: the last one in this history
 *   that has other snapshots
 * @param root the folder of the repository
 * @returns null where git does not have it: without a repository, or in a clone without its history
 */
export function releaseBefore(base: string | undefined, root = here): Release | null {
  const commit = (base === undefined ? null : commitOf(base, root)) ?? lastDifferent(root);
  if (commit === null) return null;
  return {
    name: commit.slice(0, 10),
    templates: (stage) => {
      const files = git(root, 'ls-tree', '--name-only', commit, `${folder}/${stage}/`.replace('/./', '/')) ?? '';
      const names = files.split('\n').filter((file) => file.endsWith('.json'));
      return templatesOf(contentsOf(commit, names, root));
    },
  };
}

/** The files of a commit, read by one process. */
function contentsOf(commit: string, names: readonly string[], root: string): [path: string, text: string][] {
  const input = names.map((name) => `${commit}:${name}\n`).join('');
  const { stdout } = spawnSync('git', ['cat-file', '--batch'], { cwd: root, input, maxBuffer });
  let place = 0;
  return names.map((name) => {
    // “<hash> blob <size>”, then the bytes and a line break.
    const begin = stdout.indexOf('\n', place) + 1;
    const size = Number(stdout.toString('utf8', place, begin).trim().split(' ').at(-1));
    place = begin + size + 1;
    return [name, stdout.toString('utf8', begin, begin + size)];
  });
}

/** HEAD if the snapshots have changed since, else what was before the commit that changed them. */
function lastDifferent(root: string): string | null {
  const head = commitOf('HEAD', root);
  if (head === null) return null;
  if (git(root, 'status', '--porcelain', '--', folder) !== '') return head;
  const changed = git(root, 'log', '-1', '--first-parent', '--format=%H', '--', folder)?.trim();
  return changed ? commitOf(`${changed}^`, root) : null;
}

function commitOf(name: string, root: string): string | null {
  return git(root, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`)?.trim() ?? null;
}

/** @returns null if git fails, or is not installed */
function git(root: string, ...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer });
  return status === 0 ? stdout : null;
}

function templatesOf(files: readonly (readonly [path: string, text: string])[]): StageTemplates {
  return new Map(
    files.map(([path, text]): [string, Template] => {
      const name = basename(path, '.json');
      return [name.charAt(0).toUpperCase() + name.slice(1), JSON.parse(text)];
    }),
  );
}
