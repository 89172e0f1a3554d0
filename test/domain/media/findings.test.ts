// Findings about a bitrate: only if viewers would notice it, and only for whole files.
import { describe, expect, test } from 'vitest';
import { findingsOf } from '../../../lambda/domain/media/findings.ts';
import type { InspectedFacts } from '../../../lambda/domain/media/findings.ts';
import { nothingMeasured } from '../../../lambda/domain/media/measurements.ts';
import type { Measurements } from '../../../lambda/domain/media/measurements.ts';

const minute = 60;
const measured: Measurements = { ...nothingMeasured, pictures: 30 * minute, picturesUntil: minute, soundUntil: minute };

/** The findings for a minute of 1080p30 at a bitrate in bits per second. */
function found(
  bitsPerSecond: number,
  more: Partial<InspectedFacts> = {},
  seen: Partial<Measurements> = {},
  isWhole = true,
) {
  const size = { width: 1920, height: 1080 };
  const sizeBytes = (bitsPerSecond * minute) / 8;
  const facts = { durationSeconds: minute, size, hasSound: true, sizeBytes, videoCodec: 'h264', ...more };
  return findingsOf({ ...measured, ...seen }, facts, null, isWhole).filter(({ kind }) => kind === 'bitrate');
}

describe('a minute of 1080p30', () => {
  test.each([
    ['with what streams have', found(4_400_000)],
    ['with as little as a talking head may have', found(250_000)],
    ['of a newer codec with as little', found(120_000, { videoCodec: 'hevc' })],
    ['that hardly moves', found(40_000, {}, { frozen: [{ start: 0, end: 51 }] })],
    ['of which 20 s move', found(70_000, {}, { frozen: [{ start: 0, end: 40 }] })],
    ['that is black or still', found(40_000, {}, { black: [{ start: 0, end: 30 }], frozen: [{ start: 25, end: 58 }] })],
    ['of a size that nobody knows', found(0, { sizeBytes: null })],
    ['that is still being looked through', found(40_000, {}, {}, false)],
    ['of a mezzanine', found(190_000_000)],
  ])('%s is as it should be', (_what, findings) => {
    expect(findings).toEqual([]);
  });

  test('with hardly any bits looks bad, and the finding says so', () => {
    const detail =
      'The file has 150 kbit/s, which is very little for 1920 × 1080: what moves may fall into blocks. ' +
      'Look at it, and use the original, or make it anew with a higher bitrate.';
    expect(found(150_000)).toEqual([{ kind: 'bitrate', startSeconds: null, endSeconds: null, detail }]);
    expect(found(50_000, {}, { frozen: [{ start: 0, end: 40 }] })).toHaveLength(1);
    expect(found(80_000, { videoCodec: 'av1' })).toHaveLength(1);
  });

  test('with many times what streams have may come too slowly', () => {
    expect(found(250_000_000)).toMatchObject([{ detail: expect.stringMatching(/^The file has 250 Mbit\/s/) }]);
  });
});

test('of many stretches the longest fifteen are told, and how many there are besides', () => {
  const black = Array.from({ length: 40 }, (_, index) => ({ start: index * 100, end: index * 100 + 3 + index / 10 }));
  const facts = { durationSeconds: 4000, size: { width: 1920, height: 1080 }, hasSound: true };
  const findings = findingsOf(
    { ...nothingMeasured, black },
    { ...facts, sizeBytes: null, videoCodec: null },
    null,
    false,
  );
  expect(findings).toHaveLength(15);
  expect(findings.map(({ startSeconds }) => startSeconds)).toEqual(black.slice(25).map(({ start }) => start));
  expect(findings.at(-1)!.detail).toMatch(/There are 25 more, which are shorter\.$/);
});
