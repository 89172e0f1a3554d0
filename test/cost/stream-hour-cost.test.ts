// What an hour of a stream costs: its share of an agent, by what it costs, and egress, by bitrate.
import { describe, expect, test } from 'vitest';
import { streamKinds } from '../../bin/cost/stream-kinds.ts';
import { type StreamKind, streamHourCosts } from '../../lib/cost/stream-hour-cost.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const { dev, prod } = stages;
const synthTimeoutMs = 60_000;
const nothing = { cores: 0, coresBesideGpu: 0, thread: 0, memoryMiB: 0, networkMbps: 0, gpuMegapixels: 0 };
const encoded = { ...nothing, coresBesideGpu: 0.1, gpuMegapixels: 100 };
const sent = { ...nothing, thread: 0.001, networkMbps: 6 };
const machineUsd = 0.526 + (60 * 0.08) / 730 + 0.005;
const kind: StreamKind = {
  name: 'some',
  bitrateKbps: 6000,
  costs: { ffmpeg: encoded, manifest: sent },
  creditsPerHour: 39,
};

function costIn(settings: StageSettings, stream: StreamKind = kind) {
  const stage = synthesizeStage(testApp(), 'mine', settings);
  const [cost] = streamHourCosts(
    [stream],
    [...stage.stacks.keys()].map((id) => stage.template(id)),
  );
  return cost!;
}

describe('an hour', { timeout: synthTimeoutMs }, () => {
  test('costs the part of a GPU machine that it takes the most of, and of what is kept free', () => {
    expect(costIn({ ...prod, gpuMegapixels: 500 }).usdCompute.ffmpeg).toBeCloseTo((machineUsd * 100) / (500 * 0.8), 6);
    expect(costIn({ ...prod, gpuMegapixels: 50_000 }).usdCompute.ffmpeg).toBeCloseTo(
      (machineUsd * 0.1) / (3.6 * 0.8),
      6,
    );
  });

  test('costs nothing more for a machine that comes when it is needed, as none is kept free', () => {
    expect(costIn({ ...dev, gpuMegapixels: 500 }).usdCompute.ffmpeg).toBeCloseTo((machineUsd * 100) / 500, 6);
  });

  test('costs its share of a Fargate task', () => {
    expect(costIn({ ...prod, manifestAgentNetworkMbps: 500 }).usdCompute.manifest).toBeCloseTo(
      ((0.03238 + 2 * 0.00356 + 0.005) * 6) / (450 * 0.8),
      6,
    );
  });

  test('has no price where no agent is large enough', () => {
    expect(costIn({ ...prod, gpuMegapixels: 99 }).usdCompute).toEqual({ ffmpeg: null, manifest: expect.any(Number) });
  });

  test('costs the egress of its bitrate and of the headers of its packets', () => {
    const { gigabytes, usdEgress, usdSoldFor } = costIn(prod);
    expect(gigabytes).toBeCloseTo((2.7 * 1500) / 1448);
    expect(usdEgress).toEqual({
      dearest: expect.closeTo(gigabytes * 0.09),
      cheapest: expect.closeTo(gigabytes * 0.05),
    });
    expect(usdSoldFor).toBe(0.39);
  });
});

describe('what can be bought', () => {
  test('is each quality at 30 and 60 frames, each dearer and larger than the one before', () => {
    const kinds = streamKinds();
    expect(kinds.map(({ name }) => name)).toEqual([
      '720p30',
      '720p60',
      '1080p30',
      '1080p60',
      '1440p30',
      '1440p60',
      '2160p30',
      '2160p60',
    ]);
    expect(kinds.map(({ creditsPerHour }) => creditsPerHour)).toEqual(
      kinds.map(({ creditsPerHour }) => creditsPerHour).toSorted((a, b) => a - b),
    );
    expect(kinds.every(({ bitrateKbps }) => bitrateKbps > 4000)).toBe(true);
  });
});
