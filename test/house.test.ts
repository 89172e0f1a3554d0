// The rules of the house: who may import whom, where SQL and the environment are, and how files look.
import { describe, expect, it } from 'vitest';
import { cyclesOf, readPackage, readSourceFiles } from './support/imports.ts';
import type { Import, SourceFile } from './support/imports.ts';

const product = readSourceFiles(['bin', 'lib', 'lambda']);
const everything = [...product, ...readSourceFiles(['test'])];

/** Arrays of words that are columns in the database and fields on the wire, declared beside the SQL. */
const sharedWords = new Set([
  'importStates',
  'playlistKinds',
  'probeStates',
  'publishStatuses',
  'replicaStates',
  'streamBackends',
  'uploadTypes',
  'webhookDeliveryStates',
]);

function within(...folders: readonly string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Each import of the files at `from` that `allowed` does not have, as FILE: STATEMENT. */
function strangers(from: (path: string) => boolean, allowed: (imported: Import) => boolean): string[] {
  return product
    .filter(({ path }) => from(path))
    .flatMap(({ path, imports }) =>
      imports.filter((imported) => !allowed(imported)).map(({ statement }) => `${path}: ${statement}`),
    );
}

/** Each place where the pattern matches, as FILE:LINE: TEXT. */
function places(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      ({ 0: found, index }) => `${path}:${text.slice(0, index).split('\n').length}: ${found.trim()}`,
    ),
  );
}

const isType = ({ values }: Import) => values.length === 0;

describe('who may import whom', () => {
  it('every import names a file that is there', () => {
    const paths = new Set(everything.map(({ path }) => path));
    const isFile = ({ target }: Import) => within('bin', 'lib', 'lambda', 'test')(target);
    expect(
      strangers(
        () => true,
        (imported) => !isFile(imported) || paths.has(imported.target),
      ),
    ).toEqual([]);
  });

  it('no product imports tests', () => {
    expect(
      strangers(
        () => true,
        ({ target }) => !within('test', 'vitest')(target),
      ),
    ).toEqual([]);
  });

  it('what runs, in the cloud or by npm start, needs no development dependency', () => {
    const { dependencies, devDependencies } = readPackage();
    const isPackage = ({ target }: Import) => !within('bin', 'lib', 'lambda')(target) && !target.startsWith('node:');
    const allowed = (imported: Import) =>
      !isPackage(imported) ||
      imported.target in dependencies ||
      (isType(imported) && `@types/${imported.target}` in devDependencies);
    expect(strangers((path) => within('lambda', 'bin')(path) && path !== 'bin/app.ts', allowed)).toEqual([]);
  });

  it('lambda knows nothing of the CDK, of lib or of bin', () => {
    const outside = within('lib', 'bin', 'aws-cdk-lib', 'constructs', 'cdk-nag');
    expect(strangers(within('lambda'), ({ target }) => !outside(target))).toEqual([]);
  });

  it('lib takes from lambda only data: the catalogue, the names of environment variables, the queues', () => {
    const allowed = ({ target }: Import) =>
      !within('lambda', 'bin')(target) ||
      within('lambda/operations', 'lambda/ports/command-queue/queues.ts')(target) ||
      /^lambda\/(?:[\w-]+\/)+environment\.ts$/.test(target);
    expect(strangers(within('lib'), allowed)).toEqual([]);
  });

  it('domain is pure', () => {
    const addressFunctions = new Set(['BlockList', 'isIP', 'isIPv6']);
    const allowed = ({ target, values }: Import) =>
      within('lambda/domain', 'rrule-temporal')(target) ||
      (target === 'node:net' && values.every((name) => addressFunctions.has(name)));
    expect(strangers(within('lambda/domain'), allowed)).toEqual([]);
    const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.now\b|\bcrypto\.|\bsetTimeout\b/g;
    expect(
      places(
        product.filter(({ path }) => within('lambda/domain')(path)),
        impure,
      ),
    ).toEqual([]);
  });

  it('operations reach the world only through their context', () => {
    const allowed = (imported: Import) => {
      const { target, values } = imported;
      if (target === 'zod' || within('lambda/domain', 'lambda/orchestration', 'lambda/operations')(target)) return true;
      if (within('lambda/data')(target)) return values.every((name) => sharedWords.has(name));
      return within('lambda/ports')(target) && isType(imported);
    };
    expect(strangers(within('lambda/operations'), allowed)).toEqual([]);
  });

  it('orchestration knows domain and data, and no operation', () => {
    const allowed = (imported: Import) =>
      within('lambda/domain', 'lambda/data', 'lambda/orchestration')(imported.target) ||
      (imported.target === 'pg' && isType(imported));
    expect(strangers(within('lambda/orchestration'), allowed)).toEqual([]);
  });

  it('data knows domain and the driver', () => {
    expect(
      strangers(within('lambda/data'), ({ target }) =>
        within('lambda/domain', 'lambda/data', 'pg', 'node:crypto')(target),
      ),
    ).toEqual([]);
  });

  it('surfaces name no operation', () => {
    const namesOne = ({ target }: Import) =>
      target === 'lambda/operations/index.ts' || /^lambda\/operations\/[\w-]+\//.test(target);
    expect(strangers(within('lambda/surfaces'), (imported) => !namesOne(imported))).toEqual([]);
  });

  it('the library of the authorization server stays with it, and with what makes the local user', () => {
    const library = (target: string) =>
      target.startsWith('@better-auth/') || ['better-auth', 'better-call', 'kysely'].includes(target);
    const elsewhere = (path: string) => !within('lambda/auth', 'bin/local/local-account.ts')(path);
    expect(strangers(elsewhere, ({ target }) => !library(target))).toEqual([]);
    // What the others take from there brings none of it along.
    const taken = new Set(['lambda/auth/environment.ts', 'lambda/auth/signing-keys.ts']);
    const server = (path: string) =>
      within(
        'lambda/api',
        'lambda/jobs',
        'lambda/migrate',
        'lambda/surfaces',
        'lambda/operations',
        'lambda/publisher',
      )(path);
    expect(strangers(server, ({ target }) => !within('lambda/auth')(target) || taken.has(target))).toEqual([]);
  });

  it('the library of GraphQL stays with its surface: no other function brings it along', () => {
    const surface = within('lambda/surfaces/graphql');
    expect(
      strangers(
        (path) => !surface(path),
        ({ target }) => target !== 'graphql',
      ),
    ).toEqual([]);
    const mayUse = within('lambda/surfaces/graphql', 'lambda/graphql', 'bin/local');
    expect(
      strangers(
        (path) => !mayUse(path),
        ({ target }) => !surface(target),
      ),
    ).toEqual([]);
  });

  it('the library of MCP stays with its surface: no other function brings it along', () => {
    const surface = within('lambda/surfaces/mcp');
    expect(
      strangers(
        (path) => !surface(path),
        ({ target }) => !within('@modelcontextprotocol/server')(target),
      ),
    ).toEqual([]);
    const mayUse = within('lambda/mcp', 'bin/local');
    expect(
      strangers(
        (path) => !surface(path) && !mayUse(path),
        (imported) => !surface(imported.target) || isType(imported),
      ),
    ).toEqual([]);
  });

  it('the web page runs in browsers: it takes rules and words from here, and types', () => {
    const words = new Set(['lambda/operations/scopes.ts', 'react', 'react-dom']);
    const allowed = (imported: Import) =>
      within('lambda/dashboard', 'lambda/domain')(imported.target) || words.has(imported.target) || isType(imported);
    expect(strangers(within('lambda/dashboard'), allowed)).toEqual([]);
  });

  it('what runs in the container, but for the entries that put it together, knows neither surfaces nor operations', () => {
    const allowed = ({ target }: Import) =>
      !within('lambda/surfaces', 'lambda/api', 'lambda/jobs', 'lambda/operations')(target);
    expect(
      strangers((path) => within('lambda/publisher', 'lambda/imports')(path) && !path.endsWith('.task.ts'), allowed),
    ).toEqual([]);
  });

  it('what sends webhooks and mails, but for the entry that puts it together, knows neither surfaces nor operations', () => {
    const allowed = ({ target }: Import) =>
      within(
        'lambda/webhooks',
        'lambda/domain',
        'lambda/data',
        'lambda/orchestration',
        'lambda/ports',
        'lambda/log.ts',
        'node:http',
        'node:https',
        'node:crypto',
        'pg',
      )(target);
    expect(strangers((path) => within('lambda/webhooks')(path) && !path.endsWith('.lambda.ts'), allowed)).toEqual([]);
  });

  it('nothing imports itself, not even for types', () => {
    expect(cyclesOf(product)).toEqual([]);
  });

  it('nothing gathers the exports of others but the catalogue', () => {
    const barrels = everything.filter(({ path, imports }) => {
      const gathered = imports.filter(({ reexport }) => reexport);
      return /\/index\.\w+$/.test(path) || gathered.length > 1 || gathered.some(({ values }) => values.includes('*'));
    });
    expect(barrels.map(({ path }) => path)).toEqual(['lambda/operations/index.ts']);
  });
});

describe('where things are', () => {
  it('SQL is beside the tables, the queue and the timers', () => {
    const sql =
      /['"`]\s*(?:select\s|insert into\s|update \w+(?: \w+)? set\s|delete from\s|with \w+ as \(|(?:create|alter|drop) (?:table|index|role|database)\s).*/gi;
    const home = within(
      'lambda/data',
      'lambda/migrate',
      'lambda/ports/command-queue',
      'lambda/ports/timers',
      'lambda/api/health.ts',
    );
    expect(
      places(
        product.filter(({ path }) => !home(path)),
        sql,
      ),
    ).toEqual([]);
  });

  it('the environment is read where a process begins', () => {
    const entry = (path: string) => within('bin')(path) || /\.(?:lambda|task)\.ts$/.test(path);
    const elsewhere = places(
      product.filter(({ path }) => !entry(path)),
      /.*\bprocess\.env\b.*/g,
    );
    // No settings of ours: a child without credentials inherits the search path, and nothing else; SDK clients find an endpoint there too.
    const conventions = [
      /^lambda\/publisher\/ffmpeg\/child\.ts:\d+: return \{ PATH: process\.env\.PATH, /,
      /^lambda\/ports\/call-aws\.ts:.*\.AWS_ENDPOINT_URL /,
    ];
    expect(elsewhere.filter((place) => !conventions.some((convention) => convention.test(place)))).toEqual([]);
  });
});

describe('files', () => {
  const scripts = everything.filter(({ path }) => !path.endsWith('.js'));

  it('have kebab-case names that say more than utils', () => {
    const named =
      /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|lambda|task))?\.(?:tsx?|mjs|js)$/;
    expect(
      everything
        .filter(({ path }) => !named.test(path) || /\b(?:utils?|common|helpers?|misc)\b/.test(path))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it('begin with a sentence that says what they are', () => {
    const begins = (text: string) => /^(?:#!.*\n)?\/\/ \S.*\.\r?\n/.test(text);
    expect(
      scripts.filter(({ text }) => !begins(text)).map(({ path, text }) => `${path}: ${text.split('\n')[0]}`),
    ).toEqual([]);
  });

  it('of the product have at most 250 lines', () => {
    const long = product
      .map(({ path, text }) => [path, text.trimEnd().split('\n').length] as const)
      .filter(([, count]) => count > 250);
    expect(long).toEqual([]);
  });

  it('export by name', () => {
    expect(
      places(
        everything.filter(({ path }) => path !== 'test/vitest-config.ts'),
        /^export default\b.*/gm,
      ),
    ).toEqual([]);
  });
});
