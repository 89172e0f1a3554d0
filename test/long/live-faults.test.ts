// Takeovers whose contributor, ingest or database fails: no frame is missing at the destination.
// LIVE_KILLS is the number of contributors that are killed one after the other, and LIVE_FLAPPING_MINUTES the time for
// which one comes and goes.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { whileDatabaseIsAway } from '../support/database-outage.ts';
import { takeoversOn } from '../support/live-takeovers.ts';
import { seeded } from '../support/seeded.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, contribute, data, expectSeamless, inputOf, intervalsOf, startIngest, streamOnAir, ...until } =
  await takeoversOn(service);

const kills = Number(process.env['LIVE_KILLS'] ?? 6);
const flappingMinutes = Number(process.env['LIVE_FLAPPING_MINUTES'] ?? 1);
const [stableSeconds, delaySeconds] = [2, 8];

/** Lets the losses of sessions count no longer: the next one may be shown soon. */
const forgetLosses = () =>
  service
    .pool()
    .query("update live_sessions set ended_at = ended_at - interval '10 minutes' where ended_at is not null");

/** Unix time in ms of the first frame of a run. */
async function anchorOf(streamID: string): Promise<number> {
  const { rows } = await service.pool().query('select anchored_at from streams where id = $1', [streamID]);
  return Number(rows[0].anchored_at);
}

describe('a takeover', { timeout: 120_000 + kills * 40_000 + flappingMinutes * 60_000 }, () => {
  it('leaves no frame out however often, and whenever, its contributor is killed', async () => {
    const { url } = await startIngest();
    const stream = await streamOnAir();
    const { key } = await inputOf(stream.id, { takes: 'always', stableSeconds, delaySeconds });
    const anchoredMs = await anchorOf(stream.id);
    const random = seeded(7);
    const delays: number[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const contributor = contribute(url, key);
      const contributedMs = Date.now();
      const { fromFrame } = await until.untilPlanned(stream.id, kill);
      delays.push((anchoredMs + (fromFrame * 1000) / 30 - contributedMs) / 1000);
      // From before the first picture is shown until some seconds after it.
      await until.untilSent(stream.id, fromFrame - 60 + Math.floor(random() * 200));
      contributor.kill('SIGKILL');
      await until.untilEndKnown(stream.id);
      await expect.poll(() => data().takeovers.openOf(stream.id), { timeout: 20_000 }).toBeNull();
      await forgetLosses();
      console.log(`${kill + 1} of ${kills} contributors killed`);
    }
    await until.untilSent(stream.id, (await until.untilEndKnown(stream.id)) + 100);
    await expectSeamless(stream);
    delays.sort((one, other) => one - other);
    const shown = [0.5, 0.99].map((share) => delays[Math.floor(share * (delays.length - 1))]!.toFixed(1));
    console.log(
      `from the start of a contributor to its picture: p50 ${shown[0]} s, p99 ${shown[1]} s, ` +
        `at most ${delays.at(-1)!.toFixed(1)} s (${stableSeconds + delaySeconds + 2} s promised)`,
    );
  });

  it('returns to the loop if its ingest is killed, which is recorded as a loss', async () => {
    const { url, process: ingest } = await startIngest();
    const stream = await streamOnAir();
    const { id: inputID, key } = await inputOf(stream.id, { takes: 'always' });
    contribute(url, key);
    const { fromFrame } = await until.untilPlanned(stream.id);
    await until.untilSent(stream.id, fromFrame + 100);
    ingest.kill('SIGKILL');
    await once(ingest, 'exit');
    // Another ingest finds the silent session.
    await startIngest();
    const toFrame = await until.untilEndKnown(stream.id);
    const { session } = (await call('GET', `/live-inputs/${inputID}`)).body;
    expect(session).toMatchObject({ endReason: 'lost' });
    await until.untilSent(stream.id, toFrame + 150);
    await expectSeamless(stream);
  });

  it('continues while the database is away, and its contributor is lost without a hole', async () => {
    const { url } = await startIngest();
    const stream = await streamOnAir();
    const { key } = await inputOf(stream.id, { takes: 'always' });
    const contributor = contribute(url, key);
    const { fromFrame } = await until.untilPlanned(stream.id);
    await until.untilSent(stream.id, fromFrame + 60);
    const urls = { databaseURL: service.databaseURL(), serverURL: inject('postgresURL') };
    await whileDatabaseIsAway(urls, async () => {
      await delay(4000);
      contributor.kill('SIGKILL');
      // By then, viewers see the loop again.
      await delay(16_000);
    });
    const toFrame = await until.untilEndKnown(stream.id);
    expect(toFrame).toBeGreaterThan(fromFrame + 60);
    await until.untilSent(stream.id, toFrame + 300);
    await expectSeamless(stream);
  });

  it('is followed by the next item once it is handed back, if its input wants that', async () => {
    const { url } = await startIngest();
    const stream = await streamOnAir();
    const { id: liveInputID, key } = await inputOf(stream.id, { afterTakeover: 'next_item' });
    contribute(url, key);
    const takeOver = () => call('POST', `/streams/${stream.id}/takeovers`, { liveInputID });
    await expect.poll(async () => (await takeOver()).status, { timeout: 30_000 }).toBe(202);
    const { fromFrame } = await until.untilPlanned(stream.id);
    await until.untilSent(stream.id, fromFrame + 60);
    expect((await call('POST', `/streams/${stream.id}/hand-back`)).status).toBe(202);
    const toFrame = await until.untilEndKnown(stream.id);
    await until.untilSent(stream.id, toFrame + 60);
    await expectSeamless(stream, { anewFrom: toFrame });
  });

  it('changes at most three times in five minutes, if its contributor comes and goes', async () => {
    const { url } = await startIngest();
    const stream = await streamOnAir();
    const { key } = await inputOf(stream.id, { takes: 'always', stableSeconds, graceSeconds: 0 });
    const endsAtMs = performance.now() + flappingMinutes * 60_000;
    while (performance.now() < endsAtMs) {
      const contributor = contribute(url, key);
      await delay(5000);
      contributor.kill('SIGKILL');
      await once(contributor, 'exit');
    }
    const begins = (await intervalsOf(stream.id)).map(({ fromFrame }) => fromFrame);
    const within = begins.map((begin) => begins.filter((each) => each >= begin && each < begin + 300 * 30).length);
    console.log(`takeovers in any five minutes, at most: ${Math.max(...within)}`);
    expect(Math.max(...within)).toBeLessThanOrEqual(3);
    await until.untilSent(stream.id, (await until.untilEndKnown(stream.id)) + 100);
    await expectSeamless(stream);
  });
});
