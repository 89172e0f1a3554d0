// The MCP inspector from npm lists and calls the tools, and its portability check finds no error.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { callEveryTool } from '../support/every-tool.ts';
import { testSite } from '../support/site.ts';

// The inspector has 110 MB with its dependencies. It is no dependency of ours, but installed into a temporary folder.
const inspector = '@modelcontextprotocol/inspector@2.12.0';
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'mcp-inspector-'));
const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
const installing = run('npm', ['install', '--prefix', folder, ...quietly, inspector]);
const installed = await installing.then(
  () => true,
  () => false,
);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe.skipIf(!installed)(`the inspector of MCP${installed ? '' : ` (skipped: npm has no ${inspector})`}`, () => {
  const site = testSite();
  const apiKey = 'lss_inspector';
  beforeAll(async () => {
    const { users, invoices } = databaseOn(site.pool());
    const user = await site.user();
    await users.ensureKey({
      id: 'key_inspector',
      userID: user.id,
      name: 'test',
      keySha256: hashApiKey(apiKey),
      keyStart: 'lss_inspec',
    });
    await invoices.ensurePaid({
      id: 'inv_inspector',
      userID: user.id,
      type: 'adjustment',
      method: 'grant',
      cost: 0,
      credits: 1000,
    });
  });

  /** Runs the inspector once. @returns its exit code and output */
  async function inspect(
    era: string,
    toolsets: string,
    method: string,
    ...args: string[]
  ): Promise<{ code: number; stderr: string; answer: any }> {
    const server = ['--cli', `${site.origin()}/mcp?toolsets=${toolsets}`, '--header', `X-API-Key: ${apiKey}`];
    const command = [...server, '--protocol-era', era, '--method', method, ...args];
    const options = { env: { PATH: process.env['PATH'], HOME: folder }, maxBuffer: 2 ** 24 };
    const inspecting = run(join(folder, 'node_modules/.bin/mcp-inspector'), command, options);
    const { code, stderr, stdout } = await inspecting.then(
      (output) => ({ ...output, code: 0 }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    return { code, stderr, answer: stdout === '' ? undefined : JSON.parse(stdout) };
  }

  const lists = ['legacy', 'modern'].flatMap((era) => [
    [era, 'default', 25],
    [era, 'all', 100],
  ]) as [string, string, number][];

  test.each(lists)(
    'lists tools, resources and prompts by the %s protocol, of toolset %s',
    async (era, toolsets, fewest) => {
      const { code, stderr, answer } = await inspect(era, toolsets, 'tools/list', '--strict');
      // Its warnings about outputs do not count: clients read them, and all know lists of types.
      // Models read only the inputs.
      expect([code, stderr.match(/^\w+: tool .*\n {2}Path: inputSchema.*\n.*/gm) ?? []]).toEqual([0, []]);
      expect(answer.tools.length).toBeGreaterThan(fewest);
      expect(
        (await inspect(era, toolsets, 'resources/templates/list')).answer.resourceTemplates.length,
      ).toBeGreaterThan(4);
      expect((await inspect(era, toolsets, 'prompts/list')).answer.prompts).toHaveLength(5);
      const read = await inspect(era, toolsets, 'resources/read', '--uri', `${site.origin()}/v1/problems/not_found`);
      expect(JSON.parse(read.answer.contents[0].text)).toMatchObject({ code: 'not_found' });
    },
  );

  async function callTool(name: string, args: object = {}) {
    const argumentsOf = ['--tool-name', name, '--tool-args-json', JSON.stringify(args)];
    return (await inspect('modern', 'all', 'tools/call', ...argumentsOf)).answer;
  }

  test('calls tools that write, read, and refuse', async () => {
    const destination = { name: 'inspected', rtmpURL: 'rtmp://live.example.com/app', streamKey: 'key' };
    const { id } = (await callTool('create_destination', destination)).structuredContent;
    expect((await callTool('get_destination', { id })).structuredContent).toMatchObject({ name: 'inspected' });
    const refused = (await callTool('get_destination', { id: 'nothing' })).structuredContent;
    expect(refused).toMatchObject({ problem: { code: 'not_found', status: 404 } });
  });

  // Each call is a process of a second. The SDK's own clients, which the inspector contains, also call every tool.
  const everyTool = process.env['INSPECT_EVERY_TOOL'] ? test : null;
  everyTool?.('calls every tool', async () => {
    const { tools } = (await inspect('modern', 'all', 'tools/list')).answer;
    const names = tools.map(({ name }: { name: string }) => name);
    expect((await callEveryTool({ callTool }, site)).toSorted()).toEqual(names.toSorted());
  });
});
