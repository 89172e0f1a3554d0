// The snapshots of templates of the release before, from git: those of the base, or the last ones that were different.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StageTemplates, Template } from '../../bin/deploy/template-changes/stage-templates.ts';

const root = join(import.meta.dirname, '../..');
const folder = 'test/stacks/templates';

export interface Release {
  /** The commit, as git shortens it. */
  readonly name: string;
  /** Templates of a stage, which is `.` for prod and else the name of its folder. */
  templates(stage: string): StageTemplates;
}

/** The committed snapshots as they are in this folder. */
export function presentTemplates(stage: string): StageTemplates {
  const files = globSync(`${folder}/${stage}/*.json`, { cwd: root });
  return templatesOf(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/**
 * @param base the commit to compare with, such as the base of a pull request; undefined: the last one in this history
 *   that has other snapshots
 * @returns null where git does not have it: without a repository, or in a clone without its history
 */
export function releaseBefore(base: string | undefined): Release | null {
  const commit = (base === undefined ? null : commitOf(base)) ?? lastDifferent();
  if (commit === null) return null;
  return {
    name: commit.slice(0, 10),
    templates: (stage) => {
      const files = git('ls-tree', '--name-only', commit, `${folder}/${stage}/`.replace('/./', '/')) ?? '';
      const names = files.split('\n').filter((file) => file.endsWith('.json'));
      return templatesOf(names.map((file) => [file, git('show', `${commit}:${file}`) ?? '']));
    },
  };
}

/** HEAD if the snapshots have changed since, else what was before the commit that changed them. */
function lastDifferent(): string | null {
  const head = commitOf('HEAD');
  if (head === null) return null;
  if (git('status', '--porcelain', '--', folder) !== '') return head;
  const changed = git('log', '-1', '--first-parent', '--format=%H', '--', folder)?.trim();
  return changed ? commitOf(`${changed}^`) : null;
}

function commitOf(name: string): string | null {
  return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)?.trim() ?? null;
}

/** @returns null if git fails, or is not installed */
function git(...args: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
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
