// Prepares an upload for the prepared backend, a few segments with each command, so that no worker is busy for long.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import type { Log } from '../../log.ts';
import { databaseOn } from '../../data/database.ts';
import type { PrepareCommand } from '../../data/outbox.ts';
import type { RenditionState } from '../../data/renditions.ts';
import type { Upload, UploadFailure } from '../../data/uploads.ts';
import { formatName, formatNamed, renditionOf, segmentCount } from '../../domain/rendition.ts';
import type { Rendition } from '../../domain/rendition.ts';
import type { VideoCodec } from '../../domain/video-format.ts';
import { notEncodable, notPrepared, settlePreparation } from '../../orchestration/prepare-media.ts';
import { ObjectNotFound } from '../../ports/object-store/object-store.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { encoderKind } from '../ffmpeg/encoder-arguments.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { NoEncoder } from '../media/choose-encoder.ts';
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { goesOn } from './one-encoder.ts';
import { prepareSegment } from './prepare-segment.ts';
import type { SegmentRequest } from './prepare-segment.ts';
import { refuseBlocked } from './refuse-blocked.ts';
import { assertSegment, SegmentDamaged, segmentKey } from '../prepared/segment-format.ts';

export interface PrepareUploadOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly tools: MediaTools;
  readonly encoderOf: (videoCodec: VideoCodec) => Promise<EncoderSettings>;
  readonly log: Log;
}

type HashedUpload = Upload & { readonly content_hash: string };

/** The segments of a command have a little less time than the queue gives the command. */
const commandTimeoutMs = 440_000;
/**
 * So long a worker goes on with further segments. Where few workers have the encoder of a rendition, a command for the
 * next segment would first be passed around among the others.
 */
const goesOnForMs = 30_000;
/** So long a command is held back that came to a worker with another encoder. */
const passedOnAfterSeconds = 5;
const sourceURLSeconds = 900;
const contentType = 'application/octet-stream';

/** The delivery of a command by its queue. */
export interface Attempt {
  /** The same with each delivery. */
  readonly commandID: string;
  /** How often the command has failed before. */
  readonly failures: number;
  /** Whether the queue would set the command aside as dead if it failed: then nobody may be left waiting for it. */
  readonly isLast: boolean;
  /** Aborts when the worker must end: what is under way then is no failure, and is done again elsewhere. */
  readonly signal: AbortSignal;
}

/**
 * Makes the next segments of the rendition and asks for the ones after them. There may be any number of commands for
 * one rendition: one of them works at a time, and the others end at once.
 */
export async function prepareUpload(
  options: PrepareUploadOptions,
  command: PrepareCommand,
  attempt: Attempt,
): Promise<void> {
  const upload = await databaseOn(options.pool).uploads.findAny(command.uploadID);
  if (upload?.probe_state !== 'completed') return;
  const { segment } = command;
  if (segment !== undefined) return mendSegment(options, upload, { ...command, segment }, attempt);
  const signal = withinTimeOf(attempt);
  const goesOnUntilMs = performance.now() + goesOnForMs;
  try {
    const content_hash = upload.content_hash ?? (await hashContent(options, upload, signal));
    const hashed = { ...upload, content_hash };
    const step = () =>
      unlessClaimed(options, attempt, `${content_hash}/${command.format}`, () =>
        advance(options, command, hashed, signal),
      );
    let state = await step();
    while (state === 'preparing' && performance.now() < goesOnUntilMs) state = await step();
    // The next command is sent when this one has let go of the rendition: a worker that got it earlier would find the
    // rendition taken.
    if (state === 'preparing') await begin(options, command);
    else if (state === 'other encoder') await passOn(options, command, attempt);
    else if (state !== null) await settlePreparation(options.pool, content_hash);
  } catch (error) {
    attempt.signal.throwIfAborted();
    const failure = failureOf(error);
    if (failure === notPrepared && !attempt.isLast) throw error;
    options.log('upload_not_prepared', { uploadID: upload.id, format: command.format, error: String(error) });
    await giveUp(options, command, upload, failure);
  }
}

/** Does work that this command can claim, without a transaction. @returns null when another command does it */
async function unlessClaimed<Result>(
  { pool }: PrepareUploadOptions,
  { commandID }: Attempt,
  work: string,
  carryOut: () => Promise<Result>,
): Promise<Result | null> {
  const { mediaClaims } = databaseOn(pool);
  if (!(await mediaClaims.take(work, commandID))) return null;
  try {
    return await carryOut();
  } finally {
    await mediaClaims.release(work, commandID);
  }
}

function withinTimeOf({ signal }: Attempt): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(commandTimeoutMs)]);
}

/** Asks for the segments of a rendition that are not made yet. */
async function begin({ pool }: PrepareUploadOptions, { task, uploadID, format }: PrepareCommand): Promise<void> {
  await databaseOn(pool).outbox.send({ queue: 'media', body: { task, uploadID, format } });
}

/**
 * Leaves a command to a worker with another encoder. The new command was received by nobody yet, but remembers how
 * often the old one has failed.
 */
async function passOn({ pool }: PrepareUploadOptions, command: PrepareCommand, { failures }: Attempt): Promise<void> {
  await databaseOn(pool).outbox.send({ queue: 'media', body: { ...command, failures } }, passedOnAfterSeconds);
}

/** Deletes what was prepared from content that no upload has any more. */
export async function removeOrphanedRenditions({
  pool,
  objects,
}: Pick<PrepareUploadOptions, 'pool' | 'objects'>): Promise<void> {
  const orphans = await databaseOn(pool).renditions.removeOrphans();
  for (const { content_hash: contentHash, format, segment_count: count } of orphans) {
    const rendition = { contentHash, format: formatNamed(format) };
    for (let segment = 0; segment < count; segment++) await objects.delete(segmentKey(rendition, segment));
  }
}

/**
 * Makes the next segment, if there is one, and if another kind of encoder did not make those before.
 * @returns the rendition's state then; null when another worker was faster
 */
async function advance(
  options: PrepareUploadOptions,
  command: PrepareCommand,
  upload: HashedUpload,
  signal: AbortSignal,
): Promise<RenditionState | 'other encoder' | null> {
  const { content_hash: contentHash } = upload;
  const { renditions } = databaseOn(options.pool);
  const rendition = renditionOfUpload(upload, command.format);
  const encoder = await encoderFor(options, rendition);
  const count = segmentCount(rendition);
  const kind = encoder && encoderKind(encoder);
  const row = await renditions.begin(contentHash, command.format, count, kind);
  if (row.state !== 'preparing') return row.state;
  const going = await goesOn(options, { contentHash, format: command.format, made: row.encoder, kind });
  if (going === 'later') return 'other encoder';
  if (going === 'anew') return 'preparing';
  await makeSegment(options, upload, { rendition, segment: row.segments_done, encoder }, signal);
  return (await renditions.finishSegment(contentHash, command.format, row.segments_done))?.state ?? null;
}

/** Makes a segment anew that an agent could not read. Other agents may have asked before, so it may be whole by now. */
async function mendSegment(
  options: PrepareUploadOptions,
  upload: Upload,
  command: PrepareCommand & { readonly segment: number },
  attempt: Attempt,
): Promise<void> {
  const { content_hash } = upload;
  if (content_hash === null) return;
  const { format, segment } = command;
  const hashed = { ...upload, content_hash };
  const rendition = renditionOfUpload(hashed, format);
  const key = segmentKey(rendition, segment);
  try {
    const going = await unlessClaimed(options, attempt, key, async () => {
      if (await isWhole(options.objects, key)) return null;
      const encoder = await encoderFor(options, rendition);
      const made = await databaseOn(options.pool).renditionEncoders.find(content_hash, format);
      const kind = encoder && encoderKind(encoder);
      const found = await goesOn(options, { contentHash: content_hash, format, made, kind });
      if (found !== 'later') await makeSegment(options, hashed, { rendition, segment, encoder }, withinTimeOf(attempt));
      return found;
    });
    // The encoder of the other segments is gone, so all of them are made anew.
    if (going === 'anew') await begin(options, command);
    if (going === 'later') await passOn(options, command, attempt);
  } catch (error) {
    // The queue counts the failures of a command that was never passed on. This one would not be counted out.
    if (attempt.signal.aborted || !attempt.isLast || command.failures === undefined) throw error;
    options.log('segment_not_mended', { uploadID: upload.id, format, segment, error: String(error) });
  }
}

/** The encoder of this worker for a rendition, which is seen to be there; null for sound. @throws {NoEncoder} */
async function encoderFor({ pool, encoderOf }: PrepareUploadOptions, { format }: Rendition) {
  if (format === 'sound') return null;
  const encoder = await encoderOf(format.videoCodec);
  await databaseOn(pool).renditionEncoders.noteSeen(encoderKind(encoder));
  return encoder;
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

function renditionOfUpload(upload: HashedUpload, format: string): Rendition {
  const item = { kind: kindOf(upload, format), durationSeconds: upload.duration_seconds ?? 0 };
  return renditionOf(upload.content_hash, item, formatNamed(format));
}

function kindOf(upload: Upload, format: string): SegmentRequest['kind'] {
  if (format === 'sound') return 'audio';
  return upload.type === 'image' ? 'image' : 'video';
}

async function makeSegment(
  { objects, tools, log }: PrepareUploadOptions,
  upload: Upload,
  { rendition, segment, encoder }: Pick<SegmentRequest, 'rendition' | 'segment' | 'encoder'>,
  signal: AbortSignal,
): Promise<void> {
  const format = formatName(rendition.format);
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  const source = {
    sourceURL,
    kind: kindOf(upload, format),
    hasAudio: upload.audio_codec !== null,
    dynamicRange: upload.dynamic_range,
  };
  const request = { rendition, segment, encoder, ...source };
  const bytes = await prepareSegment(tools, request, signal);
  await objects.write(segmentKey(rendition, segment), bytes, { contentType });
  log('segment_prepared', { uploadID: upload.id, format, segment, of: segmentCount(rendition) });
}

/** What the user is told. An encoder that is missing is a failure at once, as more attempts would not find it. */
function failureOf(error: unknown): UploadFailure {
  if (error instanceof NoEncoder) return notEncodable(error.videoCodec);
  return error instanceof MediaError ? { code: error.code, detail: error.detail } : notPrepared;
}

async function giveUp(
  { pool }: PrepareUploadOptions,
  { format }: PrepareCommand,
  upload: Upload,
  failure: UploadFailure,
): Promise<void> {
  const data = databaseOn(pool);
  // Bytes that could not even be read have no hash. A name that no other upload shares stands for it.
  const contentHash = (await data.uploads.findAny(upload.id))?.content_hash ?? `upload-${upload.id}`;
  await data.uploads.recordContentHash(upload.id, contentHash);
  await data.renditions.fail(contentHash, format, failure);
  await settlePreparation(pool, contentHash);
}

/** Reads an upload's bytes and notes their SHA-256. @throws {MediaError} if the content is blocked */
export async function hashContent(
  { pool, objects }: Pick<PrepareUploadOptions, 'pool' | 'objects'>,
  upload: Upload,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(await objects.read(upload.object_key), hash, { signal });
  const contentHash = hash.digest('hex');
  await databaseOn(pool).uploads.recordContentHash(upload.id, contentHash);
  await refuseBlocked(pool, contentHash);
  return contentHash;
}
