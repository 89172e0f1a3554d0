// A contributor who stays connected while it is silent, and later black: the loop returns, and the takeover comes back.
import { expect, it } from 'vitest';
import { gopSeconds } from '../../lambda/domain/playout/rendition.ts';
import { sessionStartFrame } from '../../lambda/domain/live/takeover-intervals.ts';
import { takeoversOn } from '../support/live-takeovers.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, contribute, expectSeamless, inputOf, intervalsOf, startIngest, streamOnAir, ...until } =
  await takeoversOn(service);

const rate = 30;
/** Seconds of the contribution without sound, and without pictures. */
const [silent, black] = [
  [8, 20],
  [30, 42],
] as const;
const lostAfterSeconds = 5;
/** From the loss to the return of the loop: agents know it ten seconds ahead, and the contribution is 8 s late. */
const returnWithinSeconds = 2 + gopSeconds + gopSeconds;
const mostShown = (lostAfterSeconds + returnWithinSeconds) * rate;

it('a stream returns to its loop while its contributor is silent or black, on one connection', async () => {
  const { url } = await startIngest();
  const stream = await streamOnAir();
  const lostAfter = { silenceSeconds: lostAfterSeconds, blackSeconds: lostAfterSeconds };
  const settings = { takes: 'always', stableSeconds: 2, graceSeconds: 30, lostAfter };
  const { id: inputID, key } = await inputOf(stream.id, settings);
  const within = (part: readonly number[]) => `enable='between(t,${part.join(',')})'`;
  const contributor = contribute(
    url,
    key,
    [
      ['-vf', `drawbox=color=black:t=fill:${within(black)}`, '-af', `volume=0:${within(silent)}`],
      ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '50', '-c:a', 'aac'],
    ].flat(),
  );
  await until.untilPlanned(stream.id, 2);
  const { fromFrame } = (await intervalsOf(stream.id)).at(-1)!;
  await until.untilSent(stream.id, fromFrame + 60);
  contributor.kill('SIGKILL');
  await until.untilSent(stream.id, (await until.untilEndKnown(stream.id)) + 60);

  const { data: sessions } = (await call('GET', `/live-inputs/${inputID}/sessions`)).body;
  const returned = { lostAt: expect.any(String), returnedAt: expect.any(String) };
  expect(sessions).toMatchObject([
    {
      endReason: 'disconnected',
      losses: [
        { reason: 'silent', ...returned },
        { reason: 'black', ...returned },
      ],
    },
  ]);
  const intervals = await intervalsOf(stream.id);
  /** Seconds of the contribution that each interval shows. */
  const shown = intervals.map((interval) => {
    const startFrame = sessionStartFrame(interval, gopSeconds * rate);
    return [(interval.fromFrame - startFrame) / rate, (interval.toFrame! - startFrame) / rate] as const;
  });
  const parts = shown.map((part) => part.map((at) => at.toFixed(1)).join(' to '));
  console.log(`seconds of the contribution on air: ${parts.join(', ')}`);
  const [first, second, third] = shown;
  expect(shown).toHaveLength(3);
  expect(first![1] - silent[0]).toBeLessThanOrEqual(lostAfterSeconds + returnWithinSeconds);
  expect(second![0]).toBeGreaterThanOrEqual(silent[1] - 0.1);
  expect(second![1] - black[0]).toBeLessThanOrEqual(lostAfterSeconds + returnWithinSeconds);
  expect(third![0]).toBeGreaterThanOrEqual(black[1] - 0.1);
  expect(intervals[1]!.fromFrame).toBeGreaterThan(intervals[0]!.toFrame!);
  expect((await service.pool().query('select from takeovers')).rowCount).toBe(1);
  await expectSeamless(stream, { mostBlack: mostShown });
}, 120_000);
