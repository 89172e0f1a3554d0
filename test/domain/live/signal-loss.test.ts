// Losses by silence or black: after the time of the input, for the parts that it names, until there is signal again.
import { describe, expect, it } from 'vitest';
import {
  mayBeLost,
  neverLost,
  presentLoss,
  returnedSeconds,
  signalLoss,
  withLoss,
  withReturn,
} from '../../../lambda/domain/live/signal-loss.ts';
import type { SessionSignal, SignalLoss } from '../../../lambda/domain/live/signal-loss.ts';

const both = { silenceSeconds: 10, blackSeconds: 20 };
const there = (atSeconds: number) => ({ lastSeconds: atSeconds, sinceSeconds: 0 });
const away = (lastSeconds: number) => ({ lastSeconds, sinceSeconds: null });
const signal = (more: Partial<SessionSignal>): SessionSignal => ({
  atSeconds: 60,
  sound: there(60),
  pictures: there(60),
  ...more,
});

describe('a session is lost', () => {
  it.each([
    [{}, both, null],
    [{ sound: away(50.1) }, both, null],
    [{ sound: away(50) }, both, { reason: 'silent', fromSeconds: 50 }],
    [{ pictures: away(40) }, both, { reason: 'black', fromSeconds: 40 }],
    [{ pictures: away(41), sound: away(41) }, both, { reason: 'silent', fromSeconds: 41 }],
    [{ pictures: away(0), sound: null }, { ...both, blackSeconds: null }, null],
    [{ pictures: away(0), sound: away(0) }, neverLost, null],
  ] as const)('by %j and %j as %j', (more, lostAfter, loss) => {
    expect(signalLoss(signal(more), lostAfter)).toEqual(loss);
  });

  it('by no input before five seconds', () => {
    expect(mayBeLost(signal({ sound: away(55.1) }))).toBe(false);
    expect(mayBeLost(signal({ sound: away(55) }))).toBe(true);
    expect(mayBeLost(signal({ sound: null, pictures: away(54) }))).toBe(true);
  });
});

describe('a session returns', () => {
  const since = (sinceSeconds: number) => ({ lastSeconds: 60, sinceSeconds });
  it.each([
    ['once its sound is stable, from the next group on', { sound: since(56.2) }, both, 58],
    ['not before its sound is stable', { sound: since(57.1) }, both, null],
    ['not while it is silent', { sound: away(50) }, both, null],
    ['not while it is black, though there is sound', { sound: since(30), pictures: away(20) }, both, null],
    ['by the part that came last', { sound: since(30), pictures: since(52) }, both, 52],
    ['silent, if silence is no loss any more', { sound: away(50) }, { ...both, silenceSeconds: null }, 0],
    ['without a track of sound', { sound: null, pictures: since(40) }, both, 40],
  ] as const)('%s', (_, more, lostAfter, seconds) => {
    expect(returnedSeconds(signal(more), lostAfter, 5)).toBe(seconds);
  });
});

it('the latest losses of a session are kept, and at most the last one lasts', () => {
  const at = (second: number) => new Date(second * 1000);
  let losses: readonly SignalLoss[] = [];
  for (let each = 0; each < 25; each++) {
    losses = withLoss(losses, 'silent', at(each));
    expect(presentLoss(losses)).toEqual({ reason: 'silent', lostAt: at(each).toISOString(), returnedAt: null });
    losses = withReturn(losses, at(each + 100));
    expect(presentLoss(losses)).toBeNull();
  }
  expect(losses.map(({ lostAt }) => lostAt)).toEqual(
    Array.from({ length: 20 }, (_, each) => at(each + 5).toISOString()),
  );
  expect(losses[0]!.returnedAt).toBe(at(105).toISOString());
});
