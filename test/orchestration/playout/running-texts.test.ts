// A live-encoded stream draws a clock and a ticker: stored, applied while live, and limited.
import { describe, expect, it } from 'vitest';
import { overlayBounds } from '../../../lambda/domain/playout/overlays.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { activeStream, call, data, readyStream, register, startedStream } = actorsOn(service);
const clock = { timeZone: 'Asia/Tokyo' };
const ticker = { lines: ['Rain all night', 'Morning at six'] };
const wholeClock = { place: 'topLeft', timeZone: 'Asia/Tokyo', shows: 'time', language: 'en-GB' };
const wholeTicker = { place: 'bottom', ...ticker };

const setOverlays = (id: string, overlays: object | null) => call('PATCH', `/streams/${id}`, { look: { overlays } });
const overlaysOf = async (id: string) => (await data().timelines.ofStream(id)).video.at(-1)!.snapshot.overlays;
const issuesOf = async (id: string) => {
  const { body } = await call('GET', `/streams/${id}/readiness`);
  return body.issues.map(({ code }: { code: string }) => code);
};

describe('a clock and a ticker', () => {
  it('are kept with what is left out as it usually is, and are in what a run plays', async () => {
    const id = await startedStream({ look: { overlays: { clock, ticker } } });
    const { body } = await call('GET', `/streams/${id}`);
    expect(body.look.overlays).toMatchObject({ logo: null, title: null, clock: wholeClock, ticker: wholeTicker });
    expect(await overlaysOf(id)).toMatchObject({ logo: null, clock: wholeClock, ticker: wholeTicker });
  });

  it('are taken up on the air where they, or how they look, change, and left out again', async () => {
    await register('agent');
    const { id } = await activeStream('agent');
    await setOverlays(id, { clock });
    expect(await overlaysOf(id)).toMatchObject({ clock: wholeClock });
    await setOverlays(id, { clock: { ...clock, shows: 'dateAndTime' } });
    expect(await overlaysOf(id)).toMatchObject({ clock: { shows: 'dateAndTime' } });
    await setOverlays(id, { clock, theme: { style: 'plain' } });
    expect(await overlaysOf(id)).toMatchObject({ clock: wholeClock, theme: { style: 'plain' } });
    await setOverlays(id, null);
    expect(await overlaysOf(id)).toBeUndefined();
    const { video: entries } = await data().timelines.ofStream(id);
    await setOverlays(id, null);
    expect((await data().timelines.ofStream(id)).video).toEqual(entries);
  });

  it('are not for prepared pictures, and readiness says so', async () => {
    const overlays = { ticker };
    const [encoded, prepared] = ['ffmpeg', 'manifest'].map((streamBackend) =>
      readyStream({ streamBackend, look: { overlays } }),
    );
    expect(await issuesOf(await encoded!)).toEqual([]);
    expect(await issuesOf(await prepared!)).toEqual(['running_not_prepared']);
  });

  it('are in a picture of how a stream would look, together with the title of its time', async () => {
    const id = await readyStream({ name: 'x' });
    const look = { overlays: { clock, ticker, title: { seconds: 5 } } };
    for (const [atSeconds, count] of [
      [1, 5],
      [7, 4],
    ] as const) {
      await call('POST', `/streams/${id}/look/preview`, { look, atSeconds });
      const { rows } = await service.pool().query('select drawing from drawings order by noted_at desc limit 1');
      const lines = rows[0].drawing.texts.map(({ lines: each }: { lines: string[] }) => each);
      expect(lines).toHaveLength(count);
      expect(lines.slice(0, 3)).toEqual([[], ['Rain all night'], ['Morning at six']]);
      expect(lines[3][0]).toMatch(/^\d\d:\d\d$/);
    }
  });

  const { tickerLines, tickerLineLength } = overlayBounds;
  it.each([
    [{ clock: { timeZone: 'Mars/Olympus' } }, '/look/overlays/clock/timeZone'],
    [{ clock: { timeZone: '+02:00' } }, '/look/overlays/clock/timeZone'],
    [{ clock: { language: 'no_language' } }, '/look/overlays/clock/language'],
    [{ clock: { shows: 'seconds' } }, '/look/overlays/clock/shows'],
    [{ ticker: {} }, '/look/overlays/ticker/lines'],
    [{ ticker: { lines: [] } }, '/look/overlays/ticker/lines'],
    [{ ticker: { lines: [' '] } }, '/look/overlays/ticker/lines/0'],
    [{ ticker: { lines: ['x'.repeat(tickerLineLength[1] + 1)] } }, '/look/overlays/ticker/lines/0'],
    [{ ticker: { lines: Array.from({ length: tickerLines[1] + 1 }, String) } }, '/look/overlays/ticker/lines'],
  ])('are refused with the field that is wrong: %#', async (overlays, path) => {
    const { status, body } = await call('POST', '/streams', { look: { overlays } });
    expect([status, body.errors[0].path]).toEqual([422, path]);
  });
});
