// Builds a package for other CDK apps from lib/: modules, declarations, and the code of functions, page and image.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, build as bundleModules } from 'esbuild';
import {
  functionEntries,
  lambdaFolder,
  natMachinePath,
  writeFunction,
  writePage,
} from '../../lib/artifacts/from-sources.ts';
import { writeDeclarations } from './declarations.ts';
import { type RootPackage, libraryPackage } from './library-package.ts';
import { writePublisherImage } from './publisher-image.ts';

const root = join(import.meta.dirname, '../..');

/**
 * @param folder is replaced
 * @throws if a module or its declarations need a package that is no dependency of the library
 */
export async function buildLibrary(folder: string): Promise<void> {
  const own: RootPackage = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { manifest, sources } = libraryPackage(own);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const needed = [
    ...(await writeModules(sources, join(folder, 'modules'))),
    ...writeDeclarations(root, Object.values(sources), join(folder, 'types')),
  ];
  refuseStrangers(needed, Object.keys(manifest.peerDependencies));
  for (const entry of functionEntries()) writeFunction(entry, join(folder, 'functions', entry));
  cpSync(join(lambdaFolder, 'data/migrations'), join(folder, 'lambda/data/migrations'), { recursive: true });
  cpSync(join(root, natMachinePath), join(folder, natMachinePath));
  writePage(join(folder, 'page'));
  writePublisherImage(lambdaFolder, join(folder, 'image'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'lib/API.md'), join(folder, 'API.md'));
  writeFileSync(join(folder, 'README.md'), readmeOf(readFileSync(join(root, 'lib/README.md'), 'utf8')));
}

/** Keeps packages external, and omits unused imports of them: the library needs no modules of functions. */
const packagesOnUse: Plugin = {
  name: 'packages-on-use',
  setup: (build) =>
    build.onResolve({ filter: /^[^.#/]/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path, external: true, sideEffects: false },
    ),
};

/**
 * Writes one module for each source, and further modules with shared code.
 * @returns the paths of other packages that they import
 */
async function writeModules(sources: Readonly<Record<string, string>>, outdir: string): Promise<string[]> {
  const { metafile } = await bundleModules({
    entryPoints: Object.entries(sources).map(([out, source]) => ({ in: join(root, source), out })),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    plugins: [packagesOnUse],
    conditions: ['packed'],
    metafile: true,
    logLevel: 'warning',
  });
  return Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );
}

function refuseStrangers(needed: readonly string[], peers: readonly string[]): void {
  const strangers = needed.filter(
    (path) => !path.startsWith('node:') && !peers.some((peer) => path === peer || path.startsWith(`${peer}/`)),
  );
  if (strangers.length > 0) throw new Error(`the library would depend on ${[...new Set(strangers)].join(', ')}`);
}

/** The section of lib/README.md about the library. */
function readmeOf(text: string): string {
  const [section] = /^## In an app of your own\n[^]*?(?=^## )/m.exec(text) ?? [];
  if (section === undefined) throw new Error('lib/README.md has no section “In an app of your own”');
  return section.replace('## In an app of your own', '# Loop streaming platform');
}
