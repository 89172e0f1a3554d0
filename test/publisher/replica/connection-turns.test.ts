// An agent opens a few connections at once for each user and to each host; users never wait for other users.
import { afterEach, expect, it, vi } from 'vitest';
import { connecting, unacceptedUploads } from '../../../lambda/domain/shared/outbound-limits.ts';
import { ConnectionTurns } from '../../../lambda/publisher/replica/connection-turns.ts';
import type { Connecting } from '../../../lambda/publisher/replica/connection-turns.ts';

const never = new AbortController().signal;

/** Requests turns. @returns the begun turns so far, and a function that ends the oldest turn of a user */
function queue() {
  const turns = new ConnectionTurns();
  const begun: { userID: string; end: () => void }[] = [];
  const ask = (userID: string, more: Partial<Connecting> = {}, signal = never) =>
    turns
      .take({ userID, host: `${userID}.example`, way: 'rtmp', isResting: false, ...more }, signal)
      .then((end) => begun.push({ userID, end }));
  const askMany = (count: number, userID: string, more: Partial<Connecting> = {}) => {
    for (let each = 0; each < count; each++) void ask(userID, more);
  };
  const counts = async () => {
    await new Promise(setImmediate);
    const byUser = Object.groupBy(begun, ({ userID }) => userID);
    return Object.fromEntries(Object.entries(byUser).map(([userID, turnsOfUser]) => [userID, turnsOfUser?.length]));
  };
  const endOne = (userID: string) => {
    const index = begun.findIndex((each) => each.userID === userID);
    begun.splice(index, 1)[0]!.end();
  };
  return { turns, ask, askMany, counts, endOne };
}

afterEach(() => void vi.useRealTimers());

it('a user whose destinations do not answer waits for itself, and for nobody else', async () => {
  const { askMany, counts, endOne } = queue();
  askMany(100, 'many');
  askMany(1, 'one');
  expect(await counts()).toEqual({ many: connecting.mostOfUser, one: 1 });
  endOne('many');
  expect(await counts()).toEqual({ many: connecting.mostOfUser, one: 1 });
});

it('a host is not flooded by many users, and those with the fewest turns go first', async () => {
  const { askMany, counts, endOne } = queue();
  const host = 'ingest.example';
  for (const userID of ['a', 'b', 'c', 'd']) askMany(100, userID, { host });
  askMany(1, 'elsewhere');
  const { mostOfUser, mostToHost } = connecting;
  expect(mostToHost).toBe(3 * mostOfUser);
  expect(await counts()).toEqual({ a: mostOfUser, b: mostOfUser, c: mostOfUser, elsewhere: 1 });
  for (let each = 0; each < 4; each++) endOne('a');
  expect(await counts()).toMatchObject({ a: mostOfUser - 4, d: 4 });
});

it('streams that have been off the air for minutes let others of their user go first', async () => {
  const { askMany, counts, endOne } = queue();
  askMany(100, 'user', { isResting: true });
  expect(await counts()).toEqual({ user: connecting.mostRestingOfUser });
  askMany(100, 'user');
  expect(await counts()).toEqual({ user: connecting.mostOfUser });
  endOne('user');
  expect(await counts()).toEqual({ user: connecting.mostOfUser });
});

it('who gives up while it waits leaves the queue', async () => {
  const { ask, askMany, counts, endOne } = queue();
  askMany(connecting.mostOfUser, 'user');
  await counts();
  const giving = new AbortController();
  const asked = ask('user', {}, giving.signal);
  giving.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
  endOne('user');
  expect(await counts()).toEqual({ user: connecting.mostOfUser - 1 });
});

it('a user whose destinations take segments and accept none begins a dozen connections over HLS a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { turns, ask, askMany, counts, endOne } = queue();
  const { mostOfUser, withinMs } = unacceptedUploads;
  const connect = async (userID: string) => {
    await ask(userID, { way: 'hls' });
    endOne(userID);
  };
  // Starts and stops: each connection leaves one segment.
  let connections = 0;
  const startAndStop = async () => {
    for (;;) {
      await connect('refusing');
      connections++;
      turns.leftUnaccepted('refusing');
    }
  };
  void startAndStop();
  await vi.advanceTimersByTimeAsync(withinMs - 1);
  expect(connections).toBeLessThanOrEqual(mostOfUser);
  await vi.advanceTimersByTimeAsync(9 * withinMs);
  expect(connections).toBeLessThanOrEqual(10 * mostOfUser);
  expect(connections).toBeGreaterThan(mostOfUser);
  // Other users, and other ways of the same user, wait for nothing.
  askMany(1, 'other', { way: 'hls' });
  askMany(1, 'refusing');
  expect(await counts()).toEqual({ other: 1, refusing: 1 });
});

it('connections that an origin refuses while it restarts keep no further ones of its user waiting', async () => {
  const { turns, ask, counts, endOne } = queue();
  turns.leftUnaccepted('restarting');
  for (let attempt = 0; attempt < 5 * unacceptedUploads.mostOfUser; attempt++) {
    await ask('restarting', { way: 'hls' });
    expect(await counts()).toEqual({ restarting: 1 });
    endOne('restarting');
  }
});
