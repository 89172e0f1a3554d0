// Deliberate hand-overs of streams between agents, and replicas that replace each other.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { actorsOn } from '../../support/actors.ts';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import type { FaultyIngest, Publication } from '../../support/faulty-ingest.ts';
import { fleetOfFile } from '../../support/prepared-fleet.ts';
import { holdersByRole } from '../../support/replica-claims.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const actors = actorsOn(service);
const { call, causes, stream } = actors;
const fleet = fleetOfFile(service, actors);
const holders = () => holdersByRole(service);
let ingest: FaultyIngest;
/** The hash of each picture of a publication, in the order of arrival. */
let pictures: Map<Publication, string[]>;
beforeEach(async () => {
  pictures = new Map();
  ingest = await startFaultyIngest({
    onPicture: (_path, publication, { payload }) => {
      const known = pictures.get(publication) ?? [];
      pictures.set(publication, known);
      known.push(createHash('sha1').update(payload).digest('base64'));
    },
  });
  onTestFinished(() => ingest[Symbol.asyncDispose]());
});

const publications = (path: string) => ingest.keys.get(path)?.publications ?? [];

/** Resolves once a publication has more pictures than this. @param index of the publication at its path */
async function untilPictures(path: string, index: number, count = 30): Promise<void> {
  await expect.poll(() => publications(path)[index]?.pictures ?? 0).toBeGreaterThan(count);
}
const urls = () => ({ rtmpURL: ingest.rtmpURL, backupRtmpURL: ingest.rtmpURL.replace(/live$/, 'backup') });

describe('an agent that is asked to end', { timeout: 60_000 }, () => {
  it('lets go only once its successor is live at the other URL, and the next one at the first URL', async () => {
    const first = fleet().agent('first');
    const id = await fleet().stream(urls(), 'key');
    await untilPictures('live/key', 0);
    const second = fleet().agent('second');
    await fleet().untilPeers('first');
    await first.stop();
    await untilPictures('backup/key', 0);
    const [before, after] = [publications('live/key')[0]!, publications('backup/key')[0]!];
    expect(before.endedAtMs).toBeGreaterThan(after.firstPictureAtMs!);
    expect(await holders()).toEqual({ primary: 'second' });
    expect(await causes(id)).toEqual(['start', 'preparation_needed', 'preparation_done', 'media_accepted']);
    fleet().agent('third');
    await fleet().untilPeers('second');
    await second.stop();
    await untilPictures('live/key', 1);
    expect(publications('backup/key')[0]!.endedAtMs).toBeGreaterThan(publications('live/key')[1]!.firstPictureAtMs!);
    expect((await stream(id)).state).toBe('active');
    for (const path of ['live/key', 'backup/key']) expect(ingest.keys.get(path)).toMatchObject({ mostAtOnce: 1 });
  });

  it('leaves the other URL to its successor, although it was just moving its own connection there', async () => {
    const first = fleet().agent('first', { connectionEndsAfterMs: () => 2000 });
    const id = await fleet().stream(urls(), 'key');
    await untilPictures('live/key', 0);
    fleet().agent('second');
    await fleet().untilPeers('first');
    await untilPictures('backup/key', 0, 0);
    await first.stop();
    await untilPictures('backup/key', publications('backup/key').length - 1);
    expect(await holders()).toEqual({ primary: 'second' });
    expect(ingest.keys.get('backup/key')).toMatchObject({ mostAtOnce: 1 });
    expect(await causes(id)).not.toContain('media_interrupted');
  });

  it('is succeeded within a second where the destination has only one URL', async () => {
    const first = fleet().agent('first');
    const id = await fleet().stream({ rtmpURL: ingest.rtmpURL }, 'key');
    await untilPictures('live/key', 0);
    fleet().agent('second');
    await fleet().untilPeers('first');
    await first.stop();
    await untilPictures('live/key', 1);
    const [before, after] = publications('live/key');
    expect(after!.firstPictureAtMs! - before!.lastPictureAtMs!).toBeLessThan(1000);
    expect(ingest.keys.get('live/key')).toMatchObject({ mostAtOnce: 1 });
    await expect.poll(async () => (await stream(id)).state, { timeout: 5000 }).toBe('active');
  });

  describe('whose successor gets no answer from the destination', () => {
    let silent: Server;
    /** The connections that wait for an answer. */
    let waiting: Set<Socket>;
    beforeEach(async () => {
      waiting = new Set();
      silent = createServer((socket) => {
        waiting.add(socket);
        socket.on('error', () => {}).on('close', () => waiting.delete(socket));
        socket.resume();
      });
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      onTestFinished(() => {
        for (const socket of waiting) socket.destroy();
        silent.close();
      });
    });

    /** Makes an agent hand a stream over to another, which waits for an answer of the silent URL. */
    async function handedOver() {
      const first = fleet().agent('first');
      const { port } = silent.address() as AddressInfo;
      const silentURL = `rtmp://127.0.0.1:${port}/backup`;
      const id = await fleet().stream({ rtmpURL: ingest.rtmpURL, backupRtmpURL: silentURL }, 'key');
      await untilPictures('live/key', 0);
      fleet().agent('second');
      await fleet().untilPeers('first');
      const ended = first.stop();
      await expect.poll(() => waiting.size).toBe(1);
      return { id, ended };
    }

    it('lets go all the same, and the successor tries no more and claims the stream like any other', async () => {
      const { id, ended } = await handedOver();
      await ended;
      await untilPictures('live/key', 1);
      await expect.poll(async () => (await stream(id)).state).toBe('active');
      expect(waiting.size).toBe(0);
      expect(ingest.keys.get('live/key')).toMatchObject({ mostAtOnce: 1 });
    });

    it('ends a stream at once that is stopped meanwhile', async () => {
      const { id, ended } = await handedOver();
      await call('POST', `/streams/${id}/stop`);
      await expect.poll(async () => (await stream(id)).state, { timeout: 5000 }).toBe('stopped');
      await ended;
    });
  });

  it('gives back what it holds when it is the last one', async () => {
    const only = fleet().agent('only');
    const id = await fleet().stream(urls(), 'key');
    await untilPictures('live/key', 0);
    await only.stop();
    expect(await holders()).toEqual({});
    expect((await stream(id)).state).toBe('failing');
  });
});

describe('two replicas', { timeout: 60_000 }, () => {
  it('send the same pictures from different agents, and one goes on when the agent of the other ends', async () => {
    const agents = new Map(['a', 'b'].map((name) => [name, fleet().agent(name)]));
    await fleet().untilPeers('', 2);
    const id = await fleet().stream(urls(), 'key', { agentModeEnabled: true, runBackupStream: true });
    await untilPictures('live/key', 0);
    await untilPictures('backup/key', 0);
    const before = await holders();
    expect(Object.values(before).sort()).toEqual(['a', 'b']);

    await agents.get(before['primary']!)!.stop();
    fleet().agent('c');
    await untilPictures('live/key', 1, 60);
    expect(await holders()).toEqual({ primary: 'c', backup: before['backup'] });
    const backup = publications('backup/key')[0]!;
    expect(publications('backup/key')).toHaveLength(1);
    expect(backup).toMatchObject({ endedAtMs: null, longestStepMs: 34 });
    expect(await causes(id)).not.toContain('media_interrupted');
    expect((await call('GET', `/streams/${id}`)).body.replicas).toMatchObject([
      { role: 'primary', state: 'live' },
      { role: 'backup', state: 'live' },
    ]);
    for (const primary of publications('live/key')) expectSamePictures(pictures.get(primary)!, pictures.get(backup)!);
  });
});

/**
 * Expects to find one list of pictures in the other, for as long as both were sent. The offset is unknown, because
 * every loop repeats the same pictures.
 */
function expectSamePictures(one: readonly string[], other: readonly string[]): void {
  const isSameFrom = (shift: number) => {
    const shared = one
      .map((picture, index) => [picture, other[index + shift]] as const)
      .filter(([, counterpart]) => counterpart !== undefined);
    return shared.length > 20 && shared.every(([picture, counterpart]) => picture === counterpart);
  };
  const shifts = Array.from({ length: one.length + other.length }, (_, index) => index - one.length);
  expect(shifts.some(isSameFrom)).toBe(true);
}
