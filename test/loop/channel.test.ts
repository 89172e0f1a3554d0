// A channel as a file: plans of 30 kinds of change against the later answers of the API, and exports.
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { beforeAll, expect, it } from 'vitest';
import type { Change, Plan } from '../../bin/loop/channel/change.ts';
import { applyChanges } from '../../bin/loop/channel/commands.ts';
import { channelJSONSchema, parseChannel, readDocument } from '../../bin/loop/channel/document.ts';
import { exportedDocument } from '../../bin/loop/channel/entries.ts';
import { planChannel } from '../../bin/loop/channel/planner.ts';
import { find, readState } from '../../bin/loop/channel/platform-state.ts';
import type { PlatformState } from '../../bin/loop/channel/platform-state.ts';
import { planLines } from '../../bin/loop/channel/print-plan.ts';
import type { Client } from '../../bin/loop/client.ts';
import { failureOf } from '../../bin/loop/failure.ts';
import { createPrinter } from '../../bin/loop/terminal.ts';
import { testService, pretendProbed } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService({ streamBackendEdit: true });
let user: TestUser;
const written: string[] = [];

/** The client of `loop` on the service itself, which notes the requests that write. */
const client: Client = {
  apiURL: 'http://127.0.0.1/v1',
  async call(method, path, body) {
    if (method !== 'GET') written.push(`${method} ${path}`);
    const answer = await user.call(method, path, body);
    if (answer.status >= 400) throw failureOf({ ...answer.body, status: answer.status });
    return answer.body;
  },
  async all<Row>(path: string) {
    const { data, page } = await client.call<{ data: Row[]; page: { hasMore: boolean } }>('GET', `${path}?limit=100`);
    expect(page.hasMore).toBe(false);
    return data;
  },
  sendParts: () => Promise.reject(new Error('These files name no file beside them.')),
};

const base = `
version: 1
destinations:
  main: { url: 'rtmps://live.example.org/app', streamKey: { env: KEY } }
  second: { url: 'rtmps://two.example.org/app', streamKey: { env: KEY } }
collections:
  songs: { kind: audio, source: { folder: Music, recursive: true }, order: shuffle }
  films: { kind: video, source: { allTags: [film] } }
alerts:
  ops: { kind: slack, target: { env: HOOK }, afterSeconds: 60 }
streams:
  Night:
    destination: main
    quality: q_720p
    framerate: f_30
    look: { overlays: { logo: { upload: logo.png } } }
    playlists:
      video: { mode: sequential, items: [a.mp4, b.mp4, c.mp4] }
    outputs: [{ destination: second, name: copy }]
  Radio:
    videoUpload: a.mp4
    programmes:
      audio:
        timeZone: Europe/Berlin
        blocks: [{ id: all, name: All day, steps: [{ id: one, collection: songs }] }]
`;

const environment = { KEY: 'a-stream-key', HOOK: 'https://hooks.slack.com/services/T1/B1/secret' };
const now = () => new Date();
let ids = 0;
const options = { files: new Map(), prune: false, renewSecrets: false, newID: () => `itm_${++ids}` };

async function plan(text: string, more: Partial<typeof options> = {}): Promise<{ plan: Plan; state: PlatformState }> {
  const state = await readState(client);
  const document = parseChannel(text, 'channel.yaml');
  return { state, plan: await planChannel(document, state, { ...options, ...more, now: now() }) };
}
const apply = async ({ changes }: Plan) =>
  applyChanges({ client, environment, printer: createPrinter(true), timeoutSeconds: 1 }, changes, '');

beforeAll(async () => {
  user = await service.user();
  for (const [name, mimeType] of [
    ['a.mp4', 'video/mp4'],
    ['b.mp4', 'video/mp4'],
    ['c.mp4', 'video/mp4'],
    ['song.mp3', 'audio/mpeg'],
    ['logo.png', 'image/png'],
  ] as const) {
    const { body } = await user.call('POST', '/uploads', {
      name,
      mimeType,
      ...(mimeType === 'audio/mpeg' && { folder: 'Music/Live' }),
    });
    await pretendProbed(service, body.id);
  }
  await apply((await plan(base)).plan);
});

/** The value that the API shows for a field of a change. */
function shownValue(state: PlatformState, { kind, name }: Change, field: string): unknown {
  const streamNamed = (given: string) => find(state.streams, given, 'stream')!;
  const [streamName = '', track] = name.split(/\/(?=video$|audio$)/);
  const ofStream = () => streamNamed(streamName);
  const things: Partial<Record<Change['kind'], () => unknown>> = {
    destination: () => {
      const { url, backupURL, srt } = find(state.destinations, name, kind)!;
      return { url, backupURL, srt: srt && { latencyMs: srt.latencyMs, streamID: srt.streamID } };
    },
    collection: () => find(state.collections, name, kind),
    alert: () => find(state.alerts, name, kind),
    stream: ofStream,
    schedule: ofStream,
    programme: () => state.programmes.find((each) => each.streamID === ofStream().id && each.kind === track),
    playlist: () => {
      const { mode, draft } = state.playlists.find(
        ({ id, kind }) => ofStream().playlistIDs.includes(id) && kind === track,
      )!;
      return { mode, items: draft.items.map(({ uploadID, sound, look }) => ({ uploadID, sound, look })) };
    },
    output: () => {
      const [ownName = '', destinationName] = name.split(' → ');
      const destination = find(state.destinations, destinationName!, 'destination')!;
      return streamNamed(ownName).outputs.find(({ destinationID }) => destinationID === destination.id);
    },
  };
  return field.split('.').reduce((value: any, part) => value?.[part], things[kind]!()) ?? null;
}

type Doc = Record<string, any>;
const hour = 3_600_000;
const inHours = (hours: number) => new Date(Math.ceil(Date.now() / hour) * hour + hours * hour).toISOString();

/** Each changes the file. The second part: the fields of the plan. */
const kinds: readonly [string, (doc: Doc) => void, readonly string[]][] = [
  ['another address', (d) => (d.destinations.main.url = 'rtmps://live.example.org/other'), ['destination main url']],
  [
    'a backup address',
    (d) => (d.destinations.second.backupURL = 'rtmps://b.example.org/app'),
    ['destination second backupURL'],
  ],
  [
    'a new destination',
    (d) => (d.destinations.srt = { url: 'srt://host.example.org:9000', srt: { latencyMs: 200 } }),
    ['destination srt url', 'destination srt srt'],
  ],
  [
    'another folder',
    (d) => (d.collections.songs.source = { folder: 'Music/Live' }),
    ['collection songs source.folder', 'collection songs source.recursive'],
  ],
  ['another order', (d) => (d.collections.songs.order = 'newest'), ['collection songs order']],
  [
    'a new collection',
    (d) => (d.collections.news = { kind: 'audio', source: { text: 'news' } }),
    ['collection news source'],
  ],
  ['a later alert', (d) => (d.alerts.ops.afterSeconds = 120), ['alert ops afterSeconds']],
  ['other events', (d) => (d.alerts.ops.events = ['stream_away', 'credits_low']), ['alert ops events']],
  [
    'quiet hours',
    (d) => (d.alerts.ops.quietHours = { from: '22:00', to: '06:00', timeZone: 'Europe/Paris' }),
    ['alert ops quietHours'],
  ],
  ['a silent alert', (d) => (d.alerts.ops.enabled = false), ['alert ops enabled']],
  ['a new alert', (d) => (d.alerts.me = { kind: 'email' }), []],
  ['another quality', (d) => (d.streams.Night.quality = 'q_1080p'), ['stream Night quality']],
  ['another framerate', (d) => (d.streams.Night.framerate = 'f_60'), ['stream Night framerate']],
  ['the other backend', (d) => (d.streams.Radio.streamBackend = 'manifest'), ['stream Radio streamBackend']],
  [
    'another aspect',
    (d) => (d.streams.Night.look = { ...d.streams.Night.look, aspect: '9:16' }),
    ['stream Night look.aspect'],
  ],
  [
    'no logo',
    (d) => (d.streams.Night.look = { aspect: '9:16', overlays: { title: {} } }),
    ['stream Night look.overlays.logo', 'stream Night look.overlays.title'],
  ],
  [
    'another loudness',
    (d) => (d.streams.Night.sound = { loudness: { targetLUFS: -18 } }),
    ['stream Night sound.loudness.targetLUFS'],
  ],
  ['no sound settings', (d) => (d.streams.Night.sound = null), ['stream Night sound.loudness.targetLUFS']],
  ['a longest time', (d) => (d.streams.Night.streamDuration = 3600), ['stream Night streamDuration']],
  [
    'a backup in another zone',
    (d) => Object.assign(d.streams.Night, { agentModeEnabled: true, runBackupStream: true }),
    ['stream Night agentModeEnabled', 'stream Night runBackupStream'],
  ],
  ['an item more', (d) => d.streams.Night.playlists.video.items.push('a.mp4'), ['playlist Night/video items']],
  ['another order of items', (d) => d.streams.Night.playlists.video.items.reverse(), ['playlist Night/video items']],
  [
    'an item with a join',
    (d) => (d.streams.Night.playlists.video.items[0] = { upload: 'a.mp4', look: { join: { kind: 'dip' } } }),
    ['playlist Night/video items'],
  ],
  ['shuffle', (d) => (d.streams.Night.playlists.video.mode = 'shuffle'), ['playlist Night/video mode']],
  [
    'music',
    (d) => (d.streams.Night.playlists.audio = { items: ['Music/Live/song.mp3'] }),
    ['playlist Night/audio mode', 'playlist Night/audio items'],
  ],
  [
    'other blocks',
    (d) => (d.streams.Radio.programmes.audio.blocks[0].steps[0].weight = 3),
    ['programme Radio/audio blocks'],
  ],
  [
    'a distance',
    (d) => (d.streams.Radio.programmes.audio.separation = [{ by: 'artist', items: 2 }]),
    ['programme Radio/audio separation'],
  ],
  ['a paused output', (d) => (d.streams.Night.outputs[0].enabled = false), ['output Night → second enabled']],
  [
    'a schedule',
    (d) =>
      (d.streams.Night.schedule = {
        startAt: inHours(2),
        endAt: inHours(3),
        recurrence: { rule: 'FREQ=DAILY', timeZone: 'Europe/Berlin' },
      }),
    ['schedule Night scheduleStartAt', 'schedule Night scheduleEndAt', 'schedule Night recurrence'],
  ],
  ['no schedule', (d) => (d.streams.Night.schedule = null), []],
  ['no further output', (d) => (d.streams.Night.outputs = []), []],
  [
    'a new stream',
    (d) => (d.streams.Late = { destination: 'srt', videoUpload: 'c.mp4', quality: 'q_1440p' }),
    ['stream Late destinationID', 'stream Late videoUploadObjectID', 'stream Late quality'],
  ],
];

it('plans 30 kinds of change, and the API then shows exactly those', { timeout: 60_000 }, async () => {
  expect(kinds.length).toBeGreaterThanOrEqual(30);
  let text = base;
  for (const [title, edit, fields] of kinds) {
    const document = parse(text) as Doc;
    edit(document);
    text = stringify(document);
    const before = await plan(text);
    expect([title, before.plan.changes.length > 0]).toEqual([title, true]);
    const planned = before.plan.changes.flatMap((change) => change.fields.map((field) => ({ change, ...field })));
    expect([title, planned.map(({ change, field }) => `${change.kind} ${change.name} ${field}`).toSorted()]).toEqual([
      title,
      fields.toSorted(),
    ]);
    await apply(before.plan);
    const after = await readState(client);
    for (const { change, field, to } of planned) {
      const shown = shownValue(after, change, field);
      expect([title, field, shown]).toEqual([title, field, to]);
    }
    written.length = 0;
    const again = await plan(text);
    await apply(again.plan);
    expect([title, again.plan.changes, written]).toEqual([title, [], []]);
  }
});

it('exports a file of what is there, which changes nothing', async () => {
  const state = await readState(client);
  const text = stringify(exportedDocument(state, state.streams), { aliasDuplicateObjects: false });
  expect(text).not.toMatch(/a-stream-key|services\/T1/);
  const { plan: again } = await plan(text, { prune: true });
  expect(again).toMatchObject({ changes: [], costs: [] });
});

it('deletes what the file does not name, only if it is asked to', async () => {
  const rest = 'version: 1\nstreams: {}\nalerts: {}\n';
  expect((await plan(rest)).plan.changes).toEqual([]);
  const { plan: pruned } = await plan(rest, { prune: true });
  expect(pruned.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`).toSorted()).toEqual([
    'delete alert me',
    'delete alert ops',
    'delete stream Late',
    'delete stream Night',
    'delete stream Radio',
  ]);
  await apply(pruned);
  expect((await readState(client)).streams).toEqual([]);
});

it('says what changes, and what it costs', async () => {
  const { plan: planned, state } = await plan(base);
  const names = new Map(state.uploads.map(({ id, name }) => [id, name]));
  const lines = planLines(planned, (id) => names.get(id) ?? id);
  expect(lines).toContain('+ stream Night');
  expect(lines.at(-1)).toBe('No stream is interrupted.');
  expect(lines.join('\n')).toMatch(/Night will cost [\d.]+ credits an hour on air/);
});

it('reads the example', async () => {
  const example = join(import.meta.dirname, '../../.github/examples/channel.yaml');
  expect(Object.keys((await readDocument(example)).streams ?? {})).toEqual(['Night radio']);
});

it.each([
  ['version: 2\n', 'channel.yaml:1:10: version: '],
  ['version: 1\nstreams:\n  Night:\n    qualty: q_720p\n', 'channel.yaml:4:5: streams.Night: '],
  ['version: 1\nstreams:\n  Night:\n    quality: huge\n', 'channel.yaml:4:14: streams.Night.quality: '],
  [
    'version: 1\nstreams:\n  Night:\n    look:\n      overlays:\n        logo: { upload: x, widthPercent: 99 }\n',
    'channel.yaml:6:42: ',
  ],
  [
    'version: 1\ncollections:\n  a: { kind: audio, source: { folder: x, text: y } }\n',
    'channel.yaml:3:29: collections.a.source: ',
  ],
  ['version: 1\nstreams: [\n', 'channel.yaml:'],
])('names the line and the column of a fault: %j', (text, place) => {
  let lines: readonly string[] = [];
  try {
    parseChannel(text, 'channel.yaml');
  } catch (error) {
    ({ lines } = error as { lines: readonly string[] });
  }
  expect(lines[0]).toContain(place);
});

it('has a schema for editors, which is the one of the file', async () => {
  await expect(`${JSON.stringify(channelJSONSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../bin/loop/channel/channel.schema.json',
  );
});
