// The SDKs are built from the description of the API, and call each operation of a running platform.
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPython, buildTypescript } from '../../bin/sdk/build-sdk.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { operations } from '../../lambda/operations/index.ts';
import { toolName } from '../../lambda/operations/operation.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { callEveryTool } from '../support/every-tool.ts';
import { sendInterrupted, writeNoise } from '../support/interrupted-upload.ts';
import { mediaSample } from '../support/media-samples.ts';
import { hasPython } from '../support/python-environment.ts';
import { pythonCaller, typescriptCaller } from '../support/sdk-clients.ts';
import type { Platform } from '../support/sdk-clients.ts';
import { testSite } from '../support/site.ts';
import { until } from '../support/local-run.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'sdk-'));
// The tools stay between runs.
const built = join(tmpdir(), 'loop-sdks');
const isOnline = await run('npm', ['view', '@hey-api/openapi-ts@0.99.0', 'version']).then(
  () => true,
  () => false,
);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Operations that MCP does not offer: calls with unknown tokens and streams are refused, and the others answer. */
const others = {
  get_status: {},
  get_openapi: {},
  list_prices: {},
  get_stream_frame: { id: 'nothing' },
  preview_stream_look: { id: 'nothing', look: {} },
  list_requestable_items: { token: 'nothing' },
  request_item: { token: 'nothing', uploadID: 'nothing' },
};
const everyName = operations.map(toolName).toSorted();

/** A program of the README, by the language of its block. */
async function programOf(language: string): Promise<string> {
  const readme = await readFile(join(root, 'lambda/surfaces/sdk/README.md'), 'utf8');
  const [, program = ''] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(readme) ?? [];
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  return program;
}

describe.skipIf(!isOnline || !hasPython())('the SDKs (skipped without npm, python3 and venv)', () => {
  const site = testSite();
  const live = testLocalRun('--no-demo');
  /** The site, with the key of a new user. */
  async function newUser(name: string): Promise<Platform> {
    const { users, invoices } = databaseOn(site.pool());
    const { id: userID } = await site.user();
    const apiKey = `lss_${name}`;
    await users.ensureKey({ id: `key_${name}`, userID, name, keySha256: hashApiKey(apiKey), keyStart: apiKey });
    const grant = { type: 'adjustment', method: 'grant', cost: 0, credits: 1000 } as const;
    await invoices.ensurePaid({ id: `inv_${name}`, userID, ...grant });
    return { apiURL: `${site.origin()}/v1`, apiKey };
  }
  let typescript: string;
  let python: string;

  beforeAll(async () => {
    const tarball = await buildTypescript(built, 'loop-streaming');
    typescript = dirname(tarball);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', tarball]);
    const wheel = await buildPython(built, 'loop-streaming');
    await run('python3', ['-m', 'venv', join(folder, 'python')]);
    python = join(folder, 'python/bin/python');
    await run(python, ['-m', 'pip', 'install', '--quiet', wheel]);
  }, 300_000);

  const sdk = () => import(join(folder, 'node_modules/loop-streaming/dist/index.js'));

  /** Calls each operation. @returns their names */
  async function callAll(caller: ReturnType<typeof typescriptCaller>): Promise<readonly string[]> {
    const called = await callEveryTool(caller, site);
    for (const [name, args] of Object.entries(others)) {
      const { structuredContent, isError = false } = await caller.callTool(name, args);
      const code = structuredContent.problem?.code;
      expect([name, isError, code]).toEqual([
        name,
        Object.keys(args).length > 0,
        isError ? expect.any(String) : undefined,
      ]);
      expect(code).not.toBe('unknown_route');
      called.push(name);
    }
    return called.toSorted();
  }

  test('of TypeScript calls each operation', { timeout: 120_000 }, async () => {
    expect(await callAll(typescriptCaller(await sdk(), await newUser('typescript')))).toEqual(everyName);
  });

  test('of Python calls each operation, and reads each answer into its model', { timeout: 120_000 }, async () => {
    const caller = pythonCaller(python, await newUser('python'));
    expect(await callAll(caller).finally(caller.close)).toEqual(everyName);
  });

  test('of TypeScript goes through pages, and repeats a request whose answer was lost once', async () => {
    const { connect, createWebhook, listStreams, createStream, retryingFetch, rowsOf, LoopProblem } = await sdk();
    const platform = await newUser('pages');
    const client = connect(platform);
    for (const name of ['a', 'b', 'c']) await createStream({ client, body: { name } });
    const names = [];
    const page = (cursor?: string) => listStreams({ client, query: { limit: 1, sort: 'name', cursor } });
    for await (const { name } of rowsOf(page)) names.push(name);
    expect(names.filter((name) => ['a', 'b', 'c'].includes(name))).toEqual(['a', 'b', 'c']);
    const refused = createWebhook({ client, body: { url: 'nothing', events: [] } });
    await expect(refused).rejects.toBeInstanceOf(LoopProblem);
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed', status: 422, errors: expect.any(Array) });

    const real = globalThis.fetch;
    const sent: Request[] = [];
    globalThis.fetch = async (request, init) => {
      sent.push((request as Request).clone());
      const answer = await real(request, init);
      if (sent.length === 1) throw new TypeError('the line was cut');
      return answer;
    };
    try {
      const send = retryingFetch(3);
      const { apiURL, apiKey } = platform;
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const answer = await send(`${apiURL}/streams`, { method: 'POST', headers, body: '{"name":"once"}' });
      expect(answer.headers.get('idempotency-replayed')).toBe('true');
    } finally {
      globalThis.fetch = real;
    }
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  test('verify messages of webhooks, and refuse others', async () => {
    const { verifyWebhook } = await sdk();
    const secret = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const body = '{"type":"webhook.test","data":{}}';
    const hmac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`evt_1.${timestamp}.${body}`);
    const signature = `v1,${hmac.digest('base64')}`;
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,AAAA ${signature}`,
    };
    expect(verifyWebhook(secret, headers, body)).toEqual(JSON.parse(body));
    expect(() => verifyWebhook(secret, headers, `${body} `)).toThrow('No signature');
    const later = new Date(Date.now() + 600_000);
    expect(() => verifyWebhook(secret, headers, body, later)).toThrow('too old');
    const script = [
      'import json, sys',
      'from loop_streaming.loop import verify_webhook',
      'secret, headers, body = json.loads(sys.argv[1])',
      'print(verify_webhook(secret, headers, body.encode())["type"])',
      'for wrong in [(body + " ", None), (body, 4e9)]:',
      '    try: verify_webhook(secret, headers, wrong[0].encode(), wrong[1])',
      '    except ValueError as error: print(error)',
    ].join('\n');
    const { stdout } = await run(python, ['-c', script, JSON.stringify([secret, headers, body])]);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'webhook.test',
      'No signature of the message is by this secret.',
      'The message is too old.',
    ]);
  });

  const uploaders = {
    TypeScript: [
      "import { connectionOf, uploadFile } from 'loop-streaming';",
      'const [path, mimeType, apiURL, parallel] = process.argv.slice(2);',
      "const connection = connectionOf({ apiURL, apiKey: process.env['API_KEY'] });",
      'console.log(await uploadFile(connection, path, { mimeType, parallel: Number(parallel) }));',
    ],
    Python: [
      'import os, sys',
      'from loop_streaming.loop import connect, upload_file',
      'path, mime_type, api_url, parallel = sys.argv[1:]',
      'print(upload_file(connect(api_url, os.environ["API_KEY"]), path, mime_type, int(parallel)))',
    ],
  };

  test.each(['TypeScript', 'Python'] as const)(
    'of %s resumes an upload that is killed',
    { timeout: 120_000 },
    async (language) => {
      const program = join(folder, language === 'Python' ? 'upload.py' : 'upload.mjs');
      await writeFile(program, uploaders[language].join('\n'));
      const file = join(folder, `${language}.wav`);
      const sizeBytes = 100 * 1024 ** 2 + 12_345;
      await writeNoise(file, sizeBytes);
      const client = [language === 'Python' ? python : process.execPath, program];
      const options = { dropEveryMs: 1500, kills: 3, parallel: 1, client };
      const { uploadID, bytesSent, kills, drops } = await sendInterrupted(file, sizeBytes, live.connection, options);
      const { url } = await live.api('POST', `/uploads/${uploadID}/download-url`);
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(bytes.equals(await readFile(file))).toBe(true);
      // Each interruption repeats at most one part of 16 MiB; requests of the API add to that.
      expect(kills).toBe(3);
      expect(bytesSent).toBeLessThan(sizeBytes + (kills + drops) * 16 * 1024 ** 2 + 1024 ** 2);

      // An upload that was deleted meanwhile, as abandoned ones are, is made again.
      await live.api('DELETE', `/uploads/${uploadID}`);
      const { mtimeMs } = await stat(file);
      const { mtimeNs } = await stat(file, { bigint: true });
      await writeFile(`${file}.loop-upload`, `${uploadID} ${sizeBytes}-${language === 'Python' ? mtimeNs : mtimeMs}`);
      const env = { ...process.env, API_KEY: live.connection.apiKey };
      const args = [...client.slice(1), file, 'audio/wav', live.connection.apiURL, '1'];
      const { stdout } = await run(client[0]!, args, { env });
      expect(stdout.trim()).not.toBe(uploadID);
      expect(await live.api('GET', `/uploads/${stdout.trim()}`)).toMatchObject({ uploaded: true });
    },
  );

  test.each(['TypeScript', 'Python'])(
    'the program of the README in %s puts a file live',
    { timeout: 120_000 },
    async (language) => {
      // The destination takes one stream at a time.
      const { data } = await live.api('GET', '/streams');
      for (const { id } of data) await live.api('POST', `/streams/${id}/stop`);
      const isStopped = async () =>
        (await live.api('GET', '/streams')).data.every((each: any) => each.state === 'stopped');
      await until(isStopped);
      const { apiURL, apiKey } = live.connection;
      const env = { ...process.env, LOOP_API_URL: apiURL, LOOP_API_KEY: apiKey };
      const sample = await mediaSample('plain.mp4');
      const place = join(folder, language);
      await run('mkdir', ['-p', place]);
      await symlink(sample, join(place, 'my-video.mp4'));
      if (language === 'Python') {
        await writeFile(join(place, 'live.py'), await programOf('python'));
        const { stdout } = await run(python, ['live.py'], { cwd: place, env });
        expect(stdout).toMatch(/^str_\w+ is active\n$/);
        return;
      }
      await writeFile(join(place, 'live.ts'), await programOf('ts'));
      const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
      const types = ['--typeRoots', join(typescript, 'node_modules/@types')];
      await run(join(typescript, 'node_modules/.bin/tsc'), [...strict, ...types, 'live.ts'], { cwd: place });
      const { stdout } = await run(process.execPath, ['live.ts'], { cwd: place, env });
      expect(stdout).toMatch(/^str_\w+ is active\n$/);
    },
  );
});
