// Prepares an upload for the prepared backend, a few segments with each command, so that no worker is busy for long.
import { buffer } from 'node:stream/consumers';
import type { Pool } from 'pg';
import type { Log } from '../../log.ts';
import { databaseOn } from '../../data/database.ts';
import type { PrepareCommand } from '../../data/shared/outbox.ts';
import type { RenditionState } from '../../data/media/renditions.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { Upload, UploadFailure } from '../../data/media/uploads.ts';
import {
  formatName,
  formatNamed,
  groupsOfSegment,
  isSound,
  renditionOf,
  segmentCount,
  targetOfFormat,
} from '../../domain/playout/rendition.ts';
import type { Rendition } from '../../domain/playout/rendition.ts';
import { levelFor } from '../../domain/playout/sound.ts';
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import { settlePreparation } from '../../orchestration/runs/start-prepared.ts';
import { notEncodable, notPrepared } from '../../orchestration/media/request-renditions.ts';
import { ObjectNotFound } from '../../ports/object-store/object-store.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { encoderKind } from '../ffmpeg/encoder-arguments.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { NoEncoder } from '../media/choose-encoder.ts';
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { unlessClaimed } from './claimed-work.ts';
import type { Attempt } from './claimed-work.ts';
import { hashContent, nameAnew } from './content.ts';
import type { HashedUpload } from './content.ts';
import { goesOn } from './one-encoder.ts';
import { overlayOfFormat } from './overlay-of-format.ts';
import { prepareSegment } from './prepare-segment.ts';
import type { SegmentRequest } from './prepare-segment.ts';
import {
  assertSegment,
  hasGroups,
  maxHeaderBytes,
  readSegmentHeader,
  SegmentDamaged,
  segmentKey,
} from '../prepared/segment-format.ts';

export interface PrepareUploadOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly tools: MediaTools;
  readonly encoderOf: (videoCodec: VideoCodec) => Promise<EncoderSettings>;
  readonly log: Log;
}

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

/**
 * Makes the next segments of the rendition and asks for the ones after them. There may be any number of commands for
 * one rendition: one of them works at a time, and the others end at once.
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
    const state = await goOn(options, asked, { ...upload, content_hash: contentHash }, { attempt, signal });
    // The next command is sent when this one has let go of the rendition: a worker that got it earlier would find the
    // rendition taken.
    if (state === 'preparing') await begin(options, asked);
    else if (state === 'other encoder') await passOn(options, asked, attempt);
    else if (state === 'other facts') await begin(options, await nameAnew(options, upload, asked));
    else if (state !== null) await settlePreparation(options.pool, contentHash, command.format);
  } catch (error) {
    attempt.signal.throwIfAborted();
    // Who deletes an upload fails nobody else with the same content: another upload's bytes are read then.
    if (!(await uploads.findAny(upload.id))) return begin(options, asked);
    const failure = failureOf(error);
    if (failure === notPrepared && !attempt.isLast) throw error;
    options.log('upload_not_prepared', { uploadID: upload.id, format: command.format, error: String(error) });
    await giveUp(options, command, upload, failure);
  }
}

/** Makes segment after segment, until there is none to make or the command should end. @returns as `advance` does */
async function goOn(
  options: PrepareUploadOptions,
  command: PrepareCommand,
  upload: HashedUpload,
  { attempt, signal }: { readonly attempt: Attempt; readonly signal: AbortSignal },
): ReturnType<typeof advance> {
  const untilMs = performance.now() + goesOnForMs;
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

/** Asks for the segments of a rendition that are not made yet. */
async function begin({ pool }: PrepareUploadOptions, command: PrepareCommand): Promise<void> {
  const { task, uploadID, contentHash, format } = command;
  const body = { task, uploadID, ...(contentHash !== undefined && { contentHash }), format };
  await databaseOn(pool).outbox.send({ queue: 'media', body });
}

/**
 * Leaves a command to a worker with another encoder. The new command was received by nobody yet, but remembers how
 * often the old one has failed.
 */
async function passOn({ pool }: PrepareUploadOptions, command: PrepareCommand, { failures }: Attempt): Promise<void> {
  await databaseOn(pool).outbox.send({ queue: 'media', body: { ...command, failures } }, passedOnAfterSeconds);
}

/**
 * Makes the next segment, if there is one, and if another kind of encoder did not make those before.
 * @returns the rendition's state then; null when another worker was faster; `other facts` for a rendition of a release
 * whose names of contents were those of the bytes alone, where it was made of other facts than this upload's
 */
async function advance(
  options: PrepareUploadOptions,
  command: PrepareCommand,
  upload: HashedUpload,
  signal: AbortSignal,
): Promise<RenditionState | 'other encoder' | 'other facts' | null> {
  const { content_hash: contentHash } = upload;
  const { renditions } = databaseOn(options.pool);
  const rendition = renditionOfUpload(upload, command.format);
  const encoder = await encoderFor(options, rendition);
  const count = segmentCount(rendition);
  const kind = encoder && encoderKind(encoder);
  const row = await renditions.begin(contentHash, command.format, count, kind);
  if (row.segment_count !== count && row.state !== 'failed') return 'other facts';
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
      const found = await inspect(options.objects, key, rendition, segment);
      if (found === 'whole') return null;
      const row = await databaseOn(options.pool).renditions.find(content_hash, format);
      const isOther = row !== null && ![0, segmentCount(rendition)].includes(row.segment_count);
      if (found === 'other groups' || isOther) return 'other facts';
      const encoder = await encoderFor(options, rendition);
      const kind = encoder && encoderKind(encoder);
      const how = await goesOn(options, { contentHash: content_hash, format, made: row?.encoder ?? null, kind });
      if (how !== 'later') await makeSegment(options, hashed, { rendition, segment, encoder }, withinTimeOf(attempt));
      return how;
    });
    if (going === 'other facts') await begin(options, await nameAnew(options, upload, command));
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
  if (isSound(format)) return null;
  const encoder = await encoderOf(format.videoCodec);
  await databaseOn(pool).renditionEncoders.noteSeen(encoderKind(encoder));
  return encoder;
}

/** What is in place of a segment. Of other groups only a segment can be that another release has made. */
async function inspect(objects: ObjectStore, key: string, rendition: Rendition, segment: number) {
  try {
    const bytes = await buffer(await objects.read(key));
    assertSegment(bytes);
    const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
    return hasGroups(header, groupsOfSegment(rendition, segment)) ? 'whole' : 'other groups';
  } catch (error) {
    if (error instanceof ObjectNotFound || error instanceof SegmentDamaged) return 'damaged';
    throw error;
  }
}

function renditionOfUpload(upload: HashedUpload, format: string): Rendition {
  const { kind, durationSeconds } = contentFacts(upload);
  return renditionOf(upload.content_hash, { kind, durationSeconds: durationSeconds ?? 0 }, formatNamed(format));
}

async function makeSegment(
  { pool, objects, tools, log }: PrepareUploadOptions,
  upload: Upload,
  { rendition, segment, encoder }: Pick<SegmentRequest, 'rendition' | 'segment' | 'encoder'>,
  signal: AbortSignal,
): Promise<void> {
  const format = formatName(rendition.format);
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  const { kind, hasAudio, dynamicRange } = contentFacts(upload);
  const { firstGroup: first, groupCount } = groupsOfSegment(rendition, segment);
  const pictures = { format: rendition.format, first, end: first + groupCount };
  const overlay = await overlayOfFormat({ pool, objects }, pictures, signal);
  const source = { sourceURL, kind: isSound(rendition.format) ? 'audio' : kind, hasAudio, dynamicRange } as const;
  const request = { rendition, segment, encoder, ...source, overlay, ...(await loudnessFor(pool, upload, rendition)) };
  const bytes = await prepareSegment(tools, request, signal);
  await objects.write(segmentKey(rendition, segment), bytes, { contentType });
  log('segment_prepared', { uploadID: upload.id, format, segment, of: segmentCount(rendition) });
}

/** What sound at a loudness is made with. */
async function loudnessFor(
  pool: Pool,
  upload: Upload,
  { contentHash, format }: Rendition,
): Promise<Pick<SegmentRequest, 'level' | 'itemSeconds'>> {
  const targetLUFS = targetOfFormat(format);
  if (targetLUFS === null) return {};
  const loudness = await databaseOn(pool).streamSounds.loudnessOf(contentHash);
  if (loudness === undefined) throw new Error(`it is not known how loud ${contentHash} is`);
  return { level: levelFor(loudness, targetLUFS), itemSeconds: contentFacts(upload).durationSeconds ?? undefined };
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
  await settlePreparation(pool, contentHash, format);
}
