// The media of the prepared backend: renditions that are sent unchanged, except for the times at joins.
//
// States of an open media (`OpenPreparedMedia`):
// - opened: the first picture is read, and spans are read ahead.
// - sending: a `PreparedSender` takes the spans. A failure of the pictures ends it with an error.
// - closed: nothing more is read.
// The sound is that of the sound track, if there is one. If that fails, `#sound` becomes null for good, and the
// pictures' own sound is sent.
import type { Track } from '../../data/playout/timelines.ts';
import { pictureMs } from '../../domain/playout/prepared-play-out.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { audioFormat, profileOf } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { OpenMedia, Sending, StreamMedia } from '../replica/stream-media.ts';
import { PreparedSender } from './prepared-sender.ts';
import type { SegmentStore } from './segment-store.ts';
import type { SendSchedule } from './send-schedule.ts';
import type { Span } from './span.ts';
import { SessionSegments } from './session-segments.ts';
import { SpanQueue } from './span-queue.ts';
import { Splicer } from './splicer.ts';
import { TrackReader } from './track-reader.ts';
import type { PreparedTimeline, TrackReaderOptions } from './track-reader.ts';

export interface PreparedMediaOptions extends Pick<TrackReaderOptions, 'onLost' | 'log'> {
  readonly format: PictureFormat;
  readonly store: SegmentStore;
  readonly schedule: Pick<SendSchedule, 'add'>;
  /** Loads both timelines; called for every item. The sound track has no entries if the pictures' own sound plays. */
  readonly loadTimelines: () => Promise<Readonly<Record<Track, PreparedTimeline>>>;
  /** Both timelines as they are known; called for every span, so it has to be cheap. */
  readonly currentTimelines: () => Promise<Readonly<Record<Track, PreparedTimeline>>>;
}

/** Time to connect. */
const startUpMs = 300;
/** Media is read this long before it is due. */
const aheadSeconds = 2;
/** Half an AAC frame. Sound may begin this long before the first picture if pictures are shown as they are decoded. */
const soundLeadMs = 11;
const soundFramesAhead = (aheadSeconds * audioFormat.sampleRate) / audioFormat.samplesPerAacFrame;

export function preparedMedia(options: PreparedMediaOptions): StreamMedia {
  const profile = profileOf(options.format);
  return { profile, startUpMs, open: (startFrame) => open(options, startFrame) };
}

async function open(options: PreparedMediaOptions, wantedFrame: number): Promise<OpenMedia> {
  const { framesPerSecond, gopFrames } = profileOf(options.format);
  const { store, log } = options;
  const sessions = new SessionSegments({ store, framesPerSecond, gopFrames, log });
  const pictures = readerOf(options, sessions, 'video', wantedFrame);
  const media = new OpenPreparedMedia(options, sessions, pictures, await pictures.next());
  const { audio } = await options.loadTimelines();
  if (audio.entries.length > 0) await media.openSoundTrack();
  const { startFrame, sequenceHeaders } = media;
  // A plain object, as that of the other backend, so that wrappers can spread it.
  return { startFrame, sequenceHeaders, send: (sending) => media.send(sending), close: () => media.close() };
}

function readerOf(
  options: PreparedMediaOptions,
  sessions: SessionSegments,
  track: Track,
  startFrame: number,
): TrackReader {
  const { format, loadTimelines, currentTimelines } = options;
  const { framesPerSecond } = profileOf(format);
  const loadTimeline = async () => (await loadTimelines())[track];
  const currentTimeline = async () => (await currentTimelines())[track];
  const trackFormat: RenditionFormat = track === 'video' ? format : 'sound';
  const loading = { loadTimeline, currentTimeline };
  return new TrackReader({ ...options, ...loading, sessions, format: trackFormat, framesPerSecond }, startFrame);
}

class OpenPreparedMedia {
  readonly startFrame: number;
  readonly sequenceHeaders: OpenMedia['sequenceHeaders'];
  readonly #options: PreparedMediaOptions;
  readonly #sessions: SessionSegments;
  readonly #profile: Profile;
  readonly #splicer: Splicer;
  readonly #pictures: SpanQueue;
  #hasSoundTrack = false;
  /** The sound track; null if there is none, or if it has failed. */
  #sound: SpanQueue | null = null;
  /** Null until the media is sent. */
  #sender: PreparedSender | null = null;

  /** @param first the first span of the pictures, which was read from `reader` */
  constructor(options: PreparedMediaOptions, sessions: SessionSegments, reader: TrackReader, first: Span) {
    const profile = profileOf(options.format);
    const { framesPerSecond, compositionDelayFrames } = profile;
    const { videoSequenceHeader, audioSequenceHeader } = first.header;
    const firstPictureMs = pictureMs(first.playing, first.first, framesPerSecond);
    const originMs = compositionDelayFrames === 0 ? firstPictureMs - soundLeadMs : firstPictureMs;
    this.#options = options;
    this.#sessions = sessions;
    this.#profile = profile;
    this.#splicer = new Splicer(profile, originMs, { video: videoSequenceHeader, audio: audioSequenceHeader });
    this.#pictures = new SpanQueue(reader, aheadSeconds * framesPerSecond, (error) => this.#sender?.fail(error));
    this.#pictures.push(first);
    this.startFrame = first.playing.startFrame + first.first;
    this.sequenceHeaders = [
      { type: 'audio', timestampMs: 0, payload: audioSequenceHeader },
      { type: 'video', timestampMs: 0, payload: videoSequenceHeader! },
    ];
  }

  /** Replaces the pictures' own sound by that of the sound track. Resolves when its first spans are read. */
  async openSoundTrack(): Promise<void> {
    const reader = readerOf(this.#options, this.#sessions, 'audio', this.startFrame);
    const sound = new SpanQueue(reader, soundFramesAhead, (error) => this.#useOwnSound(error));
    this.#hasSoundTrack = true;
    this.#sound = sound;
    await sound.fill();
  }

  async send(sending: Sending): Promise<void> {
    const { schedule } = this.#options;
    const tracks = { pictures: this.#pictures, sound: this.#sound, hasSoundTrack: this.#hasSoundTrack };
    const media = { profile: this.#profile, splicer: this.#splicer, startFrame: this.startFrame };
    this.#sender = new PreparedSender({ ...sending, ...media, ...tracks, schedule });
    await this.#sender.run();
  }

  async close(): Promise<void> {
    this.#pictures.close();
    this.#sound?.close();
  }

  /** The sound track has failed, so the stream continues with the pictures' own sound. */
  #useOwnSound(error: unknown): void {
    this.#options.log('sound_not_playable', { error: String(error) });
    this.#sound = null;
    this.#sender?.useOwnSound();
  }
}
