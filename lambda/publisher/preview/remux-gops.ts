// Takes prepared GOPs out of their RTMP chunks and puts them into fragments of MP4: no picture is decoded.
import type { PreviewGop } from '../../domain/preview.ts';
import { firstSoundFrameFrom, soundFramesOf, soundGridFrame } from '../../domain/prepared-play-out.ts';
import { groupsPerSegment } from '../../domain/rendition.ts';
import type { PictureFormat } from '../../domain/rendition.ts';
import { audioFormat, profileOf } from '../ffmpeg/profile.ts';
import { mediaOfTag, readVideoTag } from '../ffmpeg/video-tag.ts';
import { segmentKey } from '../prepared/segment-format.ts';
import { renditionsOf } from '../prepared/segment-sources.ts';
import type { SegmentHeader } from '../prepared/segment-format.ts';
import type { SegmentStore } from '../prepared/segment-store.ts';
import { Span } from '../prepared/span.ts';
import { ChunkReader } from '../rtmp/chunk-reader.ts';
import { ChunkWriter } from '../rtmp/chunk-writer.ts';
import { fromPublisher } from '../rtmp/inbound-limits.ts';
import { controlMessage, mediaChunkSize, messageType } from '../rtmp/message.ts';
import type { RtmpMessage } from '../rtmp/message.ts';
import { aacHeaderBytes, clockRates, movieFragment, movieHeader } from './fragmented-mp4.ts';

export interface RemuxOptions {
  readonly store: SegmentStore;
  readonly format: PictureFormat;
  /** The content of an upload; undefined where it is not prepared. */
  readonly contentHashOf: (uploadID: string) => string | undefined;
  /** As `formats` of a PreparedTimeline. */
  readonly formatsOf?: (uploadID: string) => readonly string[] | undefined;
  /** Whether the pictures' own sound is heard. */
  readonly hasOwnSound: boolean;
}

/** @returns null where something of it is not prepared @throws as SegmentStore does */
export async function headerOfGop({ store, format, contentHashOf, formatsOf }: RemuxOptions, gop: PreviewGop) {
  const { item } = gop.playing.occurrence;
  const contentHash = contentHashOf(item.uploadID);
  if (contentHash === undefined) return null;
  const rendition = renditionsOf(contentHash, formatsOf?.(item.uploadID), item, format)[0]!;
  const key = segmentKey(rendition, Math.floor(gop.first / groupsPerSegment(format)));
  return { key, header: await store.header(key) };
}

/** What comes before all fragments of GOPs with such a header. */
export function movieHeaderOf(format: PictureFormat, header: SegmentHeader): Buffer {
  const { videoCodec, width, height } = profileOf(format);
  return movieHeader({
    videoCodec,
    width,
    height,
    videoConfiguration: mediaOfTag(header.videoSequenceHeader!),
    audioConfiguration: header.audioSequenceHeader.subarray(aacHeaderBytes),
  });
}

/** A fragment with the pictures of a GOP and the sound that begins during them. @throws as SegmentStore does */
export async function remuxGop(options: RemuxOptions, gop: PreviewGop): Promise<Buffer | null> {
  const found = await headerOfGop(options, gop);
  if (found === null) return null;
  const { playing, first, end } = gop;
  const { framesPerSecond, compositionDelayFrames } = profileOf(options.format);
  const span = await Span.load(options.store, found.key, { playing, header: found.header, first, end, sound: null });
  const slices: Buffer[] = [];
  span.slice(span.offsetOf(first), span.offsetOf(end), slices);
  const messages = messagesOf(Buffer.concat(slices));
  const pictures = messages.filter(({ type }) => type === messageType.video).map(({ payload }) => payload);
  const sound = messages.filter(({ type }) => type === messageType.audio).map(({ payload }) => payload);
  const pictureTime = clockRates.video / framesPerSecond;
  const firstSound = firstSoundFrameFrom(first, framesPerSecond);
  const heard = options.hasOwnSound ? sound.slice(0, soundFramesOf(playing, framesPerSecond) - firstSound) : [];
  const soundDelay = (compositionDelayFrames * clockRates.audio) / framesPerSecond;
  const soundFrame = soundGridFrame(playing.startFrame, framesPerSecond) + firstSound;
  return movieFragment(
    playing.startFrame + first,
    {
      startTime: (playing.startFrame + first) * pictureTime,
      duration: pictureTime,
      samples: pictures.map((payload) => {
        const { isKeyframe, compositionMs } = readVideoTag(payload);
        const delayFrames = Math.round((compositionMs * framesPerSecond) / 1000);
        return { bytes: mediaOfTag(payload), isKeyframe, compositionTime: delayFrames * pictureTime };
      }),
    },
    {
      startTime: soundFrame * audioFormat.samplesPerAacFrame + soundDelay,
      duration: audioFormat.samplesPerAacFrame,
      samples: heard.map((payload) => ({
        bytes: payload.subarray(aacHeaderBytes),
        isKeyframe: true,
        compositionTime: 0,
      })),
    },
  );
}

function messagesOf(chunks: Buffer): RtmpMessage[] {
  const reader = new ChunkReader(fromPublisher);
  reader.read(new ChunkWriter().write([controlMessage(messageType.setChunkSize, mediaChunkSize)]));
  return reader.read(chunks);
}
