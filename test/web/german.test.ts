// The page in German, in a real browser at a real local run: each screen is German, whole, and fits a phone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { catalogueOf } from '../support/catalogues.ts';
import type { Entry } from '../support/catalogues.ts';
import { chromiumPath } from '../support/chromium.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { until } from '../support/local-run.ts';
import { makeSyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** Words of names that the API gives: of the currency USD Coin, and of the local run's key for npm start. */
const dataWords = new Set(['Coin', 'start']);

/** The words of an entry with more than three letters. Those of a function are in the texts of its source. */
function wordsOf(entry: Entry): readonly string[] {
  const texts =
    typeof entry === 'string'
      ? [entry]
      : [...String(entry).matchAll(/'(?<plain>[^'\n]*)'|`(?<template>[^`]*)`/g)].map(({ groups = {} }) =>
          (groups['plain'] ?? groups['template'] ?? '').replaceAll(/\$\{[^}]*\}/g, ' '),
        );
  return texts.flatMap((text) => text.match(/\p{L}{4,}/gu) ?? []);
}

describe.skipIf(!chromiumPath)('a reader of German (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser('de-DE');
  const folder = mkdtempSync(join(tmpdir(), 'german-'));
  let page: Page;
  let english: ReadonlySet<string>;
  let streamID: string;
  const ids = { playlist: '', collection: '', programme: '', webhook: '' };

  beforeAll(async () => {
    ({ page } = browser);
    const allWords = async (language: 'en' | 'de') => [...(await catalogueOf(language)).values()].flatMap(wordsOf);
    english = new Set(await allWords('en')).difference(new Set(await allWords('de')));
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    const path = join(folder, 'Regen.mp4');
    const clip = { path, size: '640x360', framesPerSecond: 30, seconds: 10, sampleRate: 44_100, codecs };
    await makeSyncClip(await findMediaTools(process.env), clip);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const open = async (path: string): Promise<void> => {
    await page.goto(run.connection.siteURL + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
  };
  /** English words on the screen, in its text and in names of controls. */
  const englishWords = async (part = 'body'): Promise<readonly string[]> => {
    const texts = await page
      .locator(part)
      .evaluate((body) => [
        (body as HTMLElement).innerText,
        ...['aria-label', 'placeholder', 'title', 'alt'].flatMap((name) =>
          [...body.querySelectorAll(`[${name}]`)].map((each) => each.getAttribute(name) ?? ''),
        ),
      ]);
    // Addresses, and codes such as stream.warned, are of no language.
    const shown = texts.flatMap((text) => text.replaceAll(/\S+[._:/]\S+/g, '').match(/\p{L}{4,}/gu) ?? []);
    return [...new Set(shown)].filter((word) => english.has(word) && !dataWords.has(word));
  };

  test('finds the page to sign in in German, as the browser asks for it', async () => {
    expect(english.size).toBeGreaterThan(500);
    await open('/sign-in');
    expect(await page.title()).toBe('Anmelden · Loop streaming');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(await englishWords()).toEqual([]);
    expect(await browser.look('german-sign-in')).toEqual([]);
    for (const path of ['/sign-up', '/forgotten-password', '/new-password', '/consent', '/error']) {
      await open(path);
      expect([path, await englishWords()]).toEqual([path, []]);
      expect(await browser.look(`german${path.replace('/', '-')}`)).toEqual([]);
    }
  });

  test('signs in, and uploads a file', async () => {
    await open('/library');
    await page.getByLabel('E-Mail-Adresse').fill(run.connection.user.email);
    await page.getByLabel('Passwort').fill('falsch');
    await page.keyboard.press('Enter');
    await page.getByText('Die Adresse oder das Passwort ist falsch.').waitFor();
    await page.getByLabel('Passwort').fill(run.connection.user.password);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Bereiche' }).waitFor();
    await page.getByLabel('Dateien hinzufügen').setInputFiles(join(folder, 'Regen.mp4'));
    await page.getByText('Alle Uploads sind fertig').waitFor();
    await until(async () => (await run.api('GET', '/uploads')).data[0]?.probeState === 'completed');
    expect(await englishWords()).toEqual([]);
  });

  test('sees every screen in German, on a desktop and on a phone', async () => {
    const [{ id: uploadID }] = (await run.api('GET', '/uploads')).data;
    const wished = { name: 'Abendschau', destinationID: 'dst_local', videoUploadObjectID: uploadID };
    streamID = (await run.api('POST', '/streams', wished)).id;
    // Its page says in English what it lacks, as the API does.
    const { id: other } = await run.api('POST', '/streams', { name: 'Nachtschau' });
    const playlist = { streamID: other, kind: 'audio', mode: 'sequential' };
    ids.playlist = (await run.api('POST', '/playlists', playlist)).id;
    await run.api('PATCH', `/playlists/${ids.playlist}`, { name: 'Nachtlieder' });
    const source = { folder: 'Musik' };
    ids.collection = (await run.api('POST', '/collections', { name: 'Lieder', kind: 'video', source })).id;
    ids.programme = (await run.api('POST', '/programmes', { streamID, timeZone: 'Europe/Berlin' })).id;
    const steps = [{ id: 'teil', collectionID: ids.collection }];
    const news = { rule: 'FREQ=WEEKLY;BYDAY=MO,WE', at: '20:00', minutes: 90, starts: 'hard', ends: 'fill' };
    await run.api('PATCH', `/programmes/${ids.programme}`, {
      blocks: [
        { id: 'immer', name: 'Immer', steps },
        { id: 'abend', name: 'Abend', ...news, steps },
      ],
      inserts: [{ id: 'jingle', name: 'Jingle', collectionID: ids.collection, everyItems: 3 }],
      separation: [{ by: 'artist', items: 2, minutes: 30, strength: 'must' }],
      filler: { collectionID: ids.collection },
    });
    const webhook = { url: 'http://127.0.0.1:9/', events: ['stream.state_changed'] };
    ids.webhook = (await run.api('POST', '/webhooks', webhook)).id;
    await run.api('POST', '/alert-channels', { name: 'Ich', kind: 'email' });
    const screens = {
      home: '/',
      streams: '/streams',
      'stream-new': '/streams/new',
      stream: `/streams/${streamID}`,
      'stream-programme': `/streams/${streamID}/programme`,
      'stream-look': `/streams/${streamID}/look`,
      'stream-outputs': `/streams/${streamID}/outputs`,
      'stream-live': `/streams/${streamID}/live`,
      'stream-log': `/streams/${streamID}/log`,
      'stream-settings': `/streams/${streamID}/settings`,
      library: '/library',
      playlists: '/playlists',
      playlist: `/playlists/${ids.playlist}`,
      collections: '/collections',
      collection: `/collections/${ids.collection}`,
      sources: '/sources',
      programme: `/programmes/${ids.programme}`,
      days: `/programmes/${ids.programme}/days`,
      destinations: '/destinations',
      schedule: '/schedule',
      alerts: '/alerts',
      webhooks: '/webhooks',
      webhook: `/webhooks/${ids.webhook}`,
      billing: '/billing',
      account: '/account',
      graphql: '/developers/graphql',
      nowhere: '/streams/new/nowhere/at/all',
    };
    const found: unknown[] = [];
    for (const [name, path] of Object.entries(screens)) {
      await open(path);
      // The editor of GraphQL has an example in English, and its schema; both are of the API.
      const foreign = await englishWords(name === 'graphql' ? 'nav.places' : 'body');
      if (foreign.length > 0) found.push([name, foreign]);
      found.push(...(await browser.look(`german-${name}`)));
    }
    expect(found).toEqual([]);
  }, 900_000);

  test('reads dates and numbers as in Germany, whatever the system of the page', async () => {
    await open('/schedule');
    await page.getByRole('button', { name: 'Stream planen' }).click();
    await page.getByLabel('Beginn', { exact: true }).fill('2030-03-25T20:00');
    await page.getByLabel('Ende (leer', { exact: false }).fill('2030-03-25T22:00');
    await choose(page, 'Zeitzone', 'Europe/Berlin');
    await choose(page, 'Wiederholung', 'Jede Woche am …');
    for (const day of ['Mo', 'Mi']) await page.getByRole('dialog').getByLabel(day, { exact: true }).check();
    expect(await englishWords('[role=dialog]')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Planen', exact: true }).click();
    await page.getByText('Jede Woche: Mo und Mi, 20:00–22:00, Europe/Berlin', { exact: false }).waitFor();
  });

  test('changes to English in the account menu, at every address until it is changed back', async () => {
    const choice = async (menu: string, section: string, language: string): Promise<void> => {
      await page.locator('.foot').getByRole('button', { name: menu }).click();
      const item = page.getByRole('group', { name: section }).getByRole('menuitemradio', { name: language });
      await Promise.all([page.waitForEvent('load'), item.click()]);
    };
    await open('/billing');
    await choice('Konto', 'Sprache', 'English');
    await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await open('/library');
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    await choice('Account', 'Language', 'Deutsch');
    await page.getByRole('heading', { level: 1, name: 'Bibliothek' }).waitFor();
    await choice('Konto', 'Sprache', 'Wie im Browser');
    await page.getByRole('heading', { level: 1, name: 'Bibliothek' }).waitFor();
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('language');
    expect(browser.complaints).toEqual([]);
  });
});
