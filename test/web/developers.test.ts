// The pages for developers in a real browser at a real local run: the reference, its examples, and the GraphQL editor.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/chromium.ts';
import { journeyBrowser } from '../support/journey-browser.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const has = async (program: string) =>
  promisify(execFile)(program, ['--version']).then(
    () => true,
    () => false,
  );
const hasCurl = await has('curl');

describe.skipIf(!chromiumPath)('in Chromium (skipped where it is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  let page: Page;
  beforeAll(() => void ({ page } = browser));
  const answerShown = (name: RegExp) => page.getByLabel(name).last();

  test('the reference is read without signing in, and searched', async () => {
    await page.goto(`${run.connection.siteURL}/developers`);
    await page.getByRole('heading', { name: 'API reference' }).waitFor();
    expect(await page.getByRole('link', { name: 'List streams', exact: true }).count()).toBe(1);
    await page.getByRole('searchbox').fill('download url');
    await page.getByText(/^1 entry$/).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('link', { name: 'List streams', exact: true }).waitFor();
    expect(await browser.look('developers')).toEqual([]);
  });

  test('the plain reference fits a narrow screen, and its links are large enough to be hit', async () => {
    await page.goto(`${run.connection.siteURL}/v1/reference`);
    expect(await browser.look('reference', 'nav')).toEqual([]);
    const rule = { runOnly: ['target-size'] };
    const { violations } = await page.evaluate((options) => (globalThis as any).axe.run('nav', options), rule);
    expect(violations.flatMap(({ nodes }: any) => nodes.map(({ html }: any) => html))).toEqual([]);
  });

  test('an operation is tried as whoever is signed in, and what it refuses is shown as it is', async () => {
    await browser.signIn(run, '/account');
    await page.goto(`${run.connection.siteURL}/developers/create_stream`);
    await page.getByRole('textbox', { name: 'Body' }).fill('{ "name": "Made by trying" }');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^201 after \d+ ms/).waitFor();
    expect((await run.api('GET', '/streams')).data.map(({ name }: { name: string }) => name)).toEqual([
      'Made by trying',
    ]);
    await page.getByRole('textbox', { name: 'Body' }).fill('{ "name": 7 }');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^422 after \d+ ms/).waitFor();
    expect(await answerShown(/^422 after/).textContent()).toContain('validation_failed');
    await page.locator('.fields summary').first().click();
    await page.locator('.fields .fields').first().waitFor();
    expect(await browser.look('operation')).toEqual([]);
  });

  test('the examples do what they say, with an API key', async () => {
    await page.goto(`${run.connection.siteURL}/developers/create_destination`);
    await page
      .getByRole('textbox', { name: 'Body' })
      .fill(JSON.stringify({ name: "Ada's", rtmpURL: 'rtmp://127.0.0.1:9/a', streamKey: 'k' }));
    const options = { env: { ...process.env, API_KEY: run.connection.apiKey } };
    const script = join(run.dataFolder, 'example.mts');
    const example = await page.getByLabel('TypeScript', { exact: true }).textContent();
    await writeFile(script, `const apiKey = process.env['API_KEY']!;\n${example}\nconsole.log(answer.name);`);
    const { stdout } = await promisify(execFile)(process.execPath, [script], options);
    expect(stdout).toBe("Ada's\n");
    if (hasCurl) {
      const command = (await page.getByLabel('curl', { exact: true }).textContent())!;
      const answer = await promisify(execFile)('sh', ['-c', command], options);
      expect(JSON.parse(answer.stdout)).toMatchObject({ name: "Ada's" });
    }
    const { data } = await run.api('GET', '/destinations');
    expect(data.filter(({ name }: { name: string }) => name === "Ada's")).toHaveLength(hasCurl ? 2 : 1);
  });

  test('GraphQL leads a browser to an editor that completes by the schema, and runs what it has', async () => {
    await page.goto(`${run.connection.siteURL}/graphql`);
    expect(new URL(page.url()).pathname).toBe('/developers/graphql');
    const editor = page.getByRole('textbox', { name: 'Query' });
    await editor.waitFor();
    await page.getByRole('heading', { name: 'Schema' }).waitFor();
    await editor.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{ getMe');
    await page.getByRole('option', { name: 'getMe' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'getMe' }).waitFor({ state: 'detached' });
    expect(await editor.textContent()).toContain('getMe');
    expect(await browser.look('graphql-completed')).toEqual([]);
    await editor.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query ($first: Int) { listStreams(first: $first) { nodes { name } } }');
    await page.keyboard.press('Control+Enter');
    await page.getByText(/^200 after \d+ ms/).waitFor();
    expect(await answerShown(/^200 after/).textContent()).toContain('Made by trying');
    await page.getByRole('searchbox').fill('createStream');
    await page.getByText('createStream(', { exact: false }).first().waitFor();
    expect(await browser.look('graphql')).toEqual([]);
  });

  test('other clients are told that the address of GraphQL takes POST', async () => {
    expect((await fetch(`${run.connection.siteURL}/graphql`, { redirect: 'manual' })).status).toBe(405);
  });

  test('the browser has complained of nothing, and blocked nothing', () => {
    // Chromium would style typed text like the replaced text. The policy blocks that harmlessly.
    const ofTyping = /^Applying inline style violates/;
    expect(browser.complaints.filter((text) => !ofTyping.test(text))).toEqual([]);
  });
});
