// The map from contributors' clocks to ours: it follows drift, ignores jitter, and survives jumps.
import { describe, expect, it } from 'vitest';
import { PictureGrid, Retiming } from '../../lambda/live/retiming.ts';

const hourMs = 3_600_000;
const pictureMs = 1000 / 30;
const soundMs = 1024 / 48;

/** A repeatable jitter of arrivals: always a delay, seldom a long one. */
function jitterOf(seed: number) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const part = state / 2 ** 31;
    return part > 0.98 ? 300 * part : 40 * part;
  };
}

interface Sent {
  readonly type: 'video' | 'audio';
  /** By our clock. */
  readonly sentMs: number;
  readonly arrivalMs: number;
  readonly sessionMs: number;
}

/** Media of a contributor whose clock is this much too fast. Timestamps are whole milliseconds. */
function contribution(ppm: number, durationMs: number, delayMs: (sentMs: number) => number) {
  const retiming = new Retiming({ timestampMs: 0, arrivalMs: delayMs(0) });
  const sent: Sent[] = [];
  let lastArrivalMs = 0;
  for (let picture = 0, sound = 0; ;) {
    const type = picture * pictureMs <= sound * soundMs ? ('video' as const) : ('audio' as const);
    const theirMs = type === 'video' ? picture++ * pictureMs : sound++ * soundMs;
    const sentMs = theirMs / (1 + ppm / 1e6);
    if (sentMs > durationMs) return { sent, retiming };
    const arrivalMs = Math.max(lastArrivalMs, sentMs + delayMs(sentMs));
    lastArrivalMs = arrivalMs;
    const sessionMs = retiming.sessionMs(type, Math.round(theirMs), arrivalMs);
    retiming.observe(sessionMs, arrivalMs);
    sent.push({ type, sentMs, arrivalMs, sessionMs });
  }
}

function mostOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

describe('retiming', () => {
  it.each([100, -100, 400])(
    'keeps to our clock for three hours with a clock that is %d ppm off, and pictures and sound together',
    (ppm) => {
      const jitter = jitterOf(7);
      const { sent } = contribution(ppm, 3 * hourMs, () => 80 + jitter());
      const errors = sent.map(({ sentMs, sessionMs }) => sessionMs - sentMs);
      // The anchor is the arrival of the first tag, and the loop lags behind a drift by its time constant.
      expect(mostOf(errors)).toBeLessThan(45 + (Math.abs(ppm) * 62) / 1000);
      const lastErrors = { video: 0, audio: 0 };
      const apart = sent.map(({ type, sentMs, sessionMs }) => {
        lastErrors[type] = sessionMs - sentMs;
        return lastErrors.video - lastErrors.audio;
      });
      expect(mostOf(apart)).toBeLessThan(2);
      const steps = sent.slice(1).map((tag, index) => {
        const before = sent[index]!;
        return tag.sessionMs - before.sessionMs - (tag.sentMs - before.sentMs);
      });
      expect(mostOf(steps)).toBeLessThan(2);
    },
    60_000,
  );

  it('changes its speed by at most half a percent', () => {
    // The network becomes 700 ms slower after a minute, and stays so.
    const { sent, retiming } = contribution(0, 300_000, (sentMs) => (sentMs < 60_000 ? 0 : 700));
    for (let second = 1; second < 299; second++) {
      const [from, to] = [second * 1000, (second + 1) * 1000].map((ms) => sent.find(({ sentMs }) => sentMs >= ms)!);
      const speed = (to!.sessionMs - from!.sessionMs) / (to!.sentMs - from!.sentMs);
      expect(Math.abs(speed - 1)).toBeLessThan(0.0052 + 0.001);
    }
    const last = sent.at(-1)!;
    expect(retiming.expectedMs(last.arrivalMs) - last.sessionMs).toBeLessThan(50);
  });

  it('lets a burst after a stall of the network be late, and keeps its times', () => {
    const { sent } = contribution(0, 30_000, (sentMs) => (sentMs > 10_000 && sentMs < 15_000 ? 15_000 - sentMs : 0));
    expect(mostOf(sent.map(({ sentMs, sessionMs }) => sessionMs - sentMs))).toBeLessThan(20);
  });

  it('waits no longer for media that stays late', () => {
    const { sent, retiming } = contribution(0, 40_000, (sentMs) => (sentMs > 10_000 ? 5000 : 0));
    const last = sent.at(-1)!;
    expect(Math.abs(retiming.expectedMs(last.arrivalMs) - last.sessionMs)).toBeLessThan(100);
  });

  it.each([
    ['forward', 5_000_000],
    ['back', -9000],
    ['back to zero', -10_000],
  ])('continues when timestamps jump %s', (_, jumpMs) => {
    const retiming = new Retiming({ timestampMs: 0, arrivalMs: 0 });
    const times = { video: [] as number[], audio: [] as number[] };
    for (let ms = 0; ms < 20_000; ms += 20) {
      // The sound jumps 100 ms after the pictures.
      const type = (ms / 20) % 2 === 0 ? 'video' : 'audio';
      const timestampMs = ms + (ms >= (type === 'video' ? 10_000 : 10_100) ? jumpMs : 0);
      const sessionMs = retiming.sessionMs(type, timestampMs, ms);
      retiming.observe(sessionMs, ms);
      times[type].push(sessionMs - ms);
    }
    expect(mostOf(times.video)).toBeLessThan(5);
    expect(mostOf(times.audio)).toBeLessThan(5);
  });

  it('keeps a pause of the contributor as it is', () => {
    const retiming = new Retiming({ timestampMs: 0, arrivalMs: 0 });
    for (const ms of [0, 40, 80, 4000, 4040])
      expect(retiming.sessionMs('video', ms, ms + (ms > 1000 ? 300 : 0))).toBe(ms);
  });

  it('takes sound with another clock by its arrival', () => {
    const retiming = new Retiming({ timestampMs: 5000, arrivalMs: 100 });
    expect(retiming.sessionMs('video', 5000, 100)).toBe(0);
    expect(retiming.sessionMs('audio', 900_000, 140)).toBe(40);
    expect(retiming.sessionMs('audio', 900_021, 160)).toBe(61);
    expect(retiming.sessionMs('video', 5033, 161)).toBe(33);
  });

  it('keeps the lead of media that begins with a burst', () => {
    const retiming = new Retiming({ timestampMs: 0, arrivalMs: 0 });
    for (let ms = 0; ms < 60_000; ms += 40) {
      const arrivalMs = Math.max(0, ms - 2000);
      const sessionMs = retiming.sessionMs('video', ms, arrivalMs);
      retiming.observe(sessionMs, arrivalMs);
      expect(Math.abs(sessionMs - ms)).toBeLessThan(1);
    }
    expect(Math.abs(retiming.expectedMs(58_000) - 60_000)).toBeLessThan(50);
  });
});

describe('the grid of pictures', () => {
  const repeatsOf = (displayTimes: readonly number[], framesPerSecond: number) => {
    const grid = new PictureGrid(framesPerSecond);
    const frames = displayTimes.map((ms) => Math.round((grid.snapped(ms) * framesPerSecond) / 1000));
    return frames.slice(1).filter((frame, index) => frame - frames[index]! !== 1).length;
  };
  const times = (rate: number, seconds: number, offsetMs: number) =>
    Array.from({ length: rate * seconds }, (_, index) => Math.round((index * 1000) / rate + offsetMs));

  it.each([0, 8, 16, 16.67, 17, 25])('repeats and drops no picture of its own rate, %d ms off the grid', (offsetMs) => {
    expect(repeatsOf(times(30, 600, offsetMs), 30)).toBeLessThanOrEqual(1);
  });

  it('repeats one picture of 29.97 a second in each 33 seconds', () => {
    const repeats = repeatsOf(times(29.97, 1000, 0), 30);
    expect(repeats).toBeGreaterThanOrEqual(29);
    expect(repeats).toBeLessThanOrEqual(31);
  });

  it('shows pictures of other rates in order', () => {
    for (const rate of [24, 25, 50, 60]) {
      const grid = new PictureGrid(30);
      const shown = times(rate, 20, 5).map((ms) => grid.snapped(ms));
      expect(shown.every((ms, index) => index === 0 || ms > shown[index - 1]!)).toBe(true);
    }
  });
});
