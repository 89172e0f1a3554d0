// Attacks of one user on a local run: listings, outputs, the quota that users share, long lists, waiting changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { youtubePath } from '../../bin/local/youtube/stand-in.ts';
import { scanBounds } from '../../lambda/domain/sources/source-scan.ts';
import { startSource } from '../imports/source-server.ts';
import type { ApiClient, LocalRun } from '../support/local-run.ts';
import type { HostileAddresses } from './hostile-destination-process.ts';
import type { HostileWays } from './hostile-ways.ts';

export interface Attacker {
  readonly run: LocalRun;
  readonly api: ApiClient;
  /** An upload of the attacker that is prepared soon. */
  readonly clipID: string;
  readonly ways: HostileWays;
  /** The address of an ingest that takes all. */
  readonly rtmpURL: string;
}

/** Attacks until the signal aborts. @returns facts for people */
export type Attack = (attacker: Attacker, signal: AbortSignal) => Promise<string>;

const listingBytes = 8 * 1024 * 1024;
const watchedSources = 6;
const subfolders = ['a', 'b', 'c', 'd', 'e', 'f'];
const hostileOutputs = 20;
const refusedEveryMs = 1000;
const patchEveryMs = 100;
const listItems = 1000;
const waitingEveryMs = 100;
const renamedUploads = 500;

/** Starts the hostile destinations as a process, with as much data as one machine can send. */
export async function startHostileProcess(): Promise<{ readonly ways: HostileWays } & Disposable> {
  const hostile = fork(join(import.meta.dirname, 'hostile-destination-process.ts'));
  hostile.send({ bytesPerSecond: 1e6 });
  const [{ ways }] = (await once(hostile, 'message')) as [HostileAddresses];
  if (ways === null) throw new Error('openssl is missing');
  return { ways, [Symbol.dispose]: () => hostile.disconnect() };
}

export const attacks: Readonly<Record<string, Attack>> = { listings, outputs, quota, lists, waiting };

/** Sources whose folders all have listings of 8 MiB, some with as many marks as are parsed, scanned in a loop. */
async function listings({ api }: Attacker, signal: AbortSignal): Promise<string> {
  const listingOf = (marks: number) => {
    const tags = Array.from({ length: marks }, (_, index) => `<a${index.toString(36)}/>`).join('');
    const body = `<d:response>${tags}</d:response>`;
    const padding = ' '.repeat(Math.max(0, listingBytes - body.length));
    return `<d:multistatus xmlns:d="DAV:">${body}${padding}</d:multistatus>`;
  };
  const texts = [scanBounds.marks / 3, scanBounds.marks * 4].map(listingOf);
  const folderOf = (href: string) =>
    `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype>` +
    '</d:prop>' +
    '<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>';
  const topOf = (path: string) =>
    `<d:multistatus xmlns:d="DAV:">${subfolders.map((name) => folderOf(`${path}${name}/`)).join('')}</d:multistatus>`;
  await using server = await startSource((request, response, number) => {
    response.writeHead(207, { 'content-type': 'application/xml' });
    response.end(/[a-f]\/$/.test(request.url!) ? texts[number % texts.length] : topOf(request.url!));
  });
  const ids: string[] = [];
  for (let number = 0; number < watchedSources; number++) {
    ids.push((await api('POST', '/sources', { kind: 'webdav', url: server.url(`/top${number}/`) })).id);
  }
  let scans = 0;
  while (!signal.aborted) {
    const asked = ids.map((id) =>
      api('POST', `/sources/${id}/scan`)
        .then(() => scans++)
        .catch(() => {}),
    );
    await Promise.all([...asked, pause(refusedEveryMs, signal)]);
  }
  const states = await Promise.all(ids.map((id) => api('GET', `/sources/${id}`)));
  const reasons = states.map(({ state, reason }) => `${state} ${reason?.code ?? ''}`);
  return `${scans} scans, ${server.requests.length} answers: ${[...new Set(reasons)].join(', ')}`;
}

/** One prepared stream with hostile outputs over HLS and RTMPS, which are enabled again once they are given up. */
async function outputs({ api, clipID, ways }: Attacker, signal: AbortSignal): Promise<string> {
  const media = { videoUploadObjectID: clipID, quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
  const { id } = await api('POST', '/streams', media);
  const urls = [ways.urls.hls, ways.urls.rtmp];
  const outputIDs: string[] = [];
  for (let number = 0; number < hostileOutputs; number++) {
    const kinds = urls[number % 2]!;
    const address = kinds[Math.floor(number / 2) % kinds.length]!;
    const target = address.startsWith('https')
      ? { url: `${address}${number}/` }
      : { url: address, streamKey: `k${number}` };
    const { id: destinationID } = await api('POST', '/destinations', { name: 'hostile', ...target });
    outputIDs.push((await api('POST', `/streams/${id}/outputs`, { destinationID })).id);
  }
  while (!(await api('POST', `/streams/${id}/start`).catch(() => null)) && !signal.aborted)
    await pause(refusedEveryMs, signal);
  const seen = new Map<string, number>();
  while (!signal.aborted) {
    for (const outputID of outputIDs) {
      const { state, reason } = await api('GET', `/streams/${id}/outputs/${outputID}`);
      const what = `${state} ${reason?.code ?? ''}`.trim();
      seen.set(what, (seen.get(what) ?? 0) + 1);
      if (state !== 'ended' && reason?.code !== 'given_up') continue;
      await api('PATCH', `/streams/${id}/outputs/${outputID}`, { enabled: false }).catch(() => {});
      await api('PATCH', `/streams/${id}/outputs/${outputID}`, { enabled: true }).catch(() => {});
    }
    await pause(refusedEveryMs, signal);
  }
  await api('POST', `/streams/${id}/stop`).catch(() => {});
  return `${hostileOutputs} outputs were seen as ${JSON.stringify(Object.fromEntries(seen))}`;
}

/** A managed stream for tomorrow whose broadcast gets another title all the time. */
async function quota({ run, api, clipID }: Attacker, signal: AbortSignal): Promise<string> {
  const { streamID, settingsID } = await manage(api, clipID, 'UC-local-second');
  const scheduleStartAt = new Date(Date.now() + 24 * 3_600_000).toISOString();
  await api('POST', `/streams/${streamID}/schedule`, { scheduleStartAt });
  let changes = 0;
  while (!signal.aborted) {
    const titleTemplate = `Title ${changes} {n}`;
    await api('PATCH', `/managed-settings/${settingsID}`, { titleTemplate })
      .then(() => changes++)
      .catch(() => {});
    await pause(patchEveryMs, signal);
  }
  const page = await fetch(`${run.connection.siteURL}${youtubePath}/admin.json`);
  const { quota: units } = (await page.json()) as { quota: { used: number; daily: number } };
  return `${changes} changes of a title; YouTube counted ${units.used} of ${units.daily} units`;
}

/** A live list of 1,000 items with long titles. All are replaced and published again and again. */
async function lists({ api, clipID, rtmpURL }: Attacker, signal: AbortSignal): Promise<string> {
  const name = '長'.repeat(190);
  await api('PATCH', `/uploads/${clipID}`, { name, title: name, artist: name, album: name });
  const { id: destinationID } = await api('POST', '/destinations', { name: 'own', rtmpURL, streamKey: 'attacker' });
  const media = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest', destinationID };
  const { id } = await api('POST', '/streams', media);
  const { id: playlistID } = await api('POST', '/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  const half = Array.from({ length: listItems / 2 - 1 }, () => ({ op: 'add', uploadID: clipID }));
  const refill = async () => {
    await api('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'clear' }, ...half] });
    await api('POST', `/playlists/${playlistID}/operations`, { operations: half });
    await api('POST', `/playlists/${playlistID}/publish`);
  };
  await refill();
  while (!(await api('POST', `/streams/${id}/start`).catch(() => null)) && !signal.aborted)
    await pause(refusedEveryMs, signal);
  let published = 0;
  while (!signal.aborted)
    await refill()
      .then(() => published++)
      .catch(() => {});
  const { state } = await api('GET', `/streams/${id}`);
  await api('POST', `/streams/${id}/stop`).catch(() => {});
  return `${published} publishes of ${listItems} items; the stream is ${state}`;
}

/** Ten changes a second of the same 500 uploads, which wait for each other. */
async function waiting({ api }: Attacker, signal: AbortSignal): Promise<string> {
  const create = () => api('POST', '/uploads', { name: 'a', mimeType: 'video/mp4' });
  const ids: string[] = [];
  while (ids.length < renamedUploads)
    ids.push(...(await Promise.all(Array.from({ length: 5 }, create))).map(({ id }) => id));
  const answers = new Map<string, number>();
  const sent = new Set<Promise<void>>();
  for (let number = 0; !signal.aborted; number++) {
    const operations = ids.map((uploadID) => ({ op: 'rename', uploadID, name: `name ${number}` }));
    const change = api('POST', '/uploads/batch', { operations })
      .then(() => 'done')
      .catch((error: unknown) => String(error).slice(0, 60))
      .then((answer) => {
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        sent.delete(change);
      });
    sent.add(change);
    await pause(waitingEveryMs, signal);
  }
  await Promise.all(sent);
  return JSON.stringify(Object.fromEntries(answers));
}

/** Connects a channel, and creates a stream whose broadcasts are managed there. */
export async function manage(api: ApiClient, videoUploadObjectID: string, channel: string) {
  const { id: connectionID, authorizeURL } = await api('POST', '/connections', { platform: 'youtube' });
  const scope = new URL(authorizeURL).searchParams.get('scope')!;
  const body = new URLSearchParams({ channel, scope, outcome: 'allow' });
  const sentBack = await fetch(authorizeURL, { method: 'POST', body, redirect: 'manual' });
  const { origin, pathname, searchParams } = new URL(sentBack.headers.get('location')!);
  await fetch(origin + pathname, { method: 'POST', body: searchParams });
  const settings = { connectionID, name: channel, titleTemplate: '{n}', privacy: 'unlisted', madeForKids: false };
  const { id: settingsID } = await api('POST', '/managed-settings', settings);
  const { id: streamID } = await api('POST', '/streams', {
    name: 'Managed',
    videoUploadObjectID,
    streamDestination: 'managed',
    managedSettingsID: settingsID,
    quality: 'q_720p',
    framerate: 'f_30',
    streamBackend: 'manifest',
  });
  return { streamID, settingsID };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}
