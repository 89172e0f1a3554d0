// The source of a recording: the segments of a session as the bytes of an MP4 file. Nothing is encoded.
import { Readable } from 'node:stream';
import { expectedBytes } from '../domain/live/recording.ts';
import { gopSeconds } from '../domain/playout/rendition.ts';
import { firstSoundFrameFrom } from '../domain/playout/prepared-play-out.ts';
import { ObjectNotFound } from '../ports/object-store/object-store.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import { audioFormat, profileOf } from '../publisher/ffmpeg/profile.ts';
import { sessionSegment } from '../publisher/preparing/recorded-segments.ts';
import type { RecordedSession, SessionSegment } from '../publisher/preparing/recorded-segments.ts';
import {
  clockRates,
  movieFragment,
  movieHeader,
  pictureSample,
  soundSample,
} from '../publisher/preview/fragmented-mp4.ts';
import { ChunkedMedia } from '../publisher/rtmp/chunked-media.ts';
import { ImportError } from './import-error.ts';
import type { OpenSource } from './open-source.ts';

/**
 * Opens a recording as a file. It is read from its beginning after each interruption.
 * @param recording null: it was deleted
 * @throws {ImportError} if there is none
 */
export function openRecording(objects: Pick<ObjectStore, 'read'>, recording: RecordedSession | null): OpenSource {
  if (recording === null) throw new ImportError('recording_gone');
  return {
    body: Readable.from(fileOf(objects, recording), { objectMode: false }),
    offset: 0,
    version: { validator: null, sizeBytes: null },
    mostBytes: expectedBytes(recording.format, { segmentCount: recording.segment_count }),
    name: 'recording.mp4',
    mimeType: 'video/mp4',
    type: 'video',
  };
}

async function* fileOf(objects: Pick<ObjectStore, 'read'>, recording: RecordedSession): AsyncGenerator<Buffer> {
  const profile = profileOf(recording.format);
  const { segment_count: count } = recording;
  for (let number = 0; number < count; number++) {
    const segment = await sessionSegment(objects, recording, number).catch(asImportError);
    const { videoSequenceHeader: video, audioSequenceHeader: audio } = segment.header;
    if (number === 0) yield movieHeader(profile, { video: video!, audio }, count * gopSeconds);
    yield fragmentOf(segment, recording, { number, count });
  }
}

/** The fragment of a segment. Its pictures are shown from the time of its first one on, with no delay for B-frames. */
function fragmentOf(
  { groups }: SessionSegment,
  { format }: RecordedSession,
  { number, count }: { readonly number: number; readonly count: number },
): Buffer {
  const profile = profileOf(format);
  const { framesPerSecond, gopFrames, compositionDelayFrames } = profile;
  const { samplesPerAacFrame, sampleRate } = audioFormat;
  const messages = new ChunkedMedia().read(groups.flatMap(({ video, sound }) => [video, ...sound]));
  const bodies = (wanted: 'video' | 'audio') => messages.filter(({ type }) => type === wanted);
  const pictureTime = clockRates.video / framesPerSecond;
  const pictures = bodies('video').map(({ payload }) => {
    const { compositionTime, ...sample } = pictureSample(payload, profile);
    return { ...sample, compositionTime: compositionTime - compositionDelayFrames * pictureTime };
  });
  const firstSound = firstSoundFrameFrom(number * gopFrames, framesPerSecond);
  // A frame of sound that outlasts the last picture would lengthen the file.
  const mostSound = Math.floor((count * gopSeconds * sampleRate) / samplesPerAacFrame) - firstSound;
  const sound = bodies('audio').slice(0, mostSound);
  return movieFragment(
    number + 1,
    { startTime: number * gopFrames * pictureTime, duration: pictureTime, samples: pictures },
    {
      startTime: firstSound * samplesPerAacFrame,
      duration: samplesPerAacFrame,
      samples: sound.map(({ payload }) => soundSample(payload)),
    },
  );
}

/** @throws {ImportError} if the segment is no longer stored; else the error itself, after which an import is retried */
function asImportError(error: unknown): never {
  throw error instanceof ObjectNotFound ? new ImportError('recording_gone', { cause: error }) : error;
}
