// The endless media of a stream, encoded by one ffmpeg per item: pictures and sound on one grid, over all joins.
import type { Log } from '../../log.ts';
import type { Timelines } from '../../data/timelines.ts';
import type { ItemOccurrence } from '../../domain/play-out.ts';
import { levelAt } from '../../domain/sound.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { openItem } from '../ffmpeg/item-source.ts';
import { openJoinedAudio } from '../ffmpeg/joined-audio.ts';
import type { JoinedAudioRequest } from '../ffmpeg/joined-audio.ts';
import type { VideoFrame } from '../ffmpeg/video-source.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { ItemTrack } from './item-track.ts';
import type { ItemSound } from './item-track.ts';
import type { MediaTools } from '../media/media-tools.ts';

export interface MediaOptions {
  readonly tools: MediaTools;
  readonly profile: Profile;
  /** What an item that begins now is encoded with. */
  readonly encoder: () => EncoderSettings;
  readonly loadTimelines: () => Promise<Timelines>;
  /** Answers with a URL from which ffmpeg can read an object for as long as an item lasts. */
  readonly urlOf: (objectKey: string) => Promise<string>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** One picture of the stream with exactly its share of sound. */
export interface TimedFrame {
  /** Counted from the anchor of the run, in decode order. */
  readonly frame: number;
  readonly video: VideoFrame;
  /** PCM s16le, 48 kHz stereo, `profile.samplesPerFrame` samples. */
  readonly samples: Buffer;
  readonly occurrence: ItemOccurrence;
  /** The upload whose sound it is, in place of the item that the track of sound has there; null: there is none. */
  readonly soundStandIn: string | null;
}

export interface FrameSource {
  /** The next frame. @throws {MediaError} when nothing of the timeline can be played */
  next(): Promise<TimedFrame>;
  close(): Promise<void>;
}

/**
 * Opens the stream at `startFrame`. If the stream has a track of sound, it is played in place of the items' own sound.
 */
export async function openFrames(options: MediaOptions, startFrame: number): Promise<FrameSource> {
  const { tools, profile, encoder, loadTimelines, urlOf, log, signal } = options;
  const hasAudioTrack = (await loadTimelines()).audio.length > 0;
  const common = { framesPerSecond: profile.framesPerSecond, log };

  const pictures = new ItemTrack(
    {
      ...common,
      loadTimeline: async () => (await loadTimelines()).video,
      open: async (item, range, { level }) => {
        const sourceURL = await urlOf(item.objectKey);
        const kind = item.kind === 'image' ? 'image' : 'video';
        const request = {
          sourceURL,
          kind,
          dynamicRange: item.dynamicRange,
          framing: item.framing,
          decodeCost: item.decodeCost,
          hasAudio: item.hasAudio,
          ...range,
          profile,
          encoder: encoder(),
          audio: !hasAudioTrack,
          level,
        } as const;
        return openItem(tools, request, signal);
      },
    },
    startFrame,
  );
  const sound = new ItemTrack(
    {
      ...common,
      loadTimeline: async () => (await loadTimelines()).audio,
      open: async (item, range, sound) => {
        const sourceURL = await urlOf(item.objectKey);
        const { level, join } = sound;
        const samples = {
          startSample: range.startFrame * profile.samplesPerFrame,
          sampleCount: range.frameCount * profile.samplesPerFrame,
        };
        const tailSeconds = join?.kind === 'fade' ? join.seconds : null;
        const request = { sourceURL, level, ...samples, head: await headOf(sound, options), tailSeconds };
        return openJoinedAudio(tools, request, signal);
      },
    },
    startFrame,
  );

  return {
    async next() {
      const picture = await pictures.step(async (item) => {
        const video = await item.readFrame();
        if (!video) throw new Error('an item ended before its last frame');
        return { video, samples: hasAudioTrack ? null : await item.readSamples(profile.samplesPerFrame) };
      });
      const { frame, occurrence, result } = picture;
      if (result.samples)
        return { frame, video: result.video, samples: result.samples, occurrence, soundStandIn: null };
      const heard = await sound.step((item) => item.readSamples(profile.samplesPerFrame));
      const { item, isStandIn } = heard.occurrence;
      const soundStandIn = isStandIn ? item.uploadID : null;
      return { frame, video: result.video, samples: heard.result, occurrence, soundStandIn };
    },
    async close() {
      await Promise.all([pictures.close(), sound.close()]);
    },
  };
}

/** How the beginning of an item is joined to what plays before it. */
async function headOf({ before }: ItemSound, { profile, urlOf }: MediaOptions): Promise<JoinedAudioRequest['head']> {
  if (!before?.item.join) return null;
  const { item, startFrame, frameCount } = before;
  const { kind, seconds } = before.item.join;
  if (kind === 'fade') return { seconds, from: null };
  const sourceURL = await urlOf(item.objectKey);
  const level = levelAt(item, startFrame, profile.framesPerSecond);
  return { seconds, from: { sourceURL, level, startSample: frameCount * profile.samplesPerFrame } };
}
