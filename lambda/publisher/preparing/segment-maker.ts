// Makes segments of renditions: an encoder does from the file of an upload, or they are those of a recorded session.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { LiveRecording } from '../../data/live/live-recordings.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { areSegmentsKept } from '../../domain/live/recording.ts';
import { formatName, groupsOfSegment, isSound, segmentCount, targetOfFormat } from '../../domain/playout/rendition.ts';
import type { Rendition } from '../../domain/playout/rendition.ts';
import { levelFor } from '../../domain/playout/sound.ts';
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import type { Log } from '../../log.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { encoderKind } from '../ffmpeg/encoder-arguments.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { segmentKey } from '../prepared/segment-format.ts';
import { overlayOfFormat } from './overlay-of-format.ts';
import { prepareSegment } from './prepare-segment.ts';
import type { SegmentRequest } from './prepare-segment.ts';
import { isRecordedAs, recordedSegment } from './recorded-segments.ts';

export interface SegmentMakerOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly tools: MediaTools;
  /** The encoder that prepares uploads in a codec. @throws {NoEncoder} */
  readonly encoderOf: (videoCodec: VideoCodec) => Promise<EncoderSettings>;
  readonly log: Log;
}

const sourceURLSeconds = 900;
const contentType = 'application/octet-stream';

/** The maker of a rendition's segments: an encoder, or the session that the upload is a recording of. */
export interface Maker {
  /** Null for sound, and for a recording. */
  readonly encoder: EncoderSettings | null;
  /** The kind of the encoder that makes or made them; null for sound. */
  readonly kind: string | null;
  readonly recording: LiveRecording | null;
}

/** @throws {NoEncoder} */
export async function makerOf(options: SegmentMakerOptions, rendition: Rendition, uploadID: string): Promise<Maker> {
  const data = databaseOn(options.pool);
  const recording = isSound(rendition.format) ? null : await data.liveRecordings.ofUpload(uploadID);
  if (recording && isRecordedAs(recording, rendition) && areSegmentsKept(recording.created_at, await data.now()))
    return { encoder: null, kind: recording.encoder, recording };
  const encoder = await encoderFor(options, rendition);
  return { encoder, kind: encoder && encoderKind(encoder), recording: null };
}

/** This worker's encoder for a rendition, recorded as present; null for sound. @throws {NoEncoder} */
async function encoderFor({ pool, encoderOf }: SegmentMakerOptions, { format }: Rendition) {
  if (isSound(format)) return null;
  const encoder = await encoderOf(format.videoCodec);
  await databaseOn(pool).renditionEncoders.recordSeen(encoderKind(encoder));
  return encoder;
}

/** Makes a segment, and stores it. @throws as `prepareSegment` and `recordedSegment` */
export async function makeSegment(
  { pool, objects, tools, log }: SegmentMakerOptions,
  upload: Upload,
  { rendition, segment, encoder, recording }: Pick<SegmentRequest, 'rendition' | 'segment'> & Maker,
  signal: AbortSignal,
): Promise<void> {
  if (recording) {
    const bytes = await recordedSegment(objects, recording, { rendition, segment });
    return storeSegment({ objects, log }, upload, { rendition, segment, bytes });
  }
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  const { kind, ...facts } = contentFacts(upload);
  const { firstGroup: first, groupCount } = groupsOfSegment(rendition, segment);
  const pictures = { format: rendition.format, first, end: first + groupCount };
  const overlay = await overlayOfFormat({ pool, objects }, pictures, signal);
  const source = { sourceURL, kind: isSound(rendition.format) ? ('audio' as const) : kind, ...facts };
  const request = { rendition, segment, encoder, ...source, overlay, ...(await loudnessFor(pool, upload, rendition)) };
  const bytes = await prepareSegment(tools, request, signal);
  await storeSegment({ objects, log }, upload, { rendition, segment, bytes });
}

async function storeSegment(
  { objects, log }: Pick<SegmentMakerOptions, 'objects' | 'log'>,
  { id: uploadID }: Upload,
  { rendition, segment, bytes }: Pick<SegmentRequest, 'rendition' | 'segment'> & { readonly bytes: Buffer },
): Promise<void> {
  await objects.write(segmentKey(rendition, segment), bytes, { contentType });
  const format = formatName(rendition.format);
  log('segment_prepared', { uploadID, format, segment, of: segmentCount(rendition) });
}

/** The level and duration for sound with a target loudness; empty for any other rendition. */
async function loudnessFor(
  pool: Pool,
  upload: Upload,
  { contentHash, format }: Rendition,
): Promise<Pick<SegmentRequest, 'level' | 'itemSeconds'>> {
  const targetLUFS = targetOfFormat(format);
  if (targetLUFS === null) return {};
  const loudness = await databaseOn(pool).streamSounds.loudnessOf(contentHash);
  if (loudness === undefined) throw new Error(`the loudness of ${contentHash} is not measured`);
  return { level: levelFor(loudness, targetLUFS), itemSeconds: contentFacts(upload).durationSeconds ?? undefined };
}
