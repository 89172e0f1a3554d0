// A channel owner's actions in a browser at the YouTube stand-in of a local run, and the data of its page.
import { expect } from 'vitest';
import { youtubePath } from '../../bin/local/youtube/stand-in.ts';
import type { LocalRun } from './local-run.ts';
import type { Shown } from './youtube.ts';

/** @param channel the id of the chosen channel @returns the code in the redirect back to the application */
export async function consentAtYoutube(authorizeURL: string, channel: string): Promise<string> {
  const scope = new URL(authorizeURL).searchParams.get('scope')!;
  const body = new URLSearchParams({ channel, scope, outcome: 'allow' });
  const sentBack = await fetch(authorizeURL, { method: 'POST', body, redirect: 'manual' });
  const { origin, pathname, searchParams } = new URL(sentBack.headers.get('location')!);
  const page = await fetch(origin + pathname, { method: 'POST', body: searchParams });
  expect(await page.text()).toContain('is connected');
  return searchParams.get('code')!;
}

/** The broadcasts whose titles begin with a text, the oldest first. */
export async function broadcastsAtYoutube(
  { connection }: Pick<LocalRun, 'connection'>,
  title: string,
): Promise<Shown['broadcasts']> {
  const page = await fetch(`${connection.siteURL}${youtubePath}/admin.json`);
  const { broadcasts } = (await page.json()) as Shown;
  return broadcasts.filter((broadcast) => broadcast.title.startsWith(title));
}
