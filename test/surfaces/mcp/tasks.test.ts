// Twenty tasks of users, done by a client that knows only the list of tools and the answers.
// It does them with the default list and with each operation as a tool, and both are measured.
import { afterAll, describe, expect, it } from 'vitest';
import { DeadEnd, ReadingClient } from '../../support/reading-client.ts';
import type { ReadTools } from '../../support/reading-client.ts';
import { testMcp } from '../../support/mcp.ts';
import { pretendProbed, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';
import { objectKeyOf } from '../../support/stored-uploads.ts';

const service = testService();
const lists = ['default', 'all'] as const;

/** A user with a library, destinations and a stream. Each thing is made when a task first asks for it. */
interface Account {
  readonly user: TestUser;
  /** IDs of three films, the first called Dawn, then Noon and Dusk. */
  readonly uploads: () => Promise<readonly string[]>;
  readonly logo: () => Promise<string>;
  /** ID of a destination that no stream uses. */
  readonly spare: () => Promise<string>;
  /** ID of a stream called Night, which can start. */
  readonly stream: () => Promise<string>;
}

async function newAccount(): Promise<Account> {
  const user = await service.user();
  const make = async (path: string, body: object): Promise<string> => (await user.call('POST', path, body)).body.id;
  const destination = (name: string) =>
    make('/destinations', { name, rtmpURL: 'rtmp://127.0.0.1/live', streamKey: name });
  const film = once(async (name: string) => {
    const id = await make('/uploads', { name, mimeType: 'video/mp4', folder: 'Films' });
    await pretendProbed(service, id, { durationSeconds: 120 });
    return id;
  });
  const uploads = async () => [await film('Dawn'), await film('Noon'), await film('Dusk')];
  const logo = () => make('/uploads', { name: 'Logo', mimeType: 'image/png' });
  const stream = once(async (name: string) => {
    const parts = { destinationID: await destination('Main'), videoUploadObjectID: await film('Dawn') };
    return make('/streams', { name, framerate: 'f_30', ...parts });
  });
  return { user, uploads, logo, spare: () => destination('Spare'), stream: () => stream('Night') };
}

/** A function that makes each named thing once. */
function once(make: (name: string) => Promise<string>): (name: string) => Promise<string> {
  const made = new Map<string, Promise<string>>();
  return async (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name)!;
  };
}

type Task = (client: ReadingClient, account: Account) => Promise<void>;

/** Pretends that a publisher has brought the stream of the account on the air. @returns its ID */
async function goLive({ user, stream }: Account): Promise<string> {
  const id = await stream();
  await user.call('POST', `/streams/${id}/start`);
  await service.pool().query(`update streams set state = 'active', anchored_at = now() where id = $1`, [id]);
  return id;
}

/** The tasks, by the wish of the user. */
const tasks: Readonly<Record<string, Task>> = {
  async 'Upload this file.'(client, { user }) {
    const file = { name: 'clip.mp4', mimeType: 'video/mp4', fileSize: 5 };
    const { id, url, method } = await client.do('create upload', file, 'url');
    expect([typeof url, method]).toEqual(['string', 'PUT']);
    await service.objects().write(await objectKeyOf(service, id), Buffer.from('media'), { contentType: 'video/mp4' });
    await client.do('complete upload', { upload: id });
    expect((await user.call('GET', `/uploads/${id}`)).body.uploaded).toBe(true);
  },
  async 'Fetch the video at this link.'(client, { user }) {
    const { id } = await client.do('import upload', { url: 'http://127.0.0.1:9/clip.mp4' });
    expect((await user.call('GET', `/uploads/${id}`)).status).toBe(200);
  },
  async 'Which file is called Dusk?'(client, account) {
    const uploads = await account.uploads();
    const { data } = await client.do('list uploads', { q: 'Dusk' });
    expect(data.map(({ id }: { id: string }) => id)).toEqual([uploads[2]]);
  },
  async 'Remember my server as a destination.'(client, { user }) {
    await client.do('create destination', { name: 'Server', url: 'srt://media.example.org:9000' });
    expect((await user.call('GET', '/destinations')).body.data[0].name).toBe('Server');
  },
  async 'Make a stream of one file.'(client, account) {
    const uploads = await account.uploads();
    const spare = await account.spare();
    const { id } = await client.do('create stream', { name: 'One', upload: uploads[1], destination: spare });
    const { stream, ...own } = await client.do('state of stream', { stream: id });
    expect((stream ?? own).state).toBe('draft');
  },
  async 'Loop my three films.'(client, account) {
    const { user } = account;
    const stream = await account.stream();
    const uploads = await account.uploads();
    const made = await client.do('create playlist', { stream, kind: 'video', mode: 'sequential' });
    const operations = uploads.map((uploadID) => ({ op: 'add', uploadID }));
    await client.do('edit playlist', { playlist: made.id, operations });
    expect((await user.call('GET', `/playlists/${made.id}`)).body.draft.items).toHaveLength(3);
  },
  async 'Start my stream Night.'(client, account) {
    const stream = await account.stream();
    const { data } = await client.do('list streams', { q: 'Night' });
    expect((await client.do('start stream', { stream: data[0].id })).state).toBe('activating');
    expect(data[0].id).toBe(stream);
  },
  async 'Stop it.'(client, account) {
    const stream = await goLive(account);
    expect((await client.do('stop stream', { stream })).state).toMatch(/^stop/);
  },
  async 'Start it each evening.'(client, account) {
    const { user } = account;
    const stream = await account.stream();
    const recurrence = { rule: 'FREQ=DAILY', timeZone: 'Europe/Berlin' };
    await client.do('schedule stream', { stream, scheduleStartAt: '2999-01-01T18:00:00Z', recurrence });
    expect((await user.call('GET', `/streams/${stream}`)).body.state).toBe('scheduled');
  },
  async 'Why can my new stream not start?'(client, { user }) {
    const { body } = await user.call('POST', '/streams', { name: 'Empty' });
    const { readiness, ...own } = await client.do('check whether stream can start', { stream: body.id });
    const { ready, issues } = readiness ?? own;
    expect([ready, issues.length > 0]).toEqual([false, true]);
  },
  async 'Send it to a second place.'(client, account) {
    const { user } = account;
    const stream = await account.stream();
    const spare = await account.spare();
    await client.do('add output to stream', { stream, destination: spare });
    expect((await user.call('GET', `/streams/${stream}/outputs`)).body.data).toHaveLength(2);
  },
  async 'What is on, and what comes next?'(client, account) {
    const stream = await goLive(account);
    const { data } = await client.do('timeline of stream', { stream });
    expect(data[0]).toMatchObject({ name: 'Dawn' });
  },
  async 'Skip what comes next.'(client, account) {
    const stream = await goLive(account);
    const { data } = await client.do('timeline of stream', { stream, limit: 2 });
    const [, { startAt, uploadID }] = data;
    await client.do('skip item', { stream, startAt, uploadID });
  },
  async 'Show my logo.'(client, account) {
    const { user } = account;
    const stream = await account.stream();
    const logo = await account.logo();
    const look = { overlays: { logo: { uploadID: logo, place: 'topLeft' } } };
    await client.do('update stream', { stream, look });
    expect((await user.call('GET', `/streams/${stream}`)).body.look.overlays.logo.place).toBe('topLeft');
  },
  async 'Play films all day, and Dawn at seven.'(client, account) {
    const { user } = account;
    const stream = await account.stream();
    const uploads = await account.uploads();
    const films = await client.do('create collection', { name: 'Films', kind: 'video', source: { folder: 'Films' } });
    const made = await client.do('create programme', { stream, timeZone: 'Europe/Berlin' });
    const day = { id: 'day', name: 'Day', steps: [{ id: 'films', collectionID: films.id }] };
    const hours = { rule: 'FREQ=DAILY', at: '07:00', minutes: 2, starts: 'hard' };
    const dawn = { id: 'dawn', name: 'Dawn', ...hours, steps: [{ id: 'dawn', uploadID: uploads[0] }] };
    await client.do('update programme', { programme: made.id, blocks: [day, dawn] });
    const { rows } = await client.do('simulate programme', { programme: made.id, days: 1 });
    expect(rows.length).toBeGreaterThan(10);
    await client.do('compare programme', { programme: made.id });
    await client.do('publish programme', { programme: made.id });
    expect((await user.call('GET', `/programmes/${made.id}`)).body.liveVersion).toBeGreaterThan(0);
  },
  async 'What did I spend?'(client) {
    const { balance, ...own } = await client.do('get usage', {});
    expect(balance ?? own).toMatchObject({});
  },
  async 'Put my films into the folder Archive.'(client, account) {
    const { user } = account;
    const uploads = await account.uploads();
    const operations = uploads.map((uploadID) => ({ op: 'move', uploadID, folder: 'Archive' }));
    await client.do('organize uploads', { operations });
    expect((await user.call('GET', '/uploads?folder=Archive')).body.data).toHaveLength(3);
  },
  async 'Delete Noon.'(client, account) {
    const { user } = account;
    const uploads = await account.uploads();
    const { data } = await client.do('list uploads', { q: 'Noon' });
    await client.do('delete upload', { upload: data[0].id });
    expect((await user.call('GET', `/uploads/${uploads[1]}`)).status).toBe(404);
  },
  async 'Connect my channel.'(client) {
    const { authorizeURL } = await client.do('connect channel', { platform: 'youtube' });
    expect(authorizeURL).toContain('http');
  },
  async 'Tell my program when a stream changes.'(client, { user }) {
    await client.do('create webhook', { url: 'http://127.0.0.1:9/hook', events: ['stream.state_changed'] });
    expect((await user.call('GET', '/webhooks')).body.data).toHaveLength(1);
  },
};

interface Measured {
  readonly tokens: number;
  readonly calls: number;
  readonly deadEnds: readonly string[];
}

/** The lists, which are the same for each user. */
const read: { [list in (typeof lists)[number]]?: ReadTools } = {};

/** A token is taken as four bytes. */
const bytesPerToken = 4;

async function measure(list: (typeof lists)[number], task: Task): Promise<Measured> {
  const account = await newAccount();
  const mcp = testMcp(service, list);
  read[list] ??= (await mcp.request(account.user, 'tools/list')).tools as ReadTools;
  const client = new ReadingClient(read[list], (name, args) => mcp.callTool(account.user, name, args));
  try {
    await task(client, account);
  } catch (error) {
    if (!(error instanceof DeadEnd)) throw error;
  }
  return { tokens: Math.round(client.bytesRead / bytesPerToken), calls: client.calls, deadEnds: client.deadEnds };
}

describe('twenty tasks', () => {
  const measured: Record<string, Record<string, string | number>> = {};
  afterAll(() => {
    const sum = (column: string) => Object.values(measured).reduce((all, row) => all + Number(row[column]), 0);
    const columns = ['tokens, default', 'tokens, all', 'calls, default', 'calls, all'];
    console.table({ ...measured, all: Object.fromEntries(columns.map((column) => [column, sum(column)])) });
  });

  it.each(Object.entries(tasks))('%s', async (wish, task) => {
    const byDefault = await measure('default', task);
    const byAll = await measure('all', task);
    measured[wish] = {
      'tokens, default': byDefault.tokens,
      'tokens, all': byAll.tokens,
      'calls, default': byDefault.calls,
      'calls, all': byAll.calls,
      'dead ends, default': byDefault.deadEnds.length,
      'dead ends, all': byAll.deadEnds.join('; ') || 0,
    };
    expect(byDefault.deadEnds).toEqual([]);
    expect(byDefault.tokens).toBeLessThanOrEqual(byAll.tokens / 2);
  });

  it('are twenty', () => {
    expect(Object.keys(tasks)).toHaveLength(20);
  });
});
