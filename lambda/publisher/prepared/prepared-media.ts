// The media of the prepared backend: renditions that are sent as they are, so that nothing but the joins is computed.
import type { Track } from '../../data/playout/timelines.ts';
import { pictureMs } from '../../domain/playout/prepared-play-out.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { audioFormat, profileOf } from '../ffmpeg/profile.ts';
import type { OpenMedia, StreamMedia } from '../replica/stream-media.ts';
import { PreparedSender } from './prepared-sender.ts';
import type { SegmentStore } from './segment-store.ts';
import type { SendSchedule } from './send-schedule.ts';
import { SpanQueue } from './span-queue.ts';
import { Splicer } from './splicer.ts';
import { TrackReader } from './track-reader.ts';
import type { PreparedTimeline, TrackReaderOptions } from './track-reader.ts';

export interface PreparedMediaOptions extends Pick<TrackReaderOptions, 'onLost' | 'log'> {
  readonly format: PictureFormat;
  readonly store: SegmentStore;
  readonly schedule: Pick<SendSchedule, 'add'>;
  /** Called anew for every item. The audio track has no entries where the pictures' own sound plays. */
  readonly loadTimelines: () => Promise<Readonly<Record<Track, PreparedTimeline>>>;
}

/** A connection stands within this time. */
const startUpMs = 300;
/** Media is read this long before it is due. */
const aheadSeconds = 2;
/**
 * Half an AAC frame. The sound of a playing may begin this long before its first picture, where pictures are shown as
 * they are decoded.
 */
const soundLeadMs = 11;
const soundFramesAhead = (aheadSeconds * audioFormat.sampleRate) / audioFormat.samplesPerAacFrame;

export function preparedMedia(options: PreparedMediaOptions): StreamMedia {
  const profile = profileOf(options.format);
  return { profile, startUpMs, open: (startFrame) => open(options, startFrame) };
}

async function open(options: PreparedMediaOptions, wantedFrame: number): Promise<OpenMedia> {
  const { format, schedule, loadTimelines } = options;
  const profile = profileOf(format);
  const { framesPerSecond } = profile;
  const readerOf = (track: Track, trackFormat: RenditionFormat, frame: number) => {
    const loadTimeline = async () => (await loadTimelines())[track];
    return new TrackReader({ ...options, format: trackFormat, framesPerSecond, loadTimeline }, frame);
  };

  const reader = readerOf('video', format, wantedFrame);
  const first = await reader.next();
  const startFrame = first.playing.startFrame + first.first;
  const hasSoundTrack = (await loadTimelines()).audio.entries.length > 0;
  const { videoSequenceHeader, audioSequenceHeader } = first.header;
  const firstPictureMs = pictureMs(first.playing, first.first, framesPerSecond);
  const originMs = profile.compositionDelayFrames === 0 ? firstPictureMs - soundLeadMs : firstPictureMs;
  const splicer = new Splicer(profile, originMs, { video: videoSequenceHeader, audio: audioSequenceHeader });
  let sender: PreparedSender | null = null;
  const pictures = new SpanQueue(reader, aheadSeconds * framesPerSecond, (error) => sender?.fail(error));
  pictures.push(first);
  let sound: SpanQueue | null = null;
  if (hasSoundTrack) {
    // If the track of sound fails, the stream goes on with the pictures' own sound.
    sound = new SpanQueue(readerOf('audio', 'sound', startFrame), soundFramesAhead, (error) => {
      options.log('sound_not_playable', { error: String(error) });
      sound = null;
      sender?.useOwnSound();
    });
    await sound.fill();
  }
  return {
    startFrame,
    sequenceHeaders: [
      { type: 'audio', timestampMs: 0, payload: audioSequenceHeader },
      { type: 'video', timestampMs: 0, payload: videoSequenceHeader! },
    ],
    async send(sending) {
      const tracks = { pictures, sound, hasSoundTrack };
      sender = new PreparedSender({ ...sending, profile, schedule, splicer, ...tracks, startFrame });
      await sender.run();
    },
    async close() {
      pictures.close();
      sound?.close();
    },
  };
}
