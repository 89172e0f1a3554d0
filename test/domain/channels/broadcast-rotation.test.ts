// The time of a broadcast's rotation: after the requested duration, at the start of an item.
import { describe, expect, it } from 'vitest';
import { rotationOf } from '../../../lambda/domain/channels/broadcast-rotation.ts';
import type { RotatingRun } from '../../../lambda/domain/channels/broadcast-rotation.ts';

const at = (time: string) => new Date(`2026-11-22T${time}Z`);
const item = (itemID: string, durationSeconds: number) => ({
  itemID,
  uploadID: itemID,
  name: itemID,
  objectKey: itemID,
  kind: 'video' as const,
  durationSeconds,
  hasAudio: true,
});
const run: RotatingRun = {
  liveAt: at('00:00:10'),
  afterMinutes: 60,
  spread: 0,
  // Laps of 7 minutes and 30 seconds from the anchor on.
  timeline: [
    {
      number: 0,
      offsetSeconds: 0,
      playlistID: null,
      snapshot: { mode: 'sequential', seed: 1, items: [item('a', 300), item('b', 150)] },
    },
  ],
  anchoredAt: at('00:00:00'),
  framesPerSecond: 30,
};

describe('a rotation', () => {
  it('comes with the first item that begins after its time', () => {
    // Due at 01:00:10: the eighth lap ends at 01:00:00, and its first item at 01:05:00.
    expect(rotationOf(run)).toEqual({ prepareAt: at('00:50:10'), at: at('01:05:00') });
    expect(rotationOf({ ...run, liveAt: at('00:00:00') }).at).toEqual(at('01:00:00'));
  });

  it('waits for no item where nothing is known of what is played', () => {
    expect(rotationOf({ ...run, anchoredAt: null }).at).toEqual(at('01:00:10'));
    expect(rotationOf({ ...run, timeline: [] }).at).toEqual(at('01:00:10'));
  });

  it('comes earlier by a share that differs between broadcasts', () => {
    expect(rotationOf({ ...run, spread: 0.5, timeline: [] }).at).toEqual(at('00:59:34'));
  });
});
