// A browser for a file's user journeys: signed in at a local run, with screenshots, and axe as a judge.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromiumPath } from './chromium.ts';
import type { TestLocalRun } from './test-local-run.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = process.env['SCREENSHOTS'] ?? join(tmpdir(), 'loop-streaming-journeys');
const waitMs = 60_000;
/** Height limit of a screenshot. A longer page is captured only as far as it is visible. */
const mostPicturePx = 6000;

/** The address of a page, and a user of it. */
interface SignInPlace {
  readonly connection: Pick<TestLocalRun['connection'], 'siteURL' | 'user'>;
}

export interface JourneyBrowser {
  readonly page: Page;
  /** Complaints of the browser, such as resources that the page's policy blocks. */
  readonly complaints: readonly string[];
  /**
   * Takes screenshots, on a desktop and on a phone, in light and in dark mode.
   * @param part the part that axe judges, if the whole page would take it half a minute
   * @returns the faults that axe found
   */
  readonly look: (name: string, part?: string) => Promise<string[]>;
  /** Opens a path of the page as the local user. */
  readonly signIn: (run: SignInPlace, path: string) => Promise<void>;
}

/** Opens the list of a field, and chooses an option of it. */
export async function choose(within: Page | Locator, label: string, option: string): Promise<void> {
  await within
    .locator('button.choice')
    .and(within.getByLabel(label, { exact: true }))
    .click();
  const page = 'goto' in within ? within : within.page();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Waits until all animations that end have ended: a dialog that still fades in has too little contrast for axe. */
async function animationsEnd(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/**
 * Starts before the tests of the calling file or `describe`, and ends after them.
 * @param locale of the browser, which it sends as its dearest language
 */
export function journeyBrowser(locale = 'en-US'): JourneyBrowser {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    page = await browser.newPage({ locale, viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(waitMs);
    page.on('console', (message) => {
      // Journeys judge HTTP answers themselves: a poster may not be ready yet.
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
          await animationsEnd(page);
          const fullPage = (await page.evaluate(() => document.documentElement.scrollHeight)) < mostPicturePx;
          await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage });
          // The browser's protocol runs the script, because the policy of the page blocks scripts.
          await page.evaluate(axe);
          const { violations } = await page.evaluate((judged) => (globalThis as any).axe.run(judged), part);
          for (const { id, nodes } of violations)
            found.push(`${name} ${width} ${colorScheme} ${id}: ${nodes.map(({ html }: any) => html).join(' ')}`);
        }
        const squeezed = page.locator('.rows li > div:not(.state)');
        for (const [columnWidth, columnHeight, text] of await squeezed.evaluateAll((all) =>
          all.map((each) => [each.clientWidth, each.clientHeight, each.textContent] as const),
        ))
          if (columnWidth < 100 && columnHeight > 2 * columnWidth)
            found.push(`${name} squeezes a text to ${columnWidth} pixels on a screen of ${width}: ${text}`);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wider > 0) found.push(`${name} is ${wider} pixels wider than a screen of ${width}`);
      }
      // Assistive technology ignores the name of an element without a role, and axe does not report that.
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
