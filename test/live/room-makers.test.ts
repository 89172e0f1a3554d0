// The choice of the connection that makes room: encoders in their handshakes stay before silent known addresses.
import { expect, it } from 'vitest';
import { roomMaker } from '../../lambda/live/room-makers.ts';
import type { Waiting } from '../../lambda/live/room-makers.ts';

const nowMs = 10_000;
const mostAlike = 4;
const encoder = { group: 'encoder', isKnown: false, bytes: 9000, lastBytesAtMs: nowMs - 1 };

function silent(groups: number, ofEach: number): Waiting[] {
  return Array.from({ length: groups * ofEach }, (_, index) => {
    return { group: `known ${index % groups}`, isKnown: true, bytes: 0, lastBytesAtMs: nowMs - 2000 };
  });
}

it.each([
  { addresses: 'crowds of known addresses', groups: 25, ofEach: 8 },
  { addresses: 'many known addresses without a crowd', groups: 50, ofEach: 4 },
])('$addresses keep out no encoder from a new address', ({ groups, ofEach }) => {
  expect(roomMaker([encoder, ...silent(groups, ofEach)], nowMs, mostAlike)).not.toBe(encoder);
});

it('two connections of a known address stay before those of strangers', () => {
  const known = silent(1, 3);
  expect(roomMaker([...known, encoder], nowMs, mostAlike)).toBe(known[2]);
  expect(roomMaker([...known.slice(0, 2), encoder], nowMs, mostAlike)).toBe(encoder);
});
