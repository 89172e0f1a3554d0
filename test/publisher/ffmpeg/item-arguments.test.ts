// Threads that open a user's file: as few as its pictures need, and never one for each core of a large machine.
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { decodingThreads } from '../../../lambda/domain/fleet/capacity.ts';
import { decodeCost } from '../../../lambda/domain/media/source-limits.ts';
import { audioArguments, videoArguments } from '../../../lambda/publisher/ffmpeg/item-arguments.ts';
import { onlyLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { fastEncoder } from '../../support/media-samples.ts';

const picturesOf = (width: number, height: number, framerate: number) =>
  decodingThreads(decodeCost({ width, height, framerate, isDeep: false }));

/** The thread option of the input, which precedes the input. */
function inputThreads(given: readonly string[]): string | undefined {
  const beforeInput = given.slice(0, given.indexOf('-i'));
  expect(beforeInput[beforeInput.indexOf('-filter_threads') + 1]).toBe(
    beforeInput[beforeInput.indexOf('-threads') + 1],
  );
  return beforeInput[beforeInput.indexOf('-threads') + 1];
}

describe('the threads that decode while a stream is sent', () => {
  it('grow with the work, whatever the machine has', () => {
    expect([picturesOf(1280, 720, 30), picturesOf(1920, 1080, 60), picturesOf(3840, 2160, 60)]).toEqual([2, 3, 6]);
    expect(decodingThreads(null)).toBe(6);
    expect(picturesOf(7680, 4320, 60)).toBeLessThanOrEqual(19);
  });

  it('are said to ffmpeg for every source, and fewer in the background', () => {
    const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' });
    const common = { startFrame: 0, frameCount: 30, profile, encoder: fastEncoder } as const;
    const layers = (item: object = {}) => [onlyLayer({ sourceURL: '/media', kind: 'video', ...item })];
    const most = availableParallelism() + 1;
    const threads = [
      videoArguments({ ...common, layers: layers({ decodeCost: 1 }) }),
      videoArguments({ ...common, layers: layers() }),
      videoArguments({ ...common, layers: layers(), background: true }),
      videoArguments({ ...common, layers: layers({ kind: 'image' }) }),
      audioArguments({ sourceURL: '/media', startSample: 0, sampleCount: 48_000 }),
    ].map(inputThreads);
    expect(threads).toEqual(['2', String(Math.min(6, most)), '2', '1', '2']);
  });
});
