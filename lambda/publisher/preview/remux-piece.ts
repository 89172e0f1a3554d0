// Remuxes the RTMP chunks of a prepared stream into fragments of MP4. Nothing is decoded.
import type { Track } from '../../data/playout/timelines.ts';
import { firstSoundFrameFrom, soundFramesOf, soundOriginOf } from '../../domain/playout/prepared-play-out.ts';
import type { PreviewFrames } from '../../domain/playout/preview.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { audioFormat, profileOf } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { MediaError } from '../media/media-error.ts';
import type { Span } from '../prepared/span.ts';
import { SessionSegments } from '../prepared/session-segments.ts';
import { TrackReader } from '../prepared/track-reader.ts';
import type { PreparedTimeline } from '../prepared/track-reader.ts';
import { NothingReadable } from '../replica/faults.ts';
import { clockRates, movieFragment, movieHeader, pictureSample, soundSample } from './fragmented-mp4.ts';
import type { Fragment } from './fragmented-mp4.ts';
import { payloadsOf } from './span-payloads.ts';
import { TrackSound } from './track-sound.ts';
import type { Sound } from './track-sound.ts';
import type { TrackReaderOptions } from '../prepared/track-reader.ts';

export interface RemuxOptions extends Pick<TrackReaderOptions, 'store' | 'log'> {
  readonly format: PictureFormat;
  /** Both timelines of the stream. The sound track has no entries if the pictures' own sound plays. */
  readonly timelines: Readonly<Record<Track, PreparedTimeline>>;
}

/** Pictures `first` to `end` of a span, `end` not included, with the sound that was prepared with them. */
interface Part {
  readonly span: Span;
  readonly first: number;
  readonly end: number;
  readonly payloads: ReturnType<typeof payloadsOf>;
}

/**
 * Remuxes frames of a stream with the sound that agents send with them. The first frame must be a keyframe.
 * @returns the header that players read once before all pieces of this kind, and the fragments; null if an item cannot
 * be read: its stand-in depends on the items that the agent has sent before
 */
export async function remuxPiece(options: RemuxOptions, { start, end }: PreviewFrames) {
  const { timelines, format } = options;
  const profile = profileOf(format);
  const { framesPerSecond } = profile;
  const pictures = readerOf(options, 'video', format, start);
  const hasTrack = timelines.audio.entries.length > 0;
  const track = hasTrack ? new TrackSound(readerOf(options, 'audio', 'sound', start), framesPerSecond) : null;
  const fragments: Buffer[] = [];
  let header: Buffer | null = null;
  try {
    for (let frame = start; frame < end;) {
      const span = await pictures.next();
      const { playing, first } = span;
      if (playing.occurrence.isStandIn || playing.startFrame + first !== frame) return null;
      const until = Math.min(span.end, end - playing.startFrame);
      const part = { span, first, end: until, payloads: payloadsOf(span, first, until) };
      const { videoSequenceHeader, audioSequenceHeader } = span.header;
      header ??= movieHeader(profile, { video: videoSequenceHeader!, audio: audioSequenceHeader });
      const next = playing.startFrame + until;
      const ofTrack = await track?.until(firstSoundFrameFrom(next, framesPerSecond));
      fragments.push(fragmentOf(part, ofTrack ?? ownSound(part, framesPerSecond), profile));
      frame = next;
    }
  } catch (error) {
    if (error instanceof MediaError || error instanceof NothingReadable) return null;
    throw error;
  }
  return { header: header!, fragments: Buffer.concat(fragments) };
}

function readerOf(options: RemuxOptions, track: Track, format: RenditionFormat, startFrame: number): TrackReader {
  const { store, log, timelines } = options;
  const { framesPerSecond } = profileOf(options.format);
  const loadTimeline = async () => timelines[track];
  const { gopFrames } = profileOf(options.format);
  const sessions = new SessionSegments({ store, framesPerSecond, gopFrames, log });
  // Agents read the same segments soon, and request lost ones.
  const loading = { loadTimeline, currentTimeline: loadTimeline, sessions, onLost: () => {} };
  return new TrackReader({ store, format, framesPerSecond, log, ...loading }, startFrame);
}

function fragmentOf({ span, first, payloads }: Part, sound: Sound, profile: Profile): Buffer {
  const { framesPerSecond, compositionDelayFrames } = profile;
  const firstFrame = span.playing.startFrame + first;
  const pictureTime = clockRates.video / framesPerSecond;
  const video: Fragment = {
    startTime: firstFrame * pictureTime,
    duration: pictureTime,
    samples: payloads.video.map((payload) => pictureSample(payload, profile)),
  };
  const soundDelay = (compositionDelayFrames * clockRates.audio) / framesPerSecond;
  return movieFragment(firstFrame, video, {
    startTime: sound.firstFrame * audioFormat.samplesPerAacFrame + soundDelay,
    duration: audioFormat.samplesPerAacFrame,
    samples: sound.payloads.map(soundSample),
  });
}

/** The pictures' own sound, at its level if it has one. */
function ownSound({ span, first, end, payloads }: Part, framesPerSecond: number): Sound {
  const { playing, sound, groupBefore } = span;
  const before = groupBefore ? payloadsOf(groupBefore, groupBefore.first, groupBefore.end).audio.slice(-1) : [];
  const firstSound = sound?.[0]?.first ?? firstSoundFrameFrom(first, framesPerSecond) - before.length;
  const endSound = Math.min(firstSoundFrameFrom(end, framesPerSecond), soundFramesOf(playing, framesPerSecond));
  const sent = sound
    ? sound.flatMap((part) => payloadsOf(part, part.first, Math.min(part.end, endSound)).audio)
    : [...before, ...payloads.audio].slice(0, Math.max(0, endSound - firstSound));
  return { firstFrame: soundOriginOf(playing, framesPerSecond) + firstSound, payloads: sent };
}
