// Reads the project's files of any kind and the prose in them, for the rules about their language.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const projectFolder = join(import.meta.dirname, '../..');

export interface TextFile {
  /** Relative to the project, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** A text for readers, on one line, and the line of the file where it begins, from 1. */
export interface Passage {
  readonly line: number;
  readonly text: string;
}

/** The files that match a glob, by path. */
export function readTexts(glob: string): TextFile[] {
  const paths = globSync(glob, { cwd: projectFolder, exclude: ['node_modules/**', 'cdk.out/**', '.local/**'] });
  const files = paths.map((path) => path.replaceAll('\\', '/')).sort();
  return files.map((path) => ({ path, text: readFileSync(join(projectFolder, path), 'utf8') }));
}

/** The comments of a code file, or the paragraphs of a prose file. */
export function passagesOf({ path, text }: TextFile): Passage[] {
  const passages = path.endsWith('.md') ? /(?:.+\n)+/g : commentPatterns(path);
  return [...text.matchAll(passages)].map(({ 0: found, index }) => ({
    line: text.slice(0, index).split('\n').length,
    text: found.replaceAll(/\s*\n\s*(?:\/\/|\*|#|--)?\s*/g, ' ').trim(),
  }));
}

/** Comments on consecutive lines are one. */
function commentPatterns(path: string): RegExp {
  if (path.endsWith('.sql')) return /(?:-- .*\n\s*)+/g;
  if (/\.(?:ya?ml|py|toml)$|Dockerfile$/.test(path)) return /(?:^\s*# .*\n)+/gm;
  return /(?:\/\/ .*\n\s*)+|\/\*\*?\s[^]*?\*\//g;
}
