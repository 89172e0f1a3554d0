// The types of the library: declarations of its modules, and of the types that these use.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * @param root the folder of tsconfig.json
 * @param sources paths relative to it
 * @returns the paths of other packages that the declarations import
 * @throws with the compiler's messages
 */
export function writeDeclarations(root: string, sources: readonly string[], folder: string): string[] {
  const work = mkdtempSync(join(tmpdir(), 'declarations-'));
  try {
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: root,
        outDir: work,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      files: sources.map((source) => join(root, source)),
      include: [],
    };
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(root, 'node_modules/.bin/tsc');
    // The compiler reports errors in modules of functions, which need no declarations.
    const { stdout, error } = spawnSync(compiler, ['-p', work], { encoding: 'utf8' });
    const reached = reachedFrom(work, sources);
    const missing = [...reached].filter((path) => !existsSync(join(work, path)));
    if (missing.length > 0) throw new Error(`no declarations of ${missing.join(', ')}: ${error?.message ?? stdout}`);
    return [...reached].flatMap((path) => {
      const text = readFileSync(join(work, path), 'utf8');
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      // Other compilers know modules only by the names of the compiled files.
      writeFileSync(join(folder, path), text.replaceAll(relativeImport, '$1$2.js$3'));
      return [...text.matchAll(packageImport)].map(([, imported = '']) => imported);
    });
  } finally {
    rmSync(work, { recursive: true });
  }
}

const packageImport = /(?:from |import\()['"]([^.'"][^'"]*)['"]/g;
const relativeImport = /(from ['"]|import\(['"])(\.{1,2}\/[^'"]+)\.ts(['"])/g;

/** The compiler writes declarations of all files that it read. Unreachable ones would only publish internals. */
function reachedFrom(work: string, sources: readonly string[]): ReadonlySet<string> {
  const reached = new Set(sources.map(declarationOf));
  for (const path of reached) {
    if (!existsSync(join(work, path))) continue;
    for (const [, , target = ''] of readFileSync(join(work, path), 'utf8').matchAll(relativeImport))
      reached.add(join(dirname(path), `${target}.d.ts`));
  }
  return reached;
}

function declarationOf(source: string): string {
  return source.replace(/\.ts$/, '.d.ts');
}
