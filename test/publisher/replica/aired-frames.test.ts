// Pictures count as aired if their bytes were acknowledged, in stretches without a gap.
import { expect, it } from 'vitest';
import type { ItemOccurrence } from '../../../lambda/domain/playout/play-out.ts';
import { AiredFrames } from '../../../lambda/publisher/replica/aired-frames.ts';

const item = { itemID: 'itm', uploadID: 'upl' } as ItemOccurrence['item'];
const planned = { item } as ItemOccurrence;
const standingIn = { item, isStandIn: true } as ItemOccurrence;

/** Sends pictures `from` to `to`, of 100 bytes each. */
function send(aired: AiredFrames, from: number, to: number, occurrence = planned, soundStandIn?: string): void {
  aired.sent(to - 1, occurrence, to - from, soundStandIn ?? null);
  aired.written(to * 100);
}
const inShort = (aired: AiredFrames) =>
  aired.stretches.map(({ from, to, bytes, standIn }) => [from, to, bytes, standIn]);

it('nothing is aired before it has arrived, and then as far as it has', () => {
  const aired = new AiredFrames();
  send(aired, 0, 10);
  send(aired, 10, 20);
  aired.arrived(999);
  expect(inShort(aired)).toEqual([]);
  aired.arrived(1999);
  expect(inShort(aired)).toEqual([[0, 10, 1000, null]]);
  aired.arrived(2000);
  expect(inShort(aired)).toEqual([[0, 20, 2000, null]]);
});

it('what is left out, what stands in, and another connection begin a stretch', () => {
  const aired = new AiredFrames();
  send(aired, 0, 10);
  send(aired, 15, 20);
  send(aired, 20, 25, standingIn);
  aired.arrived(Infinity);
  aired.closed('what is known');
  send(aired, 25, 30);
  aired.arrived(Infinity);
  expect(inShort(aired).map(([from, to, , standIn]) => [from, to, standIn])).toEqual([
    [0, 10, null],
    [15, 20, null],
    [20, 25, 'upl'],
    [25, 30, null],
  ]);
});

it('so does what stands in for an item of the track of sound', () => {
  const aired = new AiredFrames();
  send(aired, 0, 10);
  // Pictures of one write, picture by picture.
  for (let frame = 10; frame < 20; frame++) aired.sent(frame, planned, 1, frame < 13 ? null : 'song');
  aired.written(2000);
  send(aired, 20, 30, planned, 'song');
  send(aired, 30, 35, standingIn, 'song');
  aired.arrived(Infinity);
  expect(aired.stretches.map(({ from, to, standIn, soundStandIn }) => [from, to, standIn, soundStandIn])).toEqual([
    [0, 13, null, null],
    [13, 30, null, 'song'],
    [30, 35, 'upl', 'song'],
  ]);
});

it.each([
  ['what is known', [[0, 10]]],
  ['all but the last', [[0, 19]]],
  ['all', [[0, 20]]],
] as const)('of a connection that ends, what was on its way counts as far as it arrived: %s', (arrived, stretches) => {
  const aired = new AiredFrames();
  send(aired, 0, 10);
  aired.arrived(1000);
  send(aired, 10, 20);
  aired.closed(arrived);
  expect(inShort(aired).map(([from, to]) => [from, to])).toEqual(stretches);
});

it('only the last stretches are kept', () => {
  const aired = new AiredFrames();
  for (let connection = 0; connection < 40; connection++) {
    send(aired, 100 * connection, 100 * connection + 1);
    aired.arrived(Infinity);
    aired.closed('what is known');
  }
  expect(aired.stretches).toHaveLength(16);
  expect(aired.stretches.at(-1)).toMatchObject({ from: 3900, to: 3901 });
});
