// Reads the project's source files and their import statements, for the rules about allowed imports.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const projectFolder = join(import.meta.dirname, '..', '..');

export interface SourceFile {
  /** The path relative to the project, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** The path of a file of the project, the name of a package, or node:NAME for a module of Node. */
  readonly target: string;
  /**
   * The names that remain when types are stripped: `*` stands for a whole module, `default` for its default export. An
   * import of types has none.
   */
  readonly values: readonly string[];
  /** The statement as rules report it. */
  readonly statement: string;
  /** Whether the statement also exports the names. */
  readonly reexport: boolean;
}

/** Every TypeScript and JavaScript file in the given folders of the project. */
export function readSourceFiles(folders: readonly string[]): SourceFile[] {
  const paths = folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs,js}`, { cwd: projectFolder }))
    .map((path) => path.replaceAll('\\', '/'));
  return paths.sort().map((path) => {
    const text = readFileSync(join(projectFolder, path), 'utf8');
    return { path, text, imports: importsOf(path, text) };
  });
}

export function readPackage(): {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
} {
  return JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'));
}

/** Import cycles: the paths from a file back to itself, one for each cycle that a walk along all imports closes. */
export function cyclesOf(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const back = trail.indexOf(path);
    if (back >= 0) cycles.push([...trail.slice(back), path].join(' → '));
    if (back >= 0 || finished.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) walk(target, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of files) walk(path, []);
  return cycles;
}

/** The imports of a file: statements at the start of a line, and import() with a literal. Comments do not count. */
function importsOf(path: string, text: string): Import[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const statements = code.matchAll(
    /^(?<kind>import|export)\b(?<clause>[\w\s{},*$]*?)\s*(?:\bfrom\s*)?(?<quote>['"])(?<specifier>[^'"\n]+)\k<quote>/gm,
  );
  const calls = code.matchAll(/\bimport\(\s*(?<quote>['"])(?<specifier>[^'"\n]+)\k<quote>\s*\)/g);
  return [
    ...[...statements].map(({ groups = {}, 0: statement }) => ({
      target: targetOf(path, groups['specifier']!),
      values: valuesOf(groups['clause']!.trim()),
      statement: statement.replaceAll(/\s+/g, ' '),
      reexport: groups['kind'] === 'export',
    })),
    ...[...calls].map(({ groups = {}, 0: statement }) => ({
      target: targetOf(path, groups['specifier']!),
      values: ['*'],
      statement,
      reexport: false,
    })),
  ];
}

function valuesOf(clause: string): string[] {
  if (clause === '') return ['*'];
  if (/^type\b(?!\s*,)/.test(clause)) return [];
  const [, outside = '', inside = ''] = /^([^{]*)(?:\{(.*)\})?$/s.exec(clause)!;
  const whole = outside.includes('*') ? ['*'] : outside.replaceAll(/[\s,]/g, '') === '' ? [] : ['default'];
  const named = inside
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  return [...whole, ...named.map((name) => name.split(/\s/)[0]!)];
}

function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(dirname(path), specifier);
  if (specifier.startsWith('node:')) return specifier;
  if (specifier.startsWith('#words'))
    return specifier.replace(/^#words(\/)?/, (_, part) => `lambda/web/words/en${part ? '-' : '.ts'}`);
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
