// A destination that accepts no data for some seconds is stalled, unless the watch itself was not running.
import { expect, it } from 'vitest';
import { DeliveryWatch } from '../../../lambda/publisher/replica/delivery-watch.ts';
import { Figures } from '../../../lambda/publisher/replica/figures.ts';
import { DestinationError } from '../../../lambda/publisher/destination/destination-error.ts';

/** The times of the watch's checks in milliseconds: four in a second. */
const seconds = (from: number, to: number) =>
  Array.from({ length: (to - from) * 4 }, (_, quarter) => (from + quarter / 4) * 1000);

function watchOf(publisher: {
  bytesSent: number;
  bytesQueued: number;
  bytesDelivered: number | null;
  heldSeconds: number;
  deliveredAgoMs: number;
  bytesAcknowledged: number | null;
}): DeliveryWatch {
  return new DeliveryWatch({ publisher, figures: new Figures(), onEvidence: () => {} }, 0);
}

it.each([
  [
    'whose system acknowledges nothing',
    { bytesSent: 1000, bytesQueued: 0, bytesDelivered: 10, deliveredAgoMs: 0, heldSeconds: 0, bytesAcknowledged: null },
    5,
  ],
  [
    'of whose system nothing is known',
    {
      bytesSent: 1000,
      bytesQueued: 990,
      bytesDelivered: null,
      deliveredAgoMs: 0,
      heldSeconds: 0,
      bytesAcknowledged: null,
    },
    6,
  ],
])('a destination %s is stalled after so many seconds', (_, publisher, afterSeconds) => {
  const watch = watchOf(publisher);
  for (const nowMs of seconds(0, afterSeconds - 1)) watch.check(nowMs);
  const lookOn = () => seconds(afterSeconds - 1, afterSeconds).forEach((nowMs) => watch.check(nowMs));
  expect(lookOn).toThrow(new DestinationError('stalled'));
});

it('time in which the watch did not look, as the process had no CPU, is not held against a destination', () => {
  const publisher = {
    bytesSent: 1000,
    bytesQueued: 0,
    bytesDelivered: 10,
    deliveredAgoMs: 0,
    heldSeconds: 0,
    bytesAcknowledged: null,
  };
  const watch = watchOf(publisher);
  for (const nowMs of seconds(0, 2)) watch.check(nowMs);
  watch.check(20_000);
  publisher.bytesDelivered = 20;
  for (const nowMs of seconds(20.25, 24)) watch.check(nowMs);
  expect(() => seconds(24, 26).forEach((nowMs) => watch.check(nowMs))).toThrow(new DestinationError('stalled'));
});

it('what arrived some time before it was seen counts from then', () => {
  const publisher = {
    bytesSent: 1000,
    bytesQueued: 0,
    bytesDelivered: 10,
    deliveredAgoMs: 0,
    heldSeconds: 0,
    bytesAcknowledged: null,
  };
  const watch = watchOf(publisher);
  for (const nowMs of seconds(0, 2)) watch.check(nowMs);
  Object.assign(publisher, { bytesDelivered: 20, deliveredAgoMs: 1000 });
  for (const nowMs of seconds(2, 5.5)) watch.check(nowMs);
  expect(() => seconds(5.5, 6).forEach((nowMs) => watch.check(nowMs))).toThrow(new DestinationError('stalled'));
});

it('time in which nothing was sent is not held against a server that acknowledges what it gets', () => {
  const publisher = {
    bytesSent: 0,
    bytesQueued: 0,
    bytesDelivered: null,
    deliveredAgoMs: 0,
    heldSeconds: 0,
    bytesAcknowledged: 0,
  };
  const watch = watchOf(publisher);
  const send = (bytes: number, acknowledges: boolean) => (nowMs: number) => {
    publisher.bytesSent += bytes;
    if (acknowledges) publisher.bytesAcknowledged = publisher.bytesSent;
    watch.check(nowMs);
  };
  seconds(0, 5).forEach(send(1000, true));
  seconds(5, 15).forEach(send(0, false));
  send(100_000, false)(15_000);
  seconds(15.25, 17).forEach(send(1000, false));
  expect(() => seconds(17, 20).forEach(send(1000, false))).toThrow(new DestinationError('stalled'));
});
