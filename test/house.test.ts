// The rules of the house: allowed imports, places of files, their form, and their citations.
import { describe, expect, it } from 'vitest';
import { cyclesOf, readPackage, readSourceFiles } from './support/imports.ts';
import type { Import } from './support/imports.ts';
import { passagesOf, readTexts } from './support/texts.ts';
import type { TextFile } from './support/texts.ts';

const product = readSourceFiles(['bin', 'lib', 'lambda']);
const everything = [...product, ...readSourceFiles(['test'])];
/** Printed by Postgres, which decides the length of its lines. */
const generated = 'lambda/data/schema.sql';
const texts = readTexts('{bin,lib,lambda,test}/**/*.{ts,tsx,mjs,js,css,sql}').filter(({ path }) => path !== generated);
const prose = readTexts('{*.md,{bin,lib,lambda,test}/**/{*.md,*.py,*.toml,Dockerfile},.github/**/*.yml}');

/** The rooms of `domain`, `data` and `orchestration`: one name for one subject in each layer. `migrations` is SQL. */
const subjects = new Set([
  'accounts',
  'billing',
  'channels',
  'destinations',
  'fleet',
  'live',
  'media',
  'notices',
  'playout',
  'programme',
  'readiness',
  'runs',
  'schedule',
  'shared',
  'sources',
  'streams',
]);

function within(...folders: readonly string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Each import in the files at `from` that is not `allowed`, as FILE: STATEMENT. */
function strangers(from: (path: string) => boolean, allowed: (imported: Import) => boolean): string[] {
  return product
    .filter(({ path }) => from(path))
    .flatMap(({ path, imports }) =>
      imports.filter((imported) => !allowed(imported)).map(({ statement }) => `${path}: ${statement}`),
    );
}

/** Each match of the pattern, which is global, as FILE:LINE: TEXT. */
function places(files: readonly TextFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      ({ 0: found, index }) => `${path}:${text.slice(0, index).split('\n').length}: ${found.trim()}`,
    ),
  );
}

const anywhere = () => true;
const isType = ({ values }: Import) => values.length === 0;

describe('who may import whom', () => {
  it('every import names a file that is there', () => {
    const paths = new Set(everything.map(({ path }) => path));
    const isFile = within('bin', 'lib', 'lambda', 'test');
    expect(strangers(anywhere, ({ target }) => !isFile(target) || paths.has(target))).toEqual([]);
  });

  it('the product imports no tests', () => {
    const isTest = within('test', 'vitest');
    expect(strangers(anywhere, ({ target }) => !isTest(target))).toEqual([]);
  });

  it('what runs, in the cloud or by npm start, needs no development dependency', () => {
    const { dependencies, devDependencies } = readPackage();
    const isPackage = ({ target }: Import) => !within('bin', 'lib', 'lambda')(target) && !target.startsWith('node:');
    const allowed = (imported: Import) =>
      !isPackage(imported) ||
      imported.target in dependencies ||
      (isType(imported) && `@types/${imported.target}` in devDependencies);
    // These run in a checkout, as the CDK's CLI does, which is a development dependency too.
    const fromRepository = within('bin/app.ts', 'bin/deploy', 'bin/library', 'bin/stages');
    expect(strangers((path) => within('lambda', 'bin')(path) && !fromRepository(path), allowed)).toEqual([]);
  });

  it('lambda knows nothing of the CDK, of lib or of bin', () => {
    const outside = within('lib', 'bin', 'aws-cdk-lib', 'constructs', 'cdk-nag');
    expect(strangers(within('lambda'), ({ target }) => !outside(target))).toEqual([]);
  });

  it('lib takes from lambda only the catalogue, settings, costs, connections, names in AWS, and paths of pages', () => {
    const allowed = ({ target }: Import) =>
      !within('lambda', 'bin')(target) ||
      within(
        'lambda/operations',
        'lambda/ports/command-queue/queues.ts',
        'lambda/ports/aws/pool-sizes.ts',
        'lambda/settings.ts',
        'lambda/domain/shared/aws-partition.ts',
        'lambda/domain/fleet/capacity.ts',
        'lambda/domain/fleet/lease.ts',
        'lambda/domain/media/object-keys.ts',
        'lambda/domain/shared/sealed-places.ts',
        'lambda/domain/sources/source-role.ts',
        'lambda/web/languages.ts',
        'lambda/web/paths.ts',
        'lambda/web/words',
      )(target) ||
      /^lambda\/(?:[\w-]+\/)+environment\.ts$/.test(target);
    expect(strangers(within('lib'), allowed)).toEqual([]);
  });

  it('domain is pure', () => {
    const pureFunctions: Readonly<Record<string, readonly string[]>> = {
      'node:crypto': ['hash'],
      'node:net': ['BlockList', 'isIP', 'isIPv6'],
    };
    const allowed = ({ target, values }: Import) =>
      within('lambda/domain', 'rrule-temporal')(target) ||
      values.every((name) => pureFunctions[target]?.includes(name));
    expect(strangers(within('lambda/domain'), allowed)).toEqual([]);
    const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.now\b|\bcrypto\.|\bsetTimeout\b/g;
    const domain = product.filter(({ path }) => within('lambda/domain')(path));
    expect(places(domain, impure)).toEqual([]);
  });

  it('operations reach the world only through their context', () => {
    const allowed = (imported: Import) => {
      const { target } = imported;
      if (target === 'zod' || within('lambda/domain', 'lambda/orchestration', 'lambda/operations')(target)) return true;
      return within('lambda/data', 'lambda/ports', 'lambda/settings.ts')(target) && isType(imported);
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
    const allowed = within('lambda/domain', 'lambda/data', 'lambda/telemetry/spans.ts', 'pg', 'node:crypto');
    expect(strangers(within('lambda/data'), ({ target }) => allowed(target))).toEqual([]);
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
    // Other servers use these two files from its folder, which do not import the library.
    const withoutLibrary = new Set(['lambda/auth/environment.ts', 'lambda/auth/signing-keys.ts']);
    const otherServers = within(
      'lambda/api',
      'lambda/jobs',
      'lambda/migrate',
      'lambda/surfaces',
      'lambda/operations',
      'lambda/publisher',
    );
    const allowed = ({ target }: Import) => !within('lambda/auth')(target) || withoutLibrary.has(target);
    expect(strangers(otherServers, allowed)).toEqual([]);
  });

  it('the library of GraphQL stays with its surface, so that no other function has it in its bundle', () => {
    const surface = within('lambda/surfaces/graphql');
    // The editor's part runs in browsers.
    const elsewhere = (path: string) => !within('lambda/surfaces/graphql', 'lambda/web/developers')(path);
    expect(strangers(elsewhere, ({ target }) => target !== 'graphql')).toEqual([]);
    const mayUse = within(
      'lambda/surfaces/graphql',
      'lambda/api/graphql.lambda.ts',
      'lambda/api/graphql-function.ts',
      'bin/local',
    );
    const mayNot = (path: string) => !mayUse(path);
    expect(strangers(mayNot, ({ target }) => !surface(target))).toEqual([]);
  });

  it('the library of MCP stays with its surface, so that no other function has it in its bundle', () => {
    const surface = within('lambda/surfaces/mcp');
    const library = within('@modelcontextprotocol/server');
    const elsewhere = (path: string) => !surface(path);
    expect(strangers(elsewhere, ({ target }) => !library(target))).toEqual([]);
    const mayUse = within('lambda/surfaces/mcp', 'lambda/api/mcp.lambda.ts', 'lambda/api/mcp-function.ts', 'bin/local');
    const mayNot = (path: string) => !mayUse(path);
    expect(strangers(mayNot, (imported) => !surface(imported.target) || isType(imported))).toEqual([]);
  });

  it('the web page, which runs in browsers, takes only rules, words and types from here', () => {
    const words = new Set(['lambda/operations/scopes.ts', 'lambda/surfaces/openapi/described.ts']);
    const packages = within(
      'react',
      'react-dom',
      'react-aria-components',
      'lucide-react',
      'uplot',
      'hls.js',
      '@codemirror',
      '@lezer',
      'cm6-graphql',
      'graphql',
      'uqr',
    );
    const allowed = (imported: Import) =>
      within('lambda/web', 'lambda/domain')(imported.target) ||
      words.has(imported.target) ||
      packages(imported.target) ||
      isType(imported);
    expect(strangers(within('lambda/web'), allowed)).toEqual([]);
  });

  it('what runs in containers, but for their entries, knows neither surfaces nor operations', () => {
    const inContainer = within('lambda/publisher', 'lambda/live', 'lambda/imports', 'lambda/container');
    const notAllowed = within('lambda/surfaces', 'lambda/api', 'lambda/jobs', 'lambda/operations');
    const withoutEntries = (path: string) => inContainer(path) && !path.endsWith('.task.ts');
    expect(strangers(withoutEntries, ({ target }) => !notAllowed(target))).toEqual([]);
  });

  it('live sessions, but for the door that records them, know media, rules and the log', () => {
    const door = 'lambda/live/live-ingest.ts';
    const words = ['lambda/log.ts', 'lambda/required-variable.ts'];
    const allowed = within('lambda/live', 'lambda/publisher', 'lambda/domain', 'lambda/ports', ...words);
    const isNode = ({ target }: Import) => target.startsWith('node:');
    const inSessions = (path: string) => within('lambda/live')(path) && path !== door && !path.endsWith('.task.ts');
    expect(strangers(inSessions, (imported) => isNode(imported) || allowed(imported.target))).toEqual([]);
  });

  it.each([
    ['what sends webhooks and mails', 'lambda/webhooks', ['node:http', 'node:https']],
    ['what tells managed platforms', 'lambda/platforms', ['node:stream/consumers']],
  ])('%s, but for its entry, knows neither surfaces nor operations', (_, room, more) => {
    const allowed = within(
      room,
      ...more,
      'lambda/domain',
      'lambda/data',
      'lambda/orchestration',
      'lambda/ports',
      'lambda/log.ts',
      'lambda/required-variable.ts',
      'lambda/settings.ts',
      'node:crypto',
      'pg',
    );
    const withoutEntry = (path: string) => within(room)(path) && !path.endsWith('.lambda.ts');
    expect(strangers(withoutEntry, ({ target }) => allowed(target))).toEqual([]);
  });

  it('no file imports itself, through whatever others, not even for types', () => {
    expect(cyclesOf(product)).toEqual([]);
  });

  it.each(['domain', 'data', 'orchestration'])(
    '%s has rooms by subject, and no room imports itself through others',
    (floor) => {
      const room = (path: string) => new RegExp(`^lambda/${floor}/([^/]+)/`).exec(path)?.[1];
      const rooms = Map.groupBy(
        product.filter(({ path }) => room(path)),
        ({ path }) => room(path)!,
      );
      expect([...rooms.keys()].filter((name) => !subjects.has(name))).toEqual([]);
      const asFiles = [...rooms].map(([path, files]) => ({
        path,
        text: '',
        imports: files
          .flatMap(({ imports }) => imports)
          .map((imported) => ({ ...imported, target: room(imported.target) ?? imported.target }))
          .filter(({ target }) => target !== path),
      }));
      expect(cyclesOf(asFiles)).toEqual([]);
    },
  );

  it('no file but the catalogue gathers the exports of others', () => {
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
    const elsewhere = product.filter(({ path }) => !home(path));
    expect(places(elsewhere, sql)).toEqual([]);
  });

  it('hosts and ARNs of AWS are named in one place', () => {
    const naming = within('lambda/domain/shared/aws-partition.ts');
    const examples = within('lambda/operations/sources/source-schema.ts', 'lambda/domain/sources/source-url.ts');
    const files = product.filter(({ path }) => !naming(path) && !examples(path));
    expect(places(files, /.*(?:amazonaws\.com|arn:aws).*/g)).toEqual([]);
  });

  it('readers take the items of a snapshot from itemsPlayed', () => {
    const home = within('lambda/domain/playout/play-out.ts', 'lambda/data/playout/timelines.ts');
    const readers = product.filter(({ path }) => !home(path));
    expect(places(readers, /.*\bsnapshot\??\.items\b.*|.*\{ items \} = .*\bsnapshot;/g)).toEqual([]);
  });

  it('environment variables are read only where a process begins', () => {
    const entry = (path: string) => within('bin')(path) || /\.(?:lambda|task)\.ts$/.test(path);
    const withoutEntries = product.filter(({ path }) => !entry(path));
    const elsewhere = places(withoutEntries, /.*\bprocess\.env\b.*/g);
    // These are no settings of ours. A child process inherits only the search path, so it has no credentials. AWS
    // defines the variable for the endpoint, which its SDK's clients read as well. Our own SDK runs in processes of
    // users.
    const conventions = [
      /^lambda\/publisher\/ffmpeg\/media-tool\.ts:\d+: return \{ PATH: process\.env\.PATH, /,
      /^lambda\/ports\/aws\/call-aws\.ts:.*\.AWS_ENDPOINT_URL /,
      /^lambda\/surfaces\/sdk\/typescript\/loop\.ts:.*\bprocess\.env\['LOOP_API_(?:URL|KEY)'\]/,
    ];
    expect(elsewhere.filter((place) => !conventions.some((convention) => convention.test(place)))).toEqual([]);
  });
});

describe('files', () => {
  const scripts = everything.filter(({ path }) => !path.endsWith('.js'));

  it('have kebab-case names that say more than utils', () => {
    const named =
      /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|lambda|task))?\.(?:tsx?|mjs|js)$/;
    const vague = /\b(?:utils?|common|helpers?|misc)\b/;
    const misnamed = everything.filter(({ path }) => !named.test(path) || vague.test(path));
    expect(misnamed.map(({ path }) => path)).toEqual([]);
  });

  it('begin with a sentence that says what they are', () => {
    const begins = (text: string) => /^(?:#!.*\n)?\/\/ \S.*\.\r?\n/.test(text);
    const silent = scripts.filter(({ text }) => !begins(text));
    expect(silent.map(({ path, text }) => `${path}: ${text.split('\n')[0]}`)).toEqual([]);
  });

  it('have no line of more than 120 columns, unless it is one thing that cannot be cut', () => {
    const uncuttable = [
      // an import of one name
      /^import (?:type )?(?:\w+|\* as \w+|\{ (?:type )?\w+ \}) from '[^']+';$/,
      // an address
      /^(?:(?:\/\/|\*) )?[\w.:=(<[ ]*['"`]?https?:\/\/[^\s'"`]+['"`]?[)\]>,;]*$/,
      // a regular expression
      /^[\w.:=([ ]*\/(?![/*]).+\/[dgimsuvy]*[)\],;]*$/,
    ];
    const long = places(texts, /^.{121,}$/gm).filter((place) => {
      const line = place.slice(place.indexOf(': ') + 2);
      return !uncuttable.some((kind) => kind.test(line));
    });
    expect(long).toEqual([]);
  });

  it('export by name', () => {
    const files = everything.filter(({ path }) => path !== 'test/vitest-config.ts');
    expect(places(files, /^export default\b.*/gm)).toEqual([]);
  });
});

describe('words', () => {
  it('of comments and READMEs cite what readers have: this repository, or a published standard', () => {
    const citations = [
      /\b(?:operations|design|specification),? (?:part|section|§)/i,
      /(?<!\b(?:RFC \d+|Adobe RTMP [\d.]+),? )(?:\b(?:part|section|chapter)|§) ?\d/i,
    ];
    const citing = [...texts, ...prose].flatMap((file) =>
      passagesOf(file)
        .filter(({ text }) => citations.some((citation) => citation.test(text)))
        .map(({ line, text }) => `${file.path}:${line}: ${text}`),
    );
    expect(citing).toEqual([]);
  });
});
