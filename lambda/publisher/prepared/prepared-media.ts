// The media of the manifest backend: renditions, sent as they are. No process, and nothing to compute but the joins.
import type { Track } from '../../data/timelines.ts';
import { pictureMs } from '../../domain/prepared-play-out.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/rendition.ts';
import { audioFormat, profileOf } from '../ffmpeg/profile.ts';
import type { OpenMedia, StreamMedia } from '../stream-media.ts';
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
  /** Asked anew at every item. The audio track has no entries when the video's own sound plays. */
  readonly loadTimelines: () => Promise<Readonly<Record<Track, PreparedTimeline>>>;
}

/** By the time a connection stands. */
const startUpMs = 300;
/** Read before it is due. */
const aheadSeconds = 2;
/** Half an AAC frame: as much before its first picture may the sound of a playing begin, where pictures are shown as they are decoded. */
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
  const readerOf = (track: Track, format: RenditionFormat, frame: number) =>
    new TrackReader(
      { ...options, format, framesPerSecond, loadTimeline: async () => (await loadTimelines())[track] },
      frame,
    );

  const reader = readerOf('video', format, wantedFrame);
  const first = await reader.next();
  const startFrame = first.playing.startFrame + first.first;
  const hasSoundTrack = (await loadTimelines()).audio.entries.length > 0;
  const { videoSequenceHeader, audioSequenceHeader } = first.header;
  const originMs =
    pictureMs(first.playing, first.first, framesPerSecond) - (profile.compositionDelayFrames === 0 ? soundLeadMs : 0);
  const splicer = new Splicer(profile, originMs, { video: videoSequenceHeader, audio: audioSequenceHeader });
  let sender: PreparedSender | null = null;
  const pictures = new SpanQueue(reader, aheadSeconds * framesPerSecond, (error) => sender?.fail(error));
  pictures.push(first);
  let sound: SpanQueue | null = null;
  if (hasSoundTrack) {
    // Without its track of sound a stream goes on: with the sound of the pictures.
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
      sender = new PreparedSender({ ...sending, profile, schedule, splicer, pictures, sound, startFrame });
      await sender.run();
    },
    async close() {
      pictures.close();
      sound?.close();
    },
  };
}
