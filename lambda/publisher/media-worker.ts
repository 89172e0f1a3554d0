// Carries out the commands of the queue 'media': examines and prepares uploads, publishes drafts, deletes objects.
import type { SQSRecord } from 'aws-lambda';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Upload } from '../data/media/uploads.ts';
import type { MediaCommand } from '../data/shared/outbox.ts';
import { kindOfMimeType } from '../domain/media/upload-words.ts';
import { failPublishing, publishDraft } from '../orchestration/playout/publish-draft.ts';
import { continuePublishing, applyProbeResult } from '../orchestration/playout/apply-probe-result.ts';
import { queuePolicies } from '../ports/command-queue/queues.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import { examineOnThread } from './media/examining-thread.ts';
import { MediaError } from './media/media-error.ts';
import type { ClaimedMedia } from './media/probe.ts';
import type { Attempt } from './preparing/claimed-work.ts';
import { captureFrame } from './inspecting/capture-frame.ts';
import { hashContent } from './preparing/content.ts';
import { makeJoin } from './preparing/make-join.ts';
import { prepareUpload } from './preparing/prepare-upload.ts';
import { removeOrphans } from './preparing/remove-orphans.ts';
import type { PrepareUploadOptions } from './preparing/prepare-upload.ts';

export interface MediaWorkerOptions extends PrepareUploadOptions {
  readonly random: () => number;
  /** The stage's factor for limits: see domain/shared/limits.ts. */
  readonly limitFactor: number;
  /**
   * Aborts when the worker must end without finishing its commands. They are sent again as new commands, so that the
   * deliveries of the old ones do not count as failures.
   */
  readonly returning?: AbortSignal;
  /** Called whenever a command begins or ends, with the number under way. */
  readonly onLoad?: (commandsUnderWay: number) => void;
  /** Called when the content hash of an upload is known, so that the content can be inspected. */
  readonly onContent?: () => void;
}

/**
 * Timeout of a probe: a little less than the queue's visibility timeout. Most probes take seconds, but a file without
 * an index must be read from end to end.
 */
const probeTimeoutMs = (queuePolicies.media.visibilitySeconds - 10) * 1000;
const probeURLSeconds = 900;
/** The user's error for a failure that is our fault. */
const notExamined = {
  code: 'not_examined',
  detail: 'We could not examine this file, by no fault of yours. Upload it once more.',
};

/** The handler of the queue `media`. Commands that fail by our fault are delivered again. */
export function createMediaWorker(options: MediaWorkerOptions): QueueHandler {
  const { returning = new AbortController().signal, onLoad, log } = options;
  let underWay = 0;
  const changeLoad = (change: number) => onLoad?.((underWay += change));
  const handle = async (record: SQSRecord) => {
    const command = JSON.parse(record.body) as MediaCommand;
    const failuresBefore = 'failures' in command ? (command.failures ?? 0) : 0;
    const failures = failuresBefore + Number(record.attributes.ApproximateReceiveCount) - 1;
    const isLast = failures + 1 >= queuePolicies.media.maxReceives;
    try {
      await carryOut(options, command, { commandID: record.messageId, failures, isLast, signal: returning });
    } catch (error) {
      if (!returning.aborted) throw error;
      await databaseOn(options.pool).outbox.send({ queue: 'media', body: command });
      log('media_command_given_back', { messageId: record.messageId, task: command.task });
    }
  };
  return async ({ Records }) => {
    changeLoad(Records.length);
    const results = await Promise.allSettled(Records.map(handle)).finally(() => changeLoad(-Records.length));
    const batchItemFailures = Records.flatMap(({ messageId, attributes }, index) => {
      const result = results[index]!;
      if (result.status === 'fulfilled') return [];
      log('media_command_failed', {
        messageId,
        receives: attributes.ApproximateReceiveCount,
        error: String(result.reason),
      });
      return [{ itemIdentifier: messageId }];
    });
    return { batchItemFailures };
  };
}

async function carryOut(options: MediaWorkerOptions, command: MediaCommand, attempt: Attempt): Promise<void> {
  switch (command.task) {
    case 'probe_upload':
      return probeUpload(options, command.uploadID, attempt);
    case 'publish_playlist':
      return publishPlaylist(options, command, attempt);
    case 'prepare_upload':
      return prepareUpload(options, command, attempt);
    case 'make_join':
      return makeJoin(options, command.name, attempt);
    case 'capture_frame':
    case 'capture_posters':
      return captureFrame(options, command.objectKey, attempt);
    case 'delete_object':
      if (command.multipartID !== undefined)
        await options.objects.abortMultipart(command.objectKey, command.multipartID);
      return options.objects.delete(command.objectKey);
    case 'remove_renditions':
      return removeOrphans(options, attempt);
    default:
      // A later release sent it; a worker of that release may get the next delivery.
      throw new Error(`this release knows no such media command: ${JSON.stringify(command satisfies never)}`);
  }
}

/** Publishes a draft. If the last attempt fails, the publishing fails too, since no further command would retry it. */
async function publishPlaylist(
  { pool, random, limitFactor, log }: MediaWorkerOptions,
  { playlistID, request }: Extract<MediaCommand, { task: 'publish_playlist' }>,
  attempt: Attempt,
): Promise<void> {
  try {
    await inTransaction(pool, async (data) =>
      publishDraft(data, playlistID, request, { now: await data.now(), random, limitFactor }),
    );
  } catch (error) {
    if (!attempt.isLast) throw error;
    log('playlist_not_published', { playlistID, error: String(error) });
    await inTransaction(pool, (data) => failPublishing(data, playlistID, request));
  }
}

/**
 * Examines an upload. If the last attempt fails, for whatever reason, the upload fails too: a draft that is published
 * with it must not wait for ever.
 */
async function probeUpload(options: MediaWorkerOptions, uploadID: string, attempt: Attempt): Promise<void> {
  const { pool, limitFactor, log } = options;
  try {
    await examineUpload(options, uploadID, attempt);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!attempt.isLast) throw error;
    log('upload_not_examined', { uploadID, error: String(error) });
    await inTransaction(pool, async (data) => {
      await data.uploads.recordFailure(uploadID, notExamined);
      await continuePublishing(data, uploadID);
    });
    // In a transaction of its own, as this step may be the one that fails.
    await inTransaction(pool, (data) => applyProbeResult(data, uploadID, limitFactor));
  }
}

/** The claims about an upload. The source of an import makes none, and a type that follows from a MIME type is none. */
function claimsOf(upload: Upload): ClaimedMedia {
  const fileSize = upload.size_bytes;
  if (upload.external_source !== null) return { mimeType: null, type: null, fileSize };
  const { mime_type: mimeType, type } = upload;
  return { mimeType, type: type === kindOfMimeType(mimeType) ? null : type, fileSize };
}

async function examineUpload(
  { pool, objects, tools, limitFactor, log, onContent }: MediaWorkerOptions,
  uploadID: string,
  attempt: Attempt,
): Promise<void> {
  const upload = await databaseOn(pool).uploads.findAny(uploadID);
  if (!upload?.uploaded || upload.probe_state !== 'pending') return;
  const url = await objects.presignGet(upload.object_key, { expiresInSeconds: probeURLSeconds });
  const claimed = claimsOf(upload);
  const signal = AbortSignal.any([attempt.signal, AbortSignal.timeout(probeTimeoutMs)]);
  const found = await examineOnThread(tools, url, claimed, signal).catch((error: unknown) => {
    attempt.signal.throwIfAborted();
    if (error instanceof MediaError) return { failure: { code: error.code, detail: error.detail } };
    throw error;
  });
  log('upload_probed', { uploadID, ...('failure' in found ? { failure: found.failure.code } : { kind: found.kind }) });

  await inTransaction(pool, async (data) => {
    if ('failure' in found) await data.uploads.recordFailure(uploadID, found.failure);
    else {
      const type = claimed.type ?? found.kind;
      if (found.mimeType !== upload.mime_type || type !== upload.type)
        await data.uploads.recordContent(uploadID, found.mimeType, type);
      await data.uploads.recordFacts(uploadID, {
        duration_seconds: found.durationSeconds,
        width: found.width,
        height: found.height,
        framerate: found.framerate,
        video_codec: found.videoCodec,
        audio_codec: found.audioCodec,
        dynamic_range: found.dynamicRange,
        decode_cost: found.decodeCost,
        file_tags: found.tags,
        reading: found.reading,
      });
    }
    await applyProbeResult(data, uploadID, limitFactor);
  });
  if ('failure' in found) return;
  // Preparation hashes the content itself if the hash is missing, so a failure here delays nothing.
  await hashContent({ pool, objects }, uploadID, attempt.signal).then(onContent, (error: unknown) =>
    log('content_not_hashed', { uploadID, error: String(error) }),
  );
}
