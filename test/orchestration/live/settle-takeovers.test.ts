// Takeovers that begin and end by time: no stream waits for a lock or a failure of another, and looks have rests.
import { describe, expect, it } from 'vitest';
import { lookRestSeconds } from '../../../lambda/domain/live/block-windows.ts';
import { weekdays } from '../../../lambda/domain/shared/wall-clock.ts';
import { followWindow } from '../../../lambda/orchestration/live/due-takeovers.ts';
import { KeptBlockWindows } from '../../../lambda/orchestration/live/kept-block-windows.ts';
import { settleTakeovers } from '../../../lambda/orchestration/live/settle-takeovers.ts';
import { inFuture, startOptions } from '../../support/actors.ts';
import { pretendPrepared, pretendReceived } from '../../support/live-inputs.ts';
import { testService } from '../../support/service.ts';
import { dayMs, takeoversOn } from '../../support/timed-takeovers.ts';

const service = testService();
const { call, create, data, settle, startedStream, transaction } = takeoversOn(service);
const query = async (text: string, values: readonly unknown[] = []) =>
  (await service.pool().query(text, [...values])).rows;

/** A stream with an input that receives a contributor. */
async function received(settings: object = {}) {
  const streamID = await startedStream();
  await pretendPrepared(service, streamID);
  const liveInputID: string = await create('/live-inputs', { name: 'Studio', streamID, ...settings });
  return { streamID, liveInputID, sessionID: await pretendReceived(service, liveInputID) };
}

/** Two streams that receive contributors; takeovers of the first one begin first. */
const two = async (settings: object = {}) => [await received(settings), await received(settings)] as const;
const takeOver = ({ streamID, liveInputID }: { streamID: string; liveInputID: string }, more: object = {}) =>
  call('POST', `/streams/${streamID}/takeovers`, { liveInputID, ...more });
const isShown = async ({ streamID }: { streamID: string }) =>
  (await data().takeovers.openOf(streamID))?.intervals.at(-1)?.toFrame === null;

describe('a stream that a plan has locked', () => {
  it.each([
    ['the end', `end_at = now()`],
    ['the look for the end of a window', `look_again_at = now() - interval '1 second'`],
  ])('does not hold up %s of a takeover of another one', async (_, due) => {
    const [locked, other] = await two();
    for (const each of [locked, other]) expect((await takeOver(each)).status).toBe(202);
    await query(`update takeovers set ${due}`);
    await transaction(async (tx) => {
      await tx.streams.lockAny(locked.streamID);
      await settle();
      expect([await isShown(locked), await isShown(other)]).toEqual([true, false]);
    });
    await settle();
    expect(await isShown(locked)).toBe(false);
  });

  it('does not hold up the planned beginning of a takeover of another one', async () => {
    const [locked, other] = await two();
    for (const each of [locked, other]) await takeOver(each, { startAt: inFuture(60) });
    await query(`update takeovers set start_at = now() + interval '5 seconds'`);
    await transaction(async (tx) => {
      await tx.streams.lockAny(locked.streamID);
      await settle();
      expect([await isShown(locked), await isShown(other)]).toEqual([false, true]);
    });
    await settle();
    expect(await isShown(locked)).toBe(true);
  });

  it('does not hold up the windows of inputs of another one', async () => {
    const [from, to] = [-60, 60].map((minutes) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16));
    const hours = [{ days: [...weekdays], from, to }];
    const [locked, other] = await two({ takes: 'in_windows', windows: { timeZone: 'UTC', hours } });
    const own = [locked.sessionID, other.sessionID];
    await transaction(async (tx) => {
      await tx.streams.lockAny(locked.streamID);
      await settle(...own);
      expect([await isShown(locked), await isShown(other)]).toEqual([false, true]);
    });
    await settle(...own);
    expect(await isShown(locked)).toBe(true);
  });

  it('does not hold up the end of a silent session of another one', async () => {
    const [locked, other] = await two();
    for (const each of [locked, other]) await takeOver(each);
    await query(`update live_sessions set reported_at = now() - interval '1 minute'`);
    const ended = async () =>
      (await query('select id from live_sessions where ended_at is not null order by id')).map(({ id }) => id);
    const sweep = () => settleTakeovers(service.pool(), { newID: startOptions.newID, clock: () => new Date() });
    await transaction(async (tx) => {
      await tx.streams.lockAny(locked.streamID);
      expect(await sweep()).toEqual([]);
      expect(await ended()).toEqual([other.sessionID]);
    });
    await sweep();
    expect(await ended()).toEqual([locked.sessionID, other.sessionID].toSorted());
  });
});

it('settles the takeovers of other streams if one of them fails, and has its failure', async () => {
  const [failing, other] = await two();
  for (const each of [failing, other]) await takeOver(each);
  const { id } = (await data().takeovers.openOf(failing.streamID))!;
  await query('update streams set run_framerate = null where id = $1', [failing.streamID]);
  await query('update takeovers set end_at = now()');
  const options = { newID: startOptions.newID, clock: () => new Date() };
  const ingest = { own: new Set<string>(), windows: new KeptBlockWindows(), endsSilent: false };
  expect(await settleTakeovers(service.pool(), options, ingest)).toEqual([{ id, error: expect.any(Error) }]);
  expect([await isShown(failing), await isShown(other)]).toEqual([true, false]);
});

describe('a look for the end of a window', () => {
  const lookAt = async () => (await query('select look_again_at from takeovers'))[0].look_again_at as Date;
  const changed = (liveInputID: string) => call('PATCH', `/live-inputs/${liveInputID}`, { takes: 'on_request' });

  it('is not made again by an ingest that had read before that it is due', async () => {
    const shown = await received();
    await takeOver(shown);
    await query(`update takeovers set look_again_at = now() - interval '1 second'`);
    const now = await data().now();
    const [due] = await data().takeovers.toLookAgain(now, 1);
    await transaction((tx) => followWindow(tx, due!, now));
    const next = await lookAt();
    expect(next.getTime()).toBe(now.getTime() + dayMs);
    await transaction((tx) => followWindow(tx, due!, new Date(now.getTime() + 1000)));
    expect(await lookAt()).toEqual(next);
  });

  it('has a rest since the one before, and changes meanwhile have one look together', async () => {
    const shown = await received();
    await takeOver(shown);
    const lookedAgo = (seconds: number) =>
      query(`update takeovers set look_again_at = now() + interval '1 day' - make_interval(secs => $1)`, [seconds]);
    const toLook = async () => (await data().takeovers.toLookAgain(await data().now(), 10)).length;
    await lookedAgo(1);
    const lookedAt = (await lookAt()).getTime() - dayMs;
    for (let change = 0; change < 3; change += 1) {
      await changed(shown.liveInputID);
      expect((await lookAt()).getTime()).toBe(lookedAt + lookRestSeconds * 1000);
    }
    expect(await toLook()).toBe(0);
    await lookedAgo(lookRestSeconds + 1);
    await changed(shown.liveInputID);
    expect(await toLook()).toBe(1);
  });
});
