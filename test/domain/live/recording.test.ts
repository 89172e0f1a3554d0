// Recordings of sessions: the segments that takeovers have shown, their bounds, and their names.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  areSegmentsKept,
  expectedBytes,
  isRecordingSource,
  recordedSegments,
  recordingName,
  recordingSource,
} from '../../../lambda/domain/live/recording.ts';
import { faultOfImportURL } from '../../../lambda/domain/sources/import-url.ts';

const format = { quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' } as const;
const gopFrames = 60;
const shown = (firstSegment: number, frames: number | null, fromFrame = 900) => ({
  sessionID: 'lse_a',
  fromFrame,
  toFrame: frames === null ? null : fromFrame + frames,
  firstSegment,
});
const recorded = (intervals: Parameters<typeof recordedSegments>[0], stored = 1000) =>
  recordedSegments(intervals, { format, stored }, gopFrames);

describe('recorded segments', () => {
  it('begin at most six seconds before the first picture on the air, with a whole frame of sound', () => {
    fc.assert(
      fc.property(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 20_000 }), (first, frames) => {
        const { firstSegment, segmentCount } = recorded([shown(first, frames)])!;
        expect((firstSegment * 2 * 48_000) % 1024).toBe(0);
        expect(first - firstSegment).toBeLessThan(4);
        expect(first - firstSegment).toBeGreaterThanOrEqual(0);
        expect(firstSegment + segmentCount).toBe(Math.min(1000, first + Math.ceil(frames / gopFrames)));
      }),
    );
  });

  it('go on to the last stored one if the end of the takeover is not known', () => {
    expect(recorded([shown(8, null)], 20)).toEqual({ firstSegment: 8, segmentCount: 12, isCut: false });
  });

  it('span all parts of a session that were shown', () => {
    const parts = [shown(9, 120), shown(30, 61, 5000)];
    expect(recorded(parts)).toEqual({ firstSegment: 8, segmentCount: 24, isCut: false });
  });

  it('are none if nothing was shown, or nothing of it is stored', () => {
    expect(recorded([])).toBeNull();
    expect(recorded([shown(9, 0)])).toBeNull();
    expect(recorded([shown(9, 600)], 9)).toBeNull();
  });

  it('are cut after twelve hours, or a hundred gibibytes', () => {
    const day = (24 * 3600) / 2;
    expect(recorded([shown(0, null)], day)).toEqual({ firstSegment: 0, segmentCount: day / 2, isCut: true });
    const large = { quality: 'q_2160p', framerate: 'f_60', videoCodec: 'h264' } as const;
    const cut = recordedSegments([shown(0, null)], { format: large, stored: day }, 120)!;
    expect(cut.isCut).toBe(true);
    expect(cut.segmentCount).toBeLessThan(day / 2);
    expect(expectedBytes(large, cut)).toBeLessThanOrEqual(100 * 2 ** 30);
  });

  it('are kept for eleven hours after the recording was requested', () => {
    const createdAt = new Date('2030-01-31T00:00:00Z');
    expect(areSegmentsKept(createdAt, new Date('2030-01-31T10:59:59Z'))).toBe(true);
    expect(areSegmentsKept(createdAt, new Date('2030-01-31T11:00:00Z'))).toBe(false);
  });
});

describe('a recording', () => {
  it('has the name of its input and its time, in 255 characters', () => {
    const at = new Date('2030-01-31T18:05:59Z');
    expect(recordingName('Studio', at)).toBe('Studio 2030-01-31 18:05 UTC');
    const long = recordingName('📷'.repeat(255), at);
    expect(Array.from(long)).toHaveLength(255);
    expect(long.endsWith('📷 2030-01-31 18:05 UTC')).toBe(true);
  });

  it('has a source that no link can be', () => {
    expect(isRecordingSource(recordingSource('lse_a'))).toBe(true);
    expect(isRecordingSource('https://example.org/live:')).toBe(false);
    expect(faultOfImportURL(recordingSource('lse_a'), { allowPrivateAddresses: true })).not.toBeNull();
  });
});
