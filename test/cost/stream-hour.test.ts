// The cost of an hour of a stream: its share of an agent, and egress by bitrate.
import { describe, expect, test } from 'vitest';
import { streamHours } from '../../bin/cost/stream-hour.ts';
import { capacityOf, costOf, shareOf } from '../../lambda/domain/fleet/capacity.ts';
import { stages } from '../../lib/stages.ts';

const { dev, prod } = stages;
const machineUsd = 0.526 + (60 * 0.08) / 730 + 0.005;
const hourOf = (settings: typeof prod, name = '1080p30') => streamHours(settings).find((hour) => hour.name === name)!;
const encoded = costOf({
  backend: 'ffmpeg',
  quality: 'q_1080p',
  framerate: 'f_30',
  videoCodec: 'h264',
  hasSoundTrack: false,
  url: 'rtmps://ingest.example/live',
});
const shareOfMachine = (gpuMegapixels: number) =>
  shareOf(encoded, capacityOf({ cores: 4, speed: 1, memoryMiB: 16_384, networkMbps: null, gpuMegapixels }));

describe('an hour', () => {
  test('costs its share of a GPU machine, and of what is kept free', () => {
    expect(hourOf(prod).usdCompute.ffmpeg).toBeCloseTo((machineUsd * shareOfMachine(prod.gpuMegapixels)) / 0.8, 6);
  });

  test('costs nothing more for a machine that comes when it is needed, as none is kept free', () => {
    expect(hourOf(dev).usdCompute.ffmpeg).toBeCloseTo(machineUsd * shareOfMachine(dev.gpuMegapixels), 6);
  });

  test('costs its share of a Fargate task', () => {
    const { usdCompute } = hourOf({ ...prod, manifestAgentNetworkMbps: 500 });
    expect(usdCompute.manifest).toBeCloseTo(((0.03238 + 2 * 0.00356 + 0.005) * encoded.networkMbps) / (450 * 0.8), 6);
  });

  test('has no price where no agent is large enough', () => {
    expect(hourOf({ ...prod, gpuMegapixels: 61 }).usdCompute).toEqual({ ffmpeg: null, manifest: expect.any(Number) });
  });

  test('costs the egress of its bitrate and of the headers of its packets', () => {
    const { gigabytes, usdEgress, usdSoldFor } = hourOf(prod);
    expect(gigabytes).toBeCloseTo(2.86, 1);
    expect(usdEgress).toEqual({
      dearest: expect.closeTo(gigabytes * 0.09),
      cheapest: expect.closeTo(gigabytes * 0.05),
    });
    expect(usdSoldFor).toBe(0.39);
  });
});

test('each quality at 30 and 60 frames can be bought, each dearer than the one before', () => {
  const hours = streamHours(prod);
  expect(hours.map(({ name }) => name).join(' ')).toBe('720p30 720p60 1080p30 1080p60 1440p30 1440p60 2160p30 2160p60');
  const prices = hours.map(({ usdSoldFor }) => usdSoldFor);
  expect(prices).toEqual(prices.toSorted((a, b) => a - b));
});
