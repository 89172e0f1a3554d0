// Carries out the commands of the queue 'media': examines and prepares uploads, publishes playlists, deletes objects.
import type { Pool } from 'pg';
import type { SQSRecord } from 'aws-lambda';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { MediaCommand } from '../data/outbox.ts';
import { publishPlaylist } from '../orchestration/publish-playlist.ts';
import { settleUpload } from '../orchestration/settle-upload.ts';
import { queuePolicies } from '../ports/command-queue/queues.ts';
import type { VideoCodec } from '../domain/video-format.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { EncoderSettings } from './ffmpeg/encoder-arguments.ts';
import { MediaError } from './media/media-error.ts';
import type { MediaTools } from './media/media-tools.ts';
import { probeMedia } from './media/probe.ts';
import { hashContent, prepareUpload, removeOrphanedRenditions } from './prepared/prepare-upload.ts';

export interface MediaWorkerParts {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly tools: MediaTools;
  /** What uploads are prepared with. @throws {NoEncoder} */
  readonly encoderOf: (videoCodec: VideoCodec) => Promise<EncoderSettings>;
  readonly random: () => number;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
}

/** A file without an index has to be read from end to end; everything else takes seconds. Just within what the queue gives. */
const probeTimeoutMs = (queuePolicies.media.visibilitySeconds - 10) * 1000;
const probeURLSeconds = 900;
/** Ours, and said so. */
const notExamined = {
  code: 'not_examined',
  detail: 'We could not examine this file, by no fault of yours. Upload it once more.',
};

/** The handler of the queue: commands that fail by our fault are delivered again. */
export function createMediaWorker(parts: MediaWorkerParts): QueueHandler {
  const handle = async (record: SQSRecord) => {
    const command = JSON.parse(record.body) as MediaCommand;
    switch (command.task) {
      case 'probe_upload':
        return probeUpload(
          parts,
          command.uploadID,
          Number(record.attributes.ApproximateReceiveCount) >= queuePolicies.media.maxReceives,
        );
      case 'publish_playlist':
        return inTransaction(parts.pool, async (data) =>
          publishPlaylist(data, command.playlistID, command.request, await data.now(), parts.random),
        );
      case 'prepare_upload':
        return prepareUpload(
          parts,
          command,
          Number(record.attributes.ApproximateReceiveCount) >= queuePolicies.media.maxReceives,
        );
      case 'delete_object':
        if (command.multipartID !== undefined)
          await parts.objects.abortMultipart(command.objectKey, command.multipartID);
        await parts.objects.delete(command.objectKey);
        return removeOrphanedRenditions(parts);
    }
  };
  return async ({ Records }) => {
    const results = await Promise.allSettled(Records.map(handle));
    const batchItemFailures = Records.flatMap(({ messageId, attributes }, index) => {
      const result = results[index]!;
      if (result.status === 'fulfilled') return [];
      parts.log('media_command_failed', {
        messageId,
        receives: attributes.ApproximateReceiveCount,
        error: String(result.reason),
      });
      return [{ itemIdentifier: messageId }];
    });
    return { batchItemFailures };
  };
}

/** @param isLastAttempt the queue would set the command aside as dead: the upload must not stay pending for ever */
async function probeUpload(
  { pool, objects, tools, log }: MediaWorkerParts,
  uploadID: string,
  isLastAttempt: boolean,
): Promise<void> {
  const upload = await databaseOn(pool).uploads.findAny(uploadID);
  if (!upload?.uploaded || upload.probe_state !== 'pending') return;
  const url = await objects.presignGet(upload.object_key, { expiresInSeconds: probeURLSeconds });
  // Of an import nobody here has claimed anything: its source said what it liked.
  const isImport = upload.external_source !== null;
  const claimed = { mimeType: isImport ? null : upload.mime_type, fileSize: upload.size_bytes! };
  const found = await probeMedia(tools, url, claimed, AbortSignal.timeout(probeTimeoutMs)).catch((error: unknown) => {
    if (error instanceof MediaError) return { failure: { code: error.code, detail: error.detail } };
    if (!isLastAttempt) throw error;
    log('upload_not_examined', { uploadID, error: String(error) });
    return { failure: notExamined };
  });
  log('upload_probed', { uploadID, ...('failure' in found ? { failure: found.failure.code } : { kind: found.kind }) });

  await inTransaction(pool, async (data) => {
    if ('failure' in found) await data.uploads.recordFailure(uploadID, found.failure);
    else {
      if (isImport) await data.uploads.recordContent(uploadID, found.mimeType, found.kind);
      await data.uploads.recordFacts(uploadID, {
        duration_seconds: found.durationSeconds,
        width: found.width,
        height: found.height,
        framerate: found.framerate,
        video_codec: found.videoCodec,
        audio_codec: found.audioCodec,
        dynamic_range: found.dynamicRange,
      });
    }
    await settleUpload(data, uploadID);
  });
  if ('failure' in found) return;
  // Only the preparation needs it, and looks for itself where it is missing: nobody has to wait for it here.
  await hashContent({ pool, objects }, upload).catch((error: unknown) =>
    log('content_not_hashed', { uploadID, error: String(error) }),
  );
}
