// Destinations that refuse, reset, stall, drip and reject on command: each is noticed in time, named for what it is, and over as soon as it is over.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import { beginPrepared, preparedLoop, steadyClock } from './prepared/prepared-replica.ts';

let loop: Awaited<ReturnType<typeof preparedLoop>>;
let ingest: FaultyIngest;
beforeAll(async () => {
  loop = await preparedLoop();
});
afterAll(() => loop[Symbol.asyncDispose]());
beforeEach(async () => {
  ingest = await startFaultyIngest();
  onTestFinished(() => ingest[Symbol.asyncDispose]());
});

const begin = () => beginPrepared(loop.media, ingest.rtmpURL);
const publications = () => ingest.keys.get('live/key')?.publications ?? [];
async function until(isSo: () => boolean, timeout = 20_000): Promise<void> {
  await expect.poll(isSo, { interval: 10, timeout }).toBe(true);
}
const untilPictures = (count: number, of: number) => until(() => (publications()[of]?.pictures ?? 0) > count);

describe('a destination', { timeout: 60_000 }, () => {
  it('that reads no more is given up within 5 s, and live again within 3 s of its return', async () => {
    const { reports, words } = begin();
    await untilPictures(150, 0);
    const stalledAtMs = steadyClock();
    await ingest.set('stall');
    await until(() => words().includes('stalled'));
    expect(reports.find(({ reason }) => reason?.code === 'stalled')!.atMs - stalledAtMs).toBeLessThan(5500);
    await ingest.set('none');
    const healedAtMs = steadyClock();
    await untilPictures(10, 1);
    expect(publications()[1]!.firstPictureAtMs! - healedAtMs).toBeLessThan(3000);
    expect(ingest.keys.get('live/key')).toMatchObject({ mostAtOnce: 1 });
    await until(() => words().join() === 'live,stalled,live');
  });

  it('that is away and comes back is unreachable meanwhile', async () => {
    const { words } = begin();
    await untilPictures(30, 0);
    await ingest.set('refuse');
    await until(() => words().includes('unreachable'));
    await ingest.set('none');
    await untilPictures(30, 1);
    expect([...new Set(words())]).toEqual(['live', expect.stringMatching(/connection_lost|ended_by_destination/), 'unreachable']);
    expect(words().at(-1)).toBe('live');
  });

  it('that resets is live again from the present on', async () => {
    const { words } = begin();
    await untilPictures(30, 0);
    ingest.reset();
    await untilPictures(30, 1);
    expect(words()).toEqual(['live', 'connection_lost', 'live']);
  });

  it('that only drips is noticed', async () => {
    const { words } = begin();
    await untilPictures(30, 0);
    await ingest.set('throttle');
    await until(() => words().length > 1, 55_000);
    expect(words()[1]).toMatch(/too_slow|stalled/);
  });

  it('that rejects the key is told apart, and not hammered', async () => {
    await ingest.set('reject');
    const { words } = begin();
    await until(() => words().length > 0);
    expect(words()).toEqual(['key_refused']);
  });
});
