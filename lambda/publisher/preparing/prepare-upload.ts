// Prepares an upload for the prepared backend: a few segments with each command, so that no worker is busy for long.
import { buffer } from 'node:stream/consumers';
import { databaseOn } from '../../data/database.ts';
import type { PrepareCommand } from '../../data/shared/outbox.ts';
import type { RenditionState } from '../../data/media/renditions.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { Upload, UploadFailure } from '../../data/media/uploads.ts';
import { formatNamed, groupsOfSegment, renditionOf, segmentCount } from '../../domain/playout/rendition.ts';
import type { Rendition } from '../../domain/playout/rendition.ts';
import { finishPreparation } from '../../orchestration/runs/start-prepared.ts';
import { notEncodable, notPrepared, notStored } from '../../orchestration/media/request-renditions.ts';
import { StorageFull } from '../../ports/object-store/disk-room.ts';
import { ObjectNotFound } from '../../ports/object-store/object-store.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { NoEncoder } from '../media/choose-encoder.ts';
import { MediaError } from '../media/media-error.ts';
import { unlessClaimed } from './claimed-work.ts';
import type { Attempt } from './claimed-work.ts';
import { hashContent } from './content.ts';
import type { HashedUpload } from './content.ts';
import { checkEncoder } from './one-encoder.ts';
import { makerOf, makeSegment } from './segment-maker.ts';
import type { SegmentMakerOptions } from './segment-maker.ts';
import {
  assertGroups,
  assertSegment,
  maxHeaderBytes,
  readSegmentHeader,
  SegmentDamaged,
  segmentKey,
} from '../prepared/segment-format.ts';

export type PrepareUploadOptions = SegmentMakerOptions;

/** Timeout of the work of a command: a little less than the queue's visibility timeout. */
const commandTimeoutMs = 440_000;
/**
 * A worker makes further segments for this long. If few workers have the rendition's kind of encoder, a command for the
 * next segment would first pass through the others.
 */
const continuesForMs = 30_000;
/** Delay of a command that a worker with another kind of encoder passes on. */
const passedOnAfterSeconds = 5;

/**
 * Makes the next segments of a rendition, and requests the ones after them. There may be several commands for one
 * rendition: one of them works at a time, and the others end at once.
 */
export async function prepareUpload(
  options: PrepareUploadOptions,
  command: PrepareCommand,
  attempt: Attempt,
): Promise<void> {
  const { uploads } = databaseOn(options.pool);
  const named = await uploads.findAny(command.uploadID);
  const upload = named ?? (command.contentHash ? await uploads.anyWithContent(command.contentHash) : null);
  if (upload?.probe_state !== 'completed') return;
  const { segment } = command;
  if (segment !== undefined) return mendSegment(options, upload, { ...command, segment }, attempt);
  const signal = withinTimeOf(attempt);
  let asked = { ...command, uploadID: upload.id };
  try {
    const contentHash = upload.content_hash ?? (await hashContent(options, upload.id, signal));
    asked = { ...asked, contentHash };
    const state = await makeSegments(options, asked, { ...upload, content_hash: contentHash }, { attempt, signal });
    // The next command is sent after this one has released its claim. A worker that got it earlier would find the
    // rendition claimed.
    if (state === 'preparing') await begin(options, asked);
    else if (state === 'other encoder') await passOn(options, asked, attempt);
    else if (state !== null) await finishPreparation(options.pool, contentHash, formatNamed(command.format));
  } catch (error) {
    attempt.signal.throwIfAborted();
    // The upload was deleted. Others with the same content must not fail, so the next command reads one of those.
    if (!(await uploads.findAny(upload.id))) return begin(options, asked);
    const isLasting = error instanceof NoEncoder || error instanceof MediaError;
    if (!isLasting && !attempt.isLast) throw error;
    const failure = failureOf(error);
    options.log('upload_not_prepared', { uploadID: upload.id, format: command.format, error: String(error) });
    await giveUp(options, command, upload, failure);
  }
}

/** Makes segments until all are made, or the command should end. @returns the last result of `advance` */
async function makeSegments(
  options: PrepareUploadOptions,
  command: PrepareCommand,
  upload: HashedUpload,
  { attempt, signal }: { readonly attempt: Attempt; readonly signal: AbortSignal },
): ReturnType<typeof advance> {
  const untilMs = performance.now() + continuesForMs;
  const step = () =>
    unlessClaimed(options, attempt, `${upload.content_hash}/${command.format}`, () =>
      advance(options, command, upload, signal),
    );
  let state = await step();
  while (state === 'preparing' && performance.now() < untilMs) state = await step();
  return state;
}

function withinTimeOf({ signal }: Attempt): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(commandTimeoutMs)]);
}

/** Requests the missing segments of a rendition. */
async function begin({ pool }: PrepareUploadOptions, command: PrepareCommand): Promise<void> {
  const { task, uploadID, contentHash, format } = command;
  const body = { task, uploadID, ...(contentHash !== undefined && { contentHash }), format };
  await databaseOn(pool).outbox.send({ queue: 'media', body });
}

/** Sends a command again, for a worker with another encoder. Its receive count begins at zero; its failures stay. */
async function passOn({ pool }: PrepareUploadOptions, command: PrepareCommand, { failures }: Attempt): Promise<void> {
  await databaseOn(pool).outbox.send({ queue: 'media', body: { ...command, failures } }, passedOnAfterSeconds);
}

/**
 * Makes the next segment, unless there is none or another kind of encoder made the earlier ones.
 * @returns the state of the rendition afterwards; null if another worker was faster
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
  const maker = await makerOf(options, rendition, upload.id);
  const { kind } = maker;
  const row = await renditions.begin(contentHash, rendition.format, segmentCount(rendition), kind);
  if (row.state !== 'preparing') return row.state;
  const decision = await checkEncoder(options, { contentHash, format: command.format, made: row.encoder, kind });
  if (decision === 'later') return 'other encoder';
  if (decision === 'restarted') return 'preparing';
  await makeSegment(options, upload, { rendition, segment: row.segments_done, ...maker }, signal);
  return (await renditions.finishSegment(contentHash, command.format, row.segments_done))?.state ?? null;
}

/** Makes a segment again that an agent could not read, unless another command has already mended it. */
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
    const result = await unlessClaimed(options, attempt, key, async () => {
      if (await isWhole(options.objects, key, rendition, segment)) return null;
      const row = await databaseOn(options.pool).renditions.find(content_hash, format);
      const maker = await makerOf(options, rendition, upload.id);
      const { kind } = maker;
      const made = row?.encoder ?? null;
      const decision = await checkEncoder(options, { contentHash: content_hash, format, made, kind });
      if (decision !== 'later')
        await makeSegment(options, hashed, { rendition, segment, ...maker }, withinTimeOf(attempt));
      return decision;
    });
    // No worker has the encoder of the other segments any more, so all of them are made again.
    if (result === 'restarted') await begin(options, command);
    if (result === 'later') await passOn(options, command, attempt);
  } catch (error) {
    // The queue drops a command that was never passed on after its last failure. One that was passed on ends here.
    if (attempt.signal.aborted || !attempt.isLast || command.failures === undefined) throw error;
    options.log('segment_not_mended', { uploadID: upload.id, format, segment, error: String(error) });
  }
}

/** Whether the object of a segment has the segment's groups, and all their bytes. */
async function isWhole(objects: ObjectStore, key: string, rendition: Rendition, segment: number): Promise<boolean> {
  try {
    const bytes = await buffer(await objects.read(key));
    assertSegment(bytes);
    assertGroups(readSegmentHeader(bytes.subarray(0, maxHeaderBytes)), groupsOfSegment(rendition, segment));
    return true;
  } catch (error) {
    if (error instanceof ObjectNotFound || error instanceof SegmentDamaged) return false;
    throw error;
  }
}

function renditionOfUpload(upload: HashedUpload, format: string): Rendition {
  const { kind, durationSeconds } = contentFacts(upload);
  return renditionOf(upload.content_hash, { kind, durationSeconds: durationSeconds ?? 0 }, formatNamed(format));
}

/** The failure for the user. A missing encoder fails at once, as more attempts would not find it. */
function failureOf(error: unknown): UploadFailure {
  if (error instanceof NoEncoder) return notEncodable(error.videoCodec);
  if (error instanceof StorageFull) return notStored;
  return error instanceof MediaError ? { code: error.code, detail: error.detail } : notPrepared;
}

async function giveUp(
  { pool }: PrepareUploadOptions,
  command: PrepareCommand,
  upload: Upload,
  failure: UploadFailure,
): Promise<void> {
  const data = databaseOn(pool);
  const format = formatNamed(command.format);
  // Bytes that could not be read have no hash. The upload gets a name that no other upload shares.
  const contentHash = (await data.uploads.findAny(upload.id))?.content_hash ?? `upload-${upload.id}`;
  await data.uploads.recordContentHash(upload.id, contentHash);
  await data.renditions.fail(contentHash, format, failure);
  await finishPreparation(pool, contentHash, format);
}
