// Public links to a stream's programme: readable by other guides and calendars, and revoked at once.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { calendarOf, xmltvOf } from '../../lambda/api/guide-documents.ts';
import { actorsOn } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, claim, create, data, readyStream, register, report, upload, user } = actorsOn(service);
const run = promisify(execFile);

const startAt = new Date('2030-01-31T18:00:00.000Z');
const endAt = new Date('2030-01-31T18:03:20.500Z');
const guideOf = (title: string) => ({
  channelID: 'c0ffee',
  title,
  at: startAt,
  isOnAir: true,
  items: [{ kind: 'item' as const, title, artist: null, album: null, startAt, endAt }],
});

/** Names that contain markup, another line, or characters that the format lacks. */
const hostile = [
  '</title><script>alert(1)</script>',
  `"' & &amp; ]]> <!-- <?x?>`,
  'line\r\nBEGIN:VEVENT\r\nSUMMARY:injected',
  'comma, semicolon; backslash\\n and \\',
  'control \u0000\u0001\u001b\u007f half \ud800 pair \udc00 end',
  'ünïcödé 日本語 🎬 '.repeat(12),
  '',
];

/** The result of parsing a document with Python's expat. */
async function readXml(document: string): Promise<{ channel: string; display: string; title: string; start: string }> {
  const program =
    'import sys,json,xml.etree.ElementTree as e;t=e.fromstring(sys.stdin.buffer.read());p=t.find("programme");' +
    'print(json.dumps({"channel":t.find("channel").get("id"),"display":t.findtext("channel/display-name"),' +
    '"title":p.findtext("title"),"start":p.get("start"),"children":len(list(p))}))';
  const reading = run('python3', ['-c', program]);
  reading.child.stdin!.end(document);
  return JSON.parse((await reading).stdout);
}

/** The lines of a calendar, unfolded as in RFC 5545. */
function linesOf(calendar: string): string[] {
  const raw = calendar.split('\r\n');
  expect(raw.at(-1)).toBe('');
  expect(raw.filter((line) => Buffer.byteLength(line) > 75 || /[\n\r]/.test(line))).toEqual([]);
  return calendar.replaceAll('\r\n ', '').split('\r\n').slice(0, -1);
}

const textOf = (value: string) =>
  value.replaceAll(/\\([\\;,nN])/g, (_, escaped) => (/n/i.test(escaped) ? '\n' : escaped));

describe('a guide with any name', () => {
  it.each(hostile)('is XMLTV that others read: %j', async (name) => {
    const read = await readXml(xmltvOf(guideOf(name)));
    const shown = name
      .toWellFormed()
      .replaceAll(/[^\n\r\P{Cc}]/gu, '')
      .replaceAll('\r\n', '\n');
    expect(read).toEqual({
      channel: 'c0ffee.guide',
      display: shown,
      title: shown,
      start: '20300131180000 +0000',
      children: 1,
    });
  });

  it.each(hostile)('is a calendar with one event: %j', (name) => {
    const lines = linesOf(calendarOf(guideOf(name)));
    expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1);
    const summary = lines.filter((line) => line.startsWith('SUMMARY:')).map((line) => line.slice('SUMMARY:'.length));
    const shown = name
      .toWellFormed()
      .replaceAll('\r\n', '\n')
      .replaceAll(/[^\n\P{Cc}]/gu, ' ');
    expect(summary.map(textOf)).toEqual([shown]);
    expect(lines).toContain('DTSTART:20300131T180000Z');
    expect(lines).toContain('DTEND:20300131T180320Z');
  });
});

let streamID: string;

beforeEach(async () => {
  streamID = await readyStream({ name: 'Evening', videoUploadObjectID: null, framerate: 'f_30' });
  const playlistID = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  const uploadID = await upload({ durationSeconds: 7 });
  await call('PATCH', `/uploads/${uploadID}`, { name: 'First.mp4' });
  await call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID }] });
});

async function goLive(): Promise<void> {
  await call('POST', `/streams/${streamID}/start`);
  await register('agent');
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
}

const open = (url: string, address = '192.0.2.1') => service.handler()(new Request(url), address);
const link = async () => (await call('POST', `/streams/${streamID}/guide-link`)).body;

describe('a guide link', () => {
  it('shows anybody what plays now and next, and nothing that is private', async () => {
    await goLive();
    const { jsonURL } = await link();
    const response = await open(jsonURL);
    expect([response.status, response.headers.get('cache-control'), response.headers.get('ratelimit-limit')]).toEqual([
      200,
      'public, max-age=30',
      null,
    ]);
    const text = await response.text();
    const guide = JSON.parse(text);
    expect(guide).toMatchObject({ title: 'Evening', onAir: true, now: { title: 'First' }, next: { title: 'First' } });
    expect(guide.next.startAt).toBe(guide.now.endAt);
    expect(guide.items.length).toBe(500);
    for (const secret of [streamID, user().id, 'upl_', 'ply_', 'itm_']) expect(text).not.toContain(secret);
  });

  it('shows overlays what plays now, with its titles and its artwork, until the next item begins', async () => {
    const [row] = (await call('GET', '/uploads')).body.data;
    await call('PATCH', `/uploads/${row.id}`, { title: 'Night Drive', artist: 'The Band', album: 'Roads' });
    const image = await upload({ durationSeconds: null, videoCodec: 'png', audioCodec: null });
    const content = 'c'.repeat(64);
    await data().uploads.recordContent(image, 'image/png', 'image');
    await data().uploads.recordContentHash(image, content);
    const has = { hasThumbnail: true, hasStoryboard: false };
    await service.pool().query('update inspections set pictures = $2 where content_hash = $1', [content, has]);
    await call('PATCH', `/uploads/${row.id}`, { artworkUploadID: image });
    const { nowURL, nowTextURL } = await link();
    expect(await (await open(nowTextURL)).text()).toBe('\n');
    await goLive();
    const text = await open(nowTextURL);
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await text.text()).toBe('The Band – Night Drive\n');
    const json = await open(nowURL);
    expect(Number(/max-age=(\d+)/.exec(json.headers.get('cache-control')!)![1])).toBeLessThan(7);
    const { now, next, items, onAir } = await json.json();
    expect([onAir, items, next.title]).toEqual([true, undefined, 'Night Drive']);
    expect(now).toMatchObject({ title: 'Night Drive', artist: 'The Band', album: 'Roads' });
    expect(now.artworkURL).toContain(`${content}/thumbnail`);
  });

  it('is read as XMLTV and as a calendar', async () => {
    await goLive();
    const { xmltvURL, calendarURL } = await link();
    const xmltv = await open(xmltvURL);
    expect(xmltv.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(await readXml(await xmltv.text())).toMatchObject({ display: 'Evening', title: 'First' });
    const calendar = await open(calendarURL);
    expect(calendar.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(linesOf(await calendar.text())).toContain('SUMMARY:First');
  });

  it('reads nothing of the stream for whoever asks too often', async () => {
    await goLive();
    const { jsonURL } = await link();
    await data().requestWindows.count('address 192.0.2.2', 'read', 1_000_000);
    const query = vi.spyOn(service.pool(), 'query');
    const { status } = await open(jsonURL, '192.0.2.2');
    const statements = query.mock.calls.map(([statement]) => JSON.stringify(statement));
    query.mockRestore();
    expect(status).toBe(429);
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.filter((text) => /timeline_entries|aired_frames|past_runs/.test(text))).toEqual([]);
  });

  it('ends when it is taken back, when there is another one, and with the stream', async () => {
    const first = await link();
    const second = await link();
    const statuses = async () => [(await open(first.jsonURL)).status, (await open(second.jsonURL)).status];
    expect(await statuses()).toEqual([404, 200]);
    expect((await call('DELETE', `/streams/${streamID}/guide-link`)).status).toBe(204);
    expect(await statuses()).toEqual([404, 404]);
    const third = await link();
    await call('DELETE', `/streams/${streamID}`);
    expect((await open(third.jsonURL)).status).toBe(404);
  });

  it.each(['nothing.json', `${'A'.repeat(32)}.json`, `${'A'.repeat(32)}.html`, '..%2Fstatus.json'])(
    'is not there at /guides/%s',
    async (path) => {
      expect((await open(`${service.service().baseURL}/guides/${path}`)).status).toBe(404);
    },
  );
});
