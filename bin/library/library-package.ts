// The package.json of the library, derived from that of the repository: its `exports` name the sources.
export interface RootPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Packages that the app shares with the library: two copies would not accept each other's constructs. */
const peers = ['aws-cdk-lib', 'constructs'] as const;

/** The source of each module of the library, by the path that apps import. */
export function libraryModules({ name, exports }: RootPackage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(exports).map(([path, source]) => [name + path.slice(1), source.slice(2)]));
}

/**
 * @returns the package, and the source of each of its modules by the name of the module
 * @throws if the repository lacks a peer
 */
export function libraryPackage({ exports, dependencies, ...own }: RootPackage) {
  const modules = Object.entries(exports).map(([path, source]) => ({
    path,
    source: source.replace(/^\.\//, ''),
    name: path === '.' ? 'service-stage' : path.slice(2),
  }));
  return {
    manifest: {
      name: own.name,
      version: own.version,
      description: own.description,
      license: own.license,
      type: 'module',
      engines: own.engines,
      exports: Object.fromEntries(
        modules.map(({ path, source, name }) => [
          path,
          { types: `./types/${source.replace(/\.ts$/, '.d.ts')}`, default: `./modules/${name}.js` },
        ]),
      ),
      peerDependencies: Object.fromEntries(peers.map((name) => [name, `^${versionOf(name, dependencies)}`])),
    },
    sources: Object.fromEntries(modules.map(({ name, source }) => [name, source])),
  };
}

function versionOf(name: string, dependencies: Readonly<Record<string, string>>): string {
  const version = dependencies[name];
  if (version === undefined) throw new Error(`package.json lacks ${name}`);
  return version;
}
