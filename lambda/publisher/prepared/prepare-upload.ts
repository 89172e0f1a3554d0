// Prepares an upload for the manifest backend, segment by segment: one command makes one, so that no worker is busy for long or lost with much.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { databaseOn, unlessTaken } from '../../data/database.ts';
import type { MediaCommand } from '../../data/outbox.ts';
import type { RenditionState } from '../../data/renditions.ts';
import type { Upload, UploadFailure } from '../../data/uploads.ts';
import { formatName, formatNamed, renditionOf, segmentCount } from '../../domain/rendition.ts';
import type { Rendition } from '../../domain/rendition.ts';
import type { VideoCodec } from '../../domain/video-format.ts';
import { notEncodable, notPrepared, settlePreparation } from '../../orchestration/prepare-media.ts';
import { ObjectNotFound } from '../../ports/object-store/object-store.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { NoEncoder } from '../media/choose-encoder.ts';
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { prepareSegment } from './prepare-segment.ts';
import type { SegmentRequest } from './prepare-segment.ts';
import { assertSegment, SegmentDamaged, segmentKey } from './segment-format.ts';

export interface PrepareParts {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly tools: MediaTools;
  readonly encoderOf: (videoCodec: VideoCodec) => Promise<EncoderSettings>;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
}

type PrepareCommand = Extract<MediaCommand, { readonly task: 'prepare_upload' }>;

/** Just within what the queue gives a command. */
const segmentTimeoutMs = 440_000;
const sourceURLSeconds = 900;
const contentType = 'application/octet-stream';

/**
 * Makes the next segment of the rendition and asks for the one after it. Any number of commands may be there for one rendition: one of
 * them is at work at a time, and the others end at once.
 * @param isLastAttempt the queue would set the command aside as dead: nobody may be left waiting
 */
export async function prepareUpload(
  parts: PrepareParts,
  command: PrepareCommand,
  isLastAttempt: boolean,
): Promise<void> {
  const upload = await databaseOn(parts.pool).uploads.findAny(command.uploadID);
  if (upload?.probe_state !== 'completed') return;
  if (command.segment !== undefined) return mendSegment(parts, upload, command.format, command.segment);
  try {
    const contentHash = upload.content_hash ?? (await hashContent(parts, upload));
    const state = await unlessTaken(parts.pool, `${contentHash}/${command.format}`, () =>
      advance(parts, command, upload, contentHash),
    );
    // Only once the work is anybody's again: whoever gets this at once would else find it taken.
    if (state === 'preparing') await databaseOn(parts.pool).outbox.send({ queue: 'media', body: command });
    else if (state !== null) await settlePreparation(parts.pool, contentHash);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === notPrepared && !isLastAttempt) throw error;
    parts.log('upload_not_prepared', { uploadID: upload.id, format: command.format, error: String(error) });
    await giveUp(parts, command, upload, failure);
  }
}

/** Deletes what was prepared from content that no upload has any more. */
export async function removeOrphanedRenditions({
  pool,
  objects,
}: Pick<PrepareParts, 'pool' | 'objects'>): Promise<void> {
  for (const { content_hash: contentHash, format, segment_count: count } of await databaseOn(
    pool,
  ).renditions.removeOrphans()) {
    for (let segment = 0; segment < count; segment++)
      await objects.delete(segmentKey({ contentHash, format: formatNamed(format) }, segment));
  }
}

/** Makes the next segment, if there is one. @returns what the rendition is then; null when another was faster */
async function advance(
  parts: PrepareParts,
  command: PrepareCommand,
  upload: Upload,
  contentHash: string,
): Promise<RenditionState | null> {
  const { renditions } = databaseOn(parts.pool);
  const rendition = renditionOfUpload(upload, contentHash, command.format);
  const { state, segments_done: segment } = await renditions.begin(
    contentHash,
    command.format,
    segmentCount(rendition),
  );
  if (state !== 'preparing') return state;
  await makeSegment(parts, upload, rendition, segment);
  return (await renditions.finishSegment(contentHash, command.format, segment))?.state ?? null;
}

/** Makes a segment anew that somebody could not read; each of them asks, so it may be whole by now. */
async function mendSegment(parts: PrepareParts, upload: Upload, format: string, segment: number): Promise<void> {
  if (upload.content_hash === null) return;
  const rendition = renditionOfUpload(upload, upload.content_hash, format);
  const key = segmentKey(rendition, segment);
  await unlessTaken(parts.pool, key, async () => {
    if (!(await isWhole(parts.objects, key))) await makeSegment(parts, upload, rendition, segment);
  });
}

async function isWhole(objects: ObjectStore, key: string): Promise<boolean> {
  try {
    assertSegment(await buffer(await objects.read(key)));
    return true;
  } catch (error) {
    if (error instanceof ObjectNotFound || error instanceof SegmentDamaged) return false;
    throw error;
  }
}

function renditionOfUpload(upload: Upload, contentHash: string, format: string): Rendition {
  return renditionOf(
    contentHash,
    { kind: kindOf(upload, format), durationSeconds: upload.duration_seconds ?? 0 },
    formatNamed(format),
  );
}

function kindOf(upload: Upload, format: string): SegmentRequest['kind'] {
  if (format === 'sound') return 'audio';
  return upload.type === 'image' ? 'image' : 'video';
}

async function makeSegment(
  { objects, tools, encoderOf, log }: PrepareParts,
  upload: Upload,
  rendition: Rendition,
  segment: number,
): Promise<void> {
  const format = formatName(rendition.format);
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  const source = {
    sourceURL,
    kind: kindOf(upload, format),
    hasAudio: upload.audio_codec !== null,
    dynamicRange: upload.dynamic_range,
  };
  const encoder = rendition.format === 'sound' ? null : await encoderOf(rendition.format.videoCodec);
  const bytes = await prepareSegment(
    tools,
    { rendition, segment, encoder, ...source },
    AbortSignal.timeout(segmentTimeoutMs),
  );
  await objects.write(segmentKey(rendition, segment), bytes, { contentType });
  log('segment_prepared', { uploadID: upload.id, format, segment, of: segmentCount(rendition) });
}

/** Of an encoder that is missing more attempts know no more. */
function failureOf(error: unknown): UploadFailure {
  if (error instanceof NoEncoder) return notEncodable(error.videoCodec);
  return error instanceof MediaError ? { code: error.code, detail: error.detail } : notPrepared;
}

async function giveUp(
  { pool }: PrepareParts,
  { format }: PrepareCommand,
  upload: Upload,
  failure: { code: string; detail: string },
): Promise<void> {
  const data = databaseOn(pool);
  // Bytes that could not even be read are nobody else's.
  const contentHash = (await data.uploads.findAny(upload.id))?.content_hash ?? `upload-${upload.id}`;
  await data.uploads.recordContentHash(upload.id, contentHash);
  await data.renditions.fail(contentHash, format, failure);
  await settlePreparation(pool, contentHash);
}

/** Reads an upload's bytes and notes their SHA-256. */
export async function hashContent(
  { pool, objects }: Pick<PrepareParts, 'pool' | 'objects'>,
  upload: Upload,
): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(await objects.read(upload.object_key), hash);
  const contentHash = hash.digest('hex');
  await databaseOn(pool).uploads.recordContentHash(upload.id, contentHash);
  return contentHash;
}
