// An item that costs more to decode than its agent has room for does not delay the other streams of the machine.
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { openFrames } from '../../../lambda/publisher/encoded/ffmpeg-media.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { fastEncoder, mediaSample } from '../../support/media-samples.ts';
import { descendantsOf } from '../../support/processes.ts';
import { format, item, timelineOf } from '../prepared/prepared-clips.ts';

const tools = await findMediaTools(process.env);

it.each([
  ['has the lowest priority', 1, [19]],
  ['has the usual one within the cost', 18, [0]],
])('%s', async (_, mostDecodeCost, expected) => {
  const path = await mediaSample('plain.mp4');
  const video = timelineOf(item('costly', 2, { hasAudio: false, decodeCost: 18 }));
  const source = await openFrames(
    {
      tools,
      profile: profileOf(format),
      encoder: () => fastEncoder,
      mostDecodeCost: () => mostDecodeCost,
      signal: new AbortController().signal,
      loadTimelines: async () => ({ video, audio: [] }),
      urlOf: async () => path,
      captionsOf: async () => null,
      anchoredAtMs: async () => 0,
      log: () => {},
    },
    0,
  );
  const next = source.next();
  const priorities = async () => {
    const running = (await descendantsOf(process.pid)).filter(({ name }) => name.startsWith('ffmpeg'));
    return running.map(({ pid }) => getPriority(pid));
  };
  await expect.poll(priorities, { interval: 5 }).toEqual(expected);
  await next;
  await source.close();
});
