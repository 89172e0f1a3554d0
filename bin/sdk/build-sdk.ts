// Builds the SDKs: kept generators write one function for each operation, beside which stands the part by hand.
// Nothing that is generated is committed. The generators are no dependencies of ours: each is installed into a folder
// of its own when an SDK is built. Decision D238.
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiVersion } from '../../lambda/surfaces/service.ts';

const root = join(import.meta.dirname, '../..');
const byHand = join(root, 'lambda/surfaces/sdk');
/** The description of the API. A test compares it with the catalogue. */
export const description = join(root, 'test/surfaces/openapi.json');

const builtFile = join(byHand, 'built-from.json');

const npmTools = ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3', '@types/node@24.13.3'];
const pythonTools = ['openapi-python-client==0.29.1'];

/**
 * Builds the package for TypeScript: types, functions and the part by hand, compiled in strict mode.
 * @returns the path of the package
 * @throws the output of the generator or the compiler
 */
export async function buildTypescript(folder: string, name: string): Promise<string> {
  // npm keeps packages that are there, and so does pip.
  const tools = join(folder, 'npm-tools');
  await mkdir(tools, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', '--prefix', tools, ...options, ...npmTools]);
  const out = join(folder, 'typescript');
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, 'src'), { recursive: true });
  // The compiler finds Node's types there.
  await symlink(join(tools, 'node_modules'), join(out, 'node_modules'));
  const manifest = {
    name,
    version: apiVersion,
    description: 'Client of the loop streaming platform',
    type: 'module',
    exports: { types: './dist/index.d.ts', default: './dist/index.js' },
    files: ['dist'],
    engines: { node: '>=20' },
  };
  await writeFile(join(out, 'package.json'), JSON.stringify(manifest, null, 2));
  const config = {
    input: description,
    output: { path: join(out, 'src/api'), importFileExtension: '.js' },
    plugins: [
      '@hey-api/typescript',
      { name: '@hey-api/sdk', responseStyle: 'data' },
      { name: '@hey-api/client-fetch', throwOnError: true },
    ],
  };
  await writeFile(join(out, 'config.mjs'), `export default ${JSON.stringify(config)};\n`);
  await run(join(tools, 'node_modules/.bin/openapi-ts'), ['-f', join(out, 'config.mjs')], out);
  await cp(join(byHand, 'typescript/loop.ts'), join(out, 'src/loop.ts'));
  await cp(join(byHand, 'README.md'), join(out, 'README.md'));
  // It imports generated modules, so it is a module only there.
  await cp(join(byHand, 'typescript/index.txt'), join(out, 'src/index.ts'));
  await writeFile(join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  await run(join(tools, 'node_modules/.bin/tsc'), ['-p', '.'], out);
  const { stdout } = await run('npm', ['pack', '--silent'], out);
  return join(out, stdout.trim());
}

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  declaration: true,
  rootDir: 'src',
  outDir: 'dist',
};

/**
 * Builds the package for Python.
 * @returns the path of the wheel
 * @throws the output of the generator, also if it left an operation out
 */
export async function buildPython(folder: string, name: string): Promise<string> {
  const tools = join(folder, 'python-tools');
  const python = join(tools, 'bin/python');
  await run('python3', ['-m', 'venv', tools]);
  await run(python, ['-m', 'pip', 'install', '--quiet', ...pythonTools]);
  const out = join(folder, 'python');
  const config = {
    project_name_override: name,
    package_name_override: module,
    package_version_override: apiVersion,
    literal_enums: true,
    post_hooks: [],
  };
  await writeFile(join(folder, 'python.json'), JSON.stringify(config));
  const generate = ['generate', '--path', description, '--output-path', out, '--overwrite', '--fail-on-warning'];
  await run(python, ['-m', 'openapi_python_client', ...generate, '--config', join(folder, 'python.json')]);
  await cp(join(byHand, 'python/loop.py'), join(out, module, 'loop.py'));
  await cp(join(byHand, 'README.md'), join(out, 'README.md'));
  await rm(join(out, 'dist'), { recursive: true, force: true });
  await run(python, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', join(out, 'dist'), out]);
  return join(out, 'dist', `${name.replaceAll(/[-.]+/g, '_')}-${apiVersion}-py3-none-any.whl`);
}

/** The name of the package in Python programs, whatever its name in the registry. */
const module = 'loop_streaming';

/** The description that both SDKs were last built from, as it is committed. Decision D254. */
export interface BuiltFrom {
  readonly operations: number;
  /** SHA-256 of the description without words for people, which generators only copy. */
  readonly sha256: string;
}

export function builtFrom(description: { readonly paths: object }): BuiltFrom {
  const operations = Object.values(description.paths).flatMap((methods) => Object.keys(methods as object)).length;
  // Words are texts; a property of a schema may have the name of one, and is an object.
  const isWords = (name: string, value: unknown) => /^(?:description|summary)$/.test(name) && typeof value === 'string';
  const form = JSON.stringify(description, (name, value: unknown) =>
    isWords(name, value) || name === 'example' || name === 'examples' ? undefined : value,
  );
  return { operations, sha256: hash('sha256', form) };
}

export async function readBuilt(): Promise<BuiltFrom> {
  return JSON.parse(await readFile(builtFile, 'utf8')) as BuiltFrom;
}

/** Keeps that both SDKs were built from the description. */
export async function keepBuilt(): Promise<void> {
  const built = builtFrom(JSON.parse(await readFile(description, 'utf8')) as { readonly paths: object });
  await writeFile(builtFile, `${JSON.stringify(built, null, 2)}\n`);
}

async function run(command: string, args: readonly string[], cwd = root): Promise<{ stdout: string }> {
  try {
    return await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 24 });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error([message, stdout, stderr].join('\n'), { cause: error });
  }
}
