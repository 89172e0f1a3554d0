// `npm run test:contract`: compares a local run with its OpenAPI document, and the document with independent rules.
// The tools are installed into a temporary folder. CONTRACT_EXAMPLES sets the number of generated requests for each
// operation, 1,000 by default.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operations } from '../../lambda/operations/index.ts';
import { buildOpenapi } from '../../lambda/surfaces/openapi/openapi.ts';
import { startLocalRun, temporaryDataFolder } from '../support/local-run.ts';
import { pythonEnvironment } from '../support/python-environment.ts';

/** Packages of npm, with the TypeScript version that openapi-typescript requires. */
const readers = [
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  'openapi-typescript@7.13.0',
  'typescript@5.9.3',
];
/** A package of PyPI. */
const schemathesis = 'schemathesis==4.32.5';

const examples = process.env['CONTRACT_EXAMPLES'] ?? '1000';
const folder = await mkdtemp(join(tmpdir(), 'contract-'));
const run = promisify(execFile);

try {
  const held = [await readByOthers(), await calledByStrangers()];
  process.exitCode = held.includes(false) ? 1 : 0;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Lets linters and a generator of types read the document. @returns whether they find no fault, and type every body */
async function readByOthers(): Promise<boolean> {
  try {
    await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...readers]);
  } catch (error) {
    return skip('redocly, spectral and openapi-typescript', error);
  }
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(buildOpenapi(operations, 'https://api.example.org/v1'), null, 2));
  await writeFile(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
  await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended]\n');
  // Both linters exit with 0 if there are only warnings, but print them.
  const redocly = await findings(
    'redocly',
    ['lint', '--format=json', file],
    (output) => (JSON.parse(output) as { totals: { errors: number; warnings: number } }).totals,
  );
  const spectral = await findings(
    'spectral',
    ['lint', '--quiet', '--fail-severity=hint', '--format=json', '--ruleset', join(folder, '.spectral.yaml'), file],
    (output) => ({ errors: (JSON.parse(output) as unknown[]).length, warnings: 0 }),
  );
  const types = join(folder, 'api.d.ts');
  await run(join(folder, 'node_modules/.bin/openapi-typescript'), [file, '-o', types], { cwd: folder });
  const untypedBody =
    /"application\/(?:problem\+)?json": (?:unknown|any|Record<string, never>|Record<string, unknown>);/g;
  const untyped = (await readFile(types, 'utf8')).match(untypedBody) ?? [];
  report(untyped.length === 0, `openapi-typescript: ${untyped.length} bodies without a type`);
  return untyped.length === 0 && redocly && spectral;
}

/** Runs a linter on the document. @returns whether it finds no fault */
async function findings(
  tool: string,
  args: readonly string[],
  count: (output: string) => { errors: number; warnings: number },
): Promise<boolean> {
  const options = {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    maxBuffer: 64 * 1024 ** 2,
  };
  const linting = run(join(folder, 'node_modules/.bin', tool), args, options);
  const { stdout } = await linting.catch((error: { stdout: string }) => error);
  const { errors, warnings } = count(stdout);
  report(errors + warnings === 0, `${tool}: ${errors} errors, ${warnings} warnings`);
  if (errors + warnings > 0) console.log(stdout);
  return errors + warnings === 0;
}

/**
 * Sends generated requests, valid and invalid ones, to a local run.
 * @returns whether the document declares every answer
 */
async function calledByStrangers(): Promise<boolean> {
  let programs: string;
  try {
    programs = await pythonEnvironment(schemathesis);
  } catch (error) {
    return skip('schemathesis', error);
  }
  const data = await temporaryDataFolder();
  const local = await startLocalRun(data.path, '--no-demo');
  try {
    const { apiURL, apiKey } = local.connection;
    const config = ['--config-file', join(import.meta.dirname, 'schemathesis.toml')];
    const args = [...config, 'run', `${apiURL}/openapi.json`, '--max-examples', examples];
    const child = spawn(join(programs, 'python'), [join(programs, 'st'), ...args], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        PYTHONDONTWRITEBYTECODE: '1',
        CONTRACT_BASE_URL: apiURL,
        CONTRACT_API_KEY: apiKey,
        CONTRACT_HOOKS: join(import.meta.dirname, 'hooks.py'),
      },
    });
    const [code]: (number | null)[] = await once(child, 'exit');
    report(code === 0, `schemathesis: ${examples} examples per operation`);
    return code === 0;
  } finally {
    await local.interrupt();
    await data.remove();
  }
}

function report(holds: boolean, what: string): void {
  console.log(`${holds ? '✓' : '✗'} ${what}`);
}

/** Reports that a tool could not be installed, which is not a failure. */
function skip(what: string, error: unknown): true {
  console.log(`skipped: ${what} could not be installed (${String(error).split('\n')[0]})`);
  return true;
}
