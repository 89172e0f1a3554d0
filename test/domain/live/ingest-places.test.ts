// The places of a live ingest, and those that a session takes by its format.
import { describe, expect, it } from 'vitest';
import { ingestPlaces, localPlaces, placesOf } from '../../../lambda/domain/live/ingest-places.ts';
import type { Framerate, Quality } from '../../../lambda/domain/shared/video-format.ts';

describe('a session takes', () => {
  it.each([
    ['q_720p', 'f_24', 1, 1],
    ['q_720p', 'f_60', 1, 1],
    ['q_1080p', 'f_30', 1, 1],
    ['q_1080p', 'f_60', 2, 1],
    ['q_1440p', 'f_30', 2, 1],
    ['q_1440p', 'f_60', 4, 2],
    ['q_2160p', 'f_30', 4, 2],
    ['q_2160p', 'f_60', 8, 3],
  ] satisfies [Quality, Framerate, number, number][])('at %s %s %i places, and %i with a GPU', (...format) => {
    const [quality, framerate, places, besideGpu] = format;
    const of = { quality, framerate, videoCodec: 'h264' } as const;
    expect([placesOf(of, { isOnGpu: false }), placesOf(of, { isOnGpu: true })]).toEqual([places, besideGpu]);
  });
});

it('a small machine with a local run has four places, three of them for one user or those who are not funded', () => {
  expect(localPlaces(2)).toEqual({ count: 4, ofUser: 3, ofUnfunded: 3, ofSession: 2 });
  expect(localPlaces(16)).toEqual({ count: 16, ofUser: 12, ofUnfunded: 15, ofSession: 16 });
});

it('a user may have a quarter of an ingest, and those who are not funded half of it, but at least one place', () => {
  expect(ingestPlaces(1)).toEqual({ count: 1, ofUser: 1, ofUnfunded: 1, ofSession: 1 });
  expect(ingestPlaces(2)).toEqual({ count: 2, ofUser: 1, ofUnfunded: 1, ofSession: 2 });
  expect(ingestPlaces(8)).toEqual({ count: 8, ofUser: 2, ofUnfunded: 4, ofSession: 8 });
});
