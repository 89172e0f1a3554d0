// A browser for the journeys of a file: signed in at a local run, with pictures of what was seen, and axe as a judge.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromiumPath } from './chromium.ts';
import type { TestLocalRun } from './test-local-run.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = process.env['SCREENSHOTS'] ?? join(tmpdir(), 'loop-streaming-journeys');
const waitMs = 60_000;
/** Of a longer page the picture has what is in sight. */
const mostPicturePx = 6000;

export interface JourneyBrowser {
  readonly page: Page;
  /** What the browser has complained of, such as what the policy of the page blocks. */
  readonly complaints: readonly string[];
  /**
   * Takes pictures of the screen, on a desk and on a phone, in light and in dark.
   * @param part what axe judges, where the whole would take it half a minute
   * @returns what is wrong with it
   */
  readonly look: (name: string, part?: string) => Promise<string[]>;
  /** Goes to a path of the page as the local user. */
  readonly signIn: (run: TestLocalRun, path: string) => Promise<void>;
}

/** Starts before the tests of the file or `describe` in which this is called, and ends after them. */
export function journeyBrowser(): JourneyBrowser {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(waitMs);
    page.on('console', (message) => {
      // What was answered or refused is for the journeys to judge: a poster may be not made yet.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterAll(() => browser.close());

  return {
    get page() {
      return page;
    },
    complaints,
    async look(name, part = 'html') {
      const found: string[] = [];
      for (const [width, height] of [
        [1280, 900],
        [360, 740],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const fullPage = (await page.evaluate(() => document.documentElement.scrollHeight)) < mostPicturePx;
          await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage });
          // The browser's protocol runs the script, since the policy of the page lets no script in.
          await page.evaluate(axe);
          const { violations } = await page.evaluate((judged) => (globalThis as any).axe.run(judged), part);
          for (const { id, nodes } of violations)
            found.push(`${name} ${width} ${colorScheme} ${id}: ${nodes.map(({ html }: any) => html).join(' ')}`);
        }
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wider > 0) found.push(`${name} is ${wider} pixels wider than a screen of ${width}`);
      }
      // Assistive technology passes over the name of an element that has no role, and axe does not say so.
      const nameless = page.locator(':is(code, div, p, pre, span)[aria-label]:not([role])');
      for (const label of await nameless.evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel)))
        found.push(`${name} names an element without a role: ${label}`);
      await page.setViewportSize({ width: 1280, height: 900 });
      return found;
    },
    async signIn({ connection: { siteURL, user } }, path) {
      await page.goto(`${siteURL}${path}`);
      await page.getByLabel('E-mail address').fill(user.email);
      await page.getByLabel('Password').fill(user.password);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    },
  };
}
