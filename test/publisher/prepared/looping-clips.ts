// A stream that loops two prepared clips whose lengths are no whole numbers of groups of pictures.
import type { VideoCodec } from '../../../lambda/domain/shared/video-format.ts';
import type { EncoderSettings } from '../../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { preparedMedia } from '../../../lambda/publisher/prepared/prepared-media.ts';
import { SendSchedule } from '../../../lambda/publisher/prepared/send-schedule.ts';
import { fastEncoder, mediaSample } from '../../support/media-samples.ts';
import { format as h264Format, item, mediaOptions, preparedClips, timelineOf } from './prepared-clips.ts';
import { steadyClock } from './prepared-replica.ts';

const encoders: Readonly<Record<'h264' | 'hevc', EncoderSettings>> = {
  h264: fastEncoder,
  hevc: { codec: 'libx265', preset: 'ultrafast' },
};

/** Clips of 41 and 61 pictures. */
const clips = [item('first', 1.37), item('second', 2.03)];

export async function loopingClips(tools: MediaTools, videoCodec: Exclude<VideoCodec, 'av1'> = 'h264') {
  const prepared = await preparedClips(tools);
  const format = { ...h264Format, videoCodec };
  for (const clip of clips) await prepared.prepare(clip, await mediaSample('plain.mp4'), format, encoders[videoCodec]);
  const { options } = mediaOptions(prepared.objects, () => ({ video: timelineOf(...clips) }));
  return {
    media: preparedMedia({ ...options, format, schedule: new SendSchedule(steadyClock) }),
    [Symbol.asyncDispose]: () => prepared[Symbol.asyncDispose](),
  };
}
