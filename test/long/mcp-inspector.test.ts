// MCP's own inspector, from npm, lists what is served and calls every tool; its portability check finds no error.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashApiKey } from '../../lambda/surfaces/authenticate.ts';
import { callEveryTool } from '../support/every-tool.ts';
import { testSite } from '../support/site.ts';

// 110 MB with all that it needs: not a dependency, but a throwaway folder.
const inspector = '@modelcontextprotocol/inspector@2.12.0';
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'mcp-inspector-'));
const installed = await run('npm', [
  'install',
  '--prefix',
  folder,
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  inspector,
]).then(
  () => true,
  () => false,
);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe.skipIf(!installed)(`the inspector of MCP${installed ? '' : ` (skipped: npm has no ${inspector})`}`, () => {
  const site = testSite();
  const apiKey = 'lss_inspector';
  beforeAll(async () => {
    const { accounts, billing } = databaseOn(site.pool());
    const user = await site.user();
    await accounts.ensureKey({
      id: 'key_inspector',
      userID: user.id,
      name: 'test',
      keySha256: hashApiKey(apiKey),
      keyStart: 'lss_inspec',
    });
    await billing.ensurePaidInvoice({
      id: 'inv_inspector',
      userID: user.id,
      type: 'adjustment',
      method: 'grant',
      cost: 0,
      credits: 1000,
    });
  });

  /** One run of its command line. @returns the code it ended with, and what it printed */
  async function inspect(
    era: string,
    method: string,
    ...args: string[]
  ): Promise<{ code: number; stderr: string; answer: any }> {
    const command = [
      '--cli',
      `${site.origin()}/mcp`,
      '--header',
      `X-API-Key: ${apiKey}`,
      '--protocol-era',
      era,
      '--method',
      method,
      ...args,
    ];
    const env = { PATH: process.env['PATH'], HOME: folder };
    const ended = await run(join(folder, 'node_modules/.bin/mcp-inspector'), command, { env, maxBuffer: 2 ** 24 }).then(
      (output) => ({ ...output, code: 0 }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    return {
      code: ended.code,
      stderr: ended.stderr,
      answer: ended.stdout === '' ? undefined : JSON.parse(ended.stdout),
    };
  }

  test.each(['legacy', 'modern'])('%s: lists tools, resources and prompts', async (era) => {
    const { code, stderr, answer } = await inspect(era, 'tools/list', '--strict');
    // What it warns of in outputs is for clients, which all know lists of types; inputs are for models.
    expect([code, stderr.match(/^\w+: tool .*\n {2}Path: inputSchema.*\n.*/gm) ?? []]).toEqual([0, []]);
    expect(answer.tools.length).toBeGreaterThan(30);
    expect((await inspect(era, 'resources/templates/list')).answer.resourceTemplates.length).toBeGreaterThan(4);
    expect((await inspect(era, 'prompts/list')).answer.prompts).toHaveLength(3);
    const read = await inspect(era, 'resources/read', '--uri', `${site.origin()}/v1/problems/not_found`);
    expect(JSON.parse(read.answer.contents[0].text)).toMatchObject({ code: 'not_found' });
  });

  test('calls every tool', async () => {
    const {
      answer: { tools },
    } = await inspect('modern', 'tools/list');
    const callTool = async (name: string, args: object = {}) =>
      (await inspect('modern', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))).answer;
    expect((await callEveryTool({ callTool }, site)).toSorted()).toEqual(
      tools.map(({ name }: { name: string }) => name).toSorted(),
    );
  });
});
