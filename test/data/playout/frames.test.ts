// Requested pictures are made even if a command is lost, and only a limited number of a user's at once.
import { beforeEach, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { testDatabase } from '../../support/database.ts';
import { commandsTo } from '../../support/outbox-rows.ts';

const database = testDatabase();
const frames = () => databaseOn(database.pool()).frames;
const mostPending = 10;

beforeEach(() => database.pool().query('delete from frames; delete from outbox'));

const ask = (key: string, posters: number | null = null, of = { user_id: 'usr', upload_id: 'upl' }) =>
  frames().ask({ object_key: key, ...of, frame: 0, format: 'q_720p-f_30', width: 640, posters }, mostPending);
const pass = (seconds: number) =>
  database.pool().query('update frames set since = since - make_interval(secs => $1)', [seconds]);
const countOfCommands = async () => (await commandsTo(database, 'media')).length;

it('a picture whose command was lost is made after a minute, and counts no more until then', async () => {
  expect(await ask('lost')).toEqual({ state: 'pending', isBegun: true });
  expect(await ask('lost')).toEqual({ state: 'pending', isBegun: false });
  for (let other = 1; other < mostPending; other++) await ask(`other ${other}`);
  expect(await ask('one more')).toBeNull();
  expect(await ask('posters', 15)).toEqual({ state: 'pending', isBegun: true });
  await pass(61);
  expect(await ask('one more')).toEqual({ state: 'pending', isBegun: true });
  expect(await countOfCommands()).toBe(mostPending + 2);
  expect(await ask('lost')).toEqual({ state: 'pending', isBegun: true });
  expect(await countOfCommands()).toBe(mostPending + 3);
});

it('a picture that could not be made is tried again after a minute, however often it is asked for', async () => {
  await ask('failed');
  await frames().finish('failed', 'failed');
  await pass(40);
  expect(await ask('failed')).toEqual({ state: 'failed', isBegun: false });
  await pass(40);
  expect(await ask('failed')).toEqual({ state: 'pending', isBegun: true });
  expect(await countOfCommands()).toBe(2);
});

it('posters that could not be made are tried again after an hour', async () => {
  await ask('failed', 15);
  await frames().finish('failed', 'failed');
  await pass(3500);
  expect(await ask('failed', 15)).toEqual({ state: 'failed', isBegun: false });
  await pass(200);
  expect(await ask('failed', 15)).toEqual({ state: 'pending', isBegun: true });
});

it('is made of the file of whoever asks for it again, as that of whoever asked first may be gone', async () => {
  const later = { user_id: 'other', upload_id: 'upl_other' };
  const first = { user_id: 'usr', upload_id: 'upl' };
  await ask('shared');
  await ask('shared', null, later);
  expect(await frames().findPending('shared')).toMatchObject(first);
  await pass(61);
  await ask('shared', null, later);
  expect(await frames().findPending('shared')).toMatchObject(later);
});

it('a picture that is there is had, however many others are being made', async () => {
  await ask('ready');
  await frames().finish('ready', 'ready');
  for (let other = 0; other < mostPending; other++) await ask(`other ${other}`);
  await pass(30);
  expect(await ask('one more')).toBeNull();
  expect(await ask('ready')).toEqual({ state: 'ready', isBegun: false });
});
