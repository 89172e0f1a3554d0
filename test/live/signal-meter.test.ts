// The signal of a session: silence and black are found, and quiet music and dark scenes are not mistaken for them.
import { describe, expect, it } from 'vitest';
import type { SessionSignal } from '../../lambda/domain/live/signal-loss.ts';
import type { SessionEncoder } from '../../lambda/live/session-encoder.ts';
import { SignalMeter } from '../../lambda/live/signal-meter.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { clip, onTime, send } from './contributor.ts';
import type { ClipOptions } from './contributor.ts';

const tools = await findMediaTools(process.env);
const seconds = 5;
const black = 'drawbox=color=black:t=fill';

/** The signal of a session at its end. @param pace seconds that are sent in a second */
async function signalOf(
  options: Omit<ClipOptions, 'seconds'>,
  pace: { readonly speed?: number } = {},
): Promise<SessionSignal> {
  let session: SessionEncoder | undefined;
  const before = (sending: SessionEncoder) => void (session = sending);
  await send(tools, onTime(await clip(tools, { seconds, ...options })), { before, ...pace });
  return session!.signal;
}

describe('pictures', { timeout: 60_000 }, () => {
  it.each([
    ['that are dark, but for some light', [black, `geq=lum='16+24*random(1)*X/W':cb=128:cr=128`]],
    ['of a line of text on black', [black, 'drawbox=color=white:x=20:y=150:w=60:h=4:t=fill']],
    ['of white on each tenth part of a second', []],
  ])('%s are seen', async (_, filters) => {
    const { atSeconds, pictures } = await signalOf({ filters });
    expect(atSeconds).toBeGreaterThan(4.5);
    expect(pictures.sinceSeconds).toBeLessThan(1);
    expect(atSeconds - pictures.lastSeconds).toBeLessThan(1.1);
  });

  it.each([
    ['black', [black]],
    ['of a covered camera, whose sensor is noisy', [black, 'noise=alls=6:allf=t']],
  ])('%s are not seen', async (_, filters) => {
    const { pictures } = await signalOf({ filters });
    expect(pictures).toEqual({ lastSeconds: 0, sinceSeconds: null });
  });

  it('that become black were last seen then', async () => {
    const { pictures } = await signalOf({ filters: ['negate', `${black}:enable='gte(t,2)'`] });
    expect(pictures.lastSeconds).toBeGreaterThan(1.9);
    expect(pictures.lastSeconds).toBeLessThan(2.1);
    expect(pictures.sinceSeconds).toBeNull();
  });
});

describe('sound', { timeout: 60_000 }, () => {
  it.each([
    ['quiet music', '0.004*(sin(2*PI*220*t)+sin(2*PI*277*t))*(0.6+0.4*sin(2*PI*t/3))'],
    ['words with pauses', '0.2*sin(2*PI*300*t)*lt(mod(t\\,1.5)\\,0.3)'],
  ])('of %s is heard', async (_, tone) => {
    const { atSeconds, sound } = await signalOf({ tone });
    expect(sound!.sinceSeconds).toBeLessThan(0.5);
    expect(atSeconds - sound!.lastSeconds).toBeLessThan(1.5);
  });

  it.each([
    ['of zeros', '0'],
    ['of an open line, which hisses', '0.001*(2*random(0)-1)'],
  ])('%s is silence', async (_, tone) => {
    // On a busy machine the decoder of sound begins late, and what came before counts as heard.
    const { sound } = await signalOf({ tone }, { speed: 2 });
    expect(sound!.lastSeconds).toBeLessThan(1);
    expect(sound!.sinceSeconds).toBeNull();
  });

  it('that is no longer sent is silence from then on', async () => {
    let session: SessionEncoder | undefined;
    const tags = await clip(tools, { seconds, tone: '0.2*sin(2*PI*300*t)' });
    const partly = onTime(tags).filter(({ atMs, tag }) => tag.type === 'video' || atMs < 2000);
    // On a busy machine the decoder of sound begins late, and what came before the end counts.
    await send(tools, partly, { speed: 2, before: (sending) => void (session = sending) });
    const { lastSeconds, sinceSeconds } = session!.signal.sound!;
    expect(lastSeconds).toBeGreaterThan(1.8);
    expect(lastSeconds).toBeLessThan(2.2);
    expect(sinceSeconds).toBeNull();
  });

  it('that never came is no silence', async () => {
    expect((await signalOf({ sound: null })).sound).toBeNull();
  });
});

describe('the time since which there is a signal', () => {
  const profile = { width: 64, height: 64, framesPerSecond: 10 };
  const [dark, light] = [16, 200].map((luma) => [Buffer.alloc(64 * 64, luma), Buffer.alloc(64 * 32, 128)] as const);

  it('continues over short pauses, and begins again after long ones', () => {
    const meter = new SignalMeter(profile);
    const parts = [
      [dark, 30],
      [light, 10],
      [dark, 15],
      [light, 10],
      [dark, 30],
      [light, 1],
    ] as const;
    const read = parts.map(([picture, count]) => {
      for (let each = 0; each < count; each++) meter.picture(Math.round(meter.read().atSeconds * 10), picture!);
      return meter.read().pictures.sinceSeconds;
    });
    expect(read).toEqual([null, 3, 3, 3, null, 9.5]);
  });

  it('is measured in pictures that come in pieces', () => {
    const meter = new SignalMeter(profile);
    const half = Buffer.alloc(64 * 63, 16);
    meter.picture(0, [half, Buffer.alloc(64, 200), Buffer.alloc(64 * 32, 128)]);
    meter.picture(1, [half, Buffer.alloc(64, 16), Buffer.alloc(64 * 32, 255)]);
    expect(meter.read().pictures).toEqual({ lastSeconds: 0, sinceSeconds: 0 });
  });
});
