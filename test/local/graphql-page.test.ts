// The page to try queries on is for browsers only, uses no other origin, and works in a real browser.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { getRequestListener } from '@hono/node-server';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGraphqlPage } from '../../bin/local/graphql-page/page.ts';
import { operations } from '../../lambda/operations/index.ts';
import { schemaText } from '../../lambda/surfaces/graphql/schema.ts';
import { chromiumPath } from '../support/chromium.ts';
import { graphqlOn } from '../support/graphql.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
const { handler } = graphqlOn(service);
let user: TestUser;
let server: Server;
let url: string;
beforeAll(async () => {
  user = await service.user();
  const page = createGraphqlPage(schemaText(operations));
  const answer = getRequestListener((request) => handler()(request, '192.0.2.1'));
  server = createServer((request, response) => {
    if (!page(request, response)) void answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('the page over HTTP', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test('has its files, and may use nothing of another origin', async () => {
    for (const path of ['', '/page.css', '/page.js', '/schema.graphql']) {
      const response = await fetch(url + path, { headers: html });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(await response.text()).not.toMatch(/(src|href)="(https?:)?\/\//);
    }
  });

  test('is shown to browsers only: for others its address is the API', async () => {
    expect((await fetch(url)).status).toBe(405);
    const asked = await fetch(url, {
      method: 'POST',
      headers: { ...html, 'content-type': 'application/json', 'x-api-key': user.apiKey },
      body: '{"query":"{ getMe { id } }"}',
    });
    expect(await asked.json()).toEqual({ data: { getMe: { id: user.id } } });
  });
});

describe.skipIf(!chromiumPath)('the page in Chromium (skipped where it is not installed)', () => {
  test('asks with the key, shows the answer and what is wrong, and finds types', async () => {
    const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
      page.on('pageerror', (error) => void faults.push(String(error)));
      await page.goto(url);
      await page.getByLabel('API key').fill(user.apiKey);
      await page.getByLabel('Query').press('Control+Enter');
      await page.getByText('"listStreams"').waitFor();
      expect(JSON.parse(await page.locator('#answer').innerText()).data.listStreams.nodes).toEqual([]);
      await page.getByLabel('Variables').fill('{');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('The variables are not JSON.').waitFor();
      await page.getByLabel('Find').fill('PlaylistOperationInput');
      expect(await page.locator('#schema').innerText()).toContain('input PlaylistOperationInput @oneOf {');
      expect(await page.locator('#schema').innerText()).not.toContain('type Destination');
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
