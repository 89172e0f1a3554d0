// Requests renditions that were not requested yet, and has the failures of those that we could not make.
import type { Database } from '../../data/database.ts';
import type { UploadPreparation } from '../../data/media/renditions.ts';
import { formatName } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import { inFormat, recordToPrepare } from './preparation-limit.ts';

/** The failure of a rendition by our fault. It is prepared again when a user requests it again. */
export const notPrepared = {
  code: 'not_prepared',
  detail: 'We could not prepare this file, by no fault of yours. Start the stream again.',
};

/** The failure of a rendition if this installation has no encoder for the codec. */
export function notEncodable(videoCodec: VideoCodec): typeof notPrepared {
  return {
    ...notPrepared,
    detail:
      `This installation has no encoder for ${videoCodec}. ` +
      'Set videoCodec to h264, or ask those who run it for an ffmpeg that has one.',
  };
}

/**
 * The time of a retry after a failure that was our fault: at once if a user asks; once an hour for items that are
 * played without it meanwhile; never otherwise, or it would never end.
 */
export type Retries = 'at once' | 'hourly' | 'never';

const retriedAfterSeconds = { 'at once': 0, hourly: 3600, never: null } as const;

/** Requests the preparation of uploads that are not being prepared, each content once. */
export async function requestRenditions(
  data: Database,
  format: RenditionFormat,
  uploads: readonly Pick<UploadPreparation, 'upload_id' | 'content_hash'>[],
  { retries }: { readonly retries: Retries },
): Promise<void> {
  const hashes = uploads.flatMap(({ content_hash: hash }) => hash ?? []);
  const afterSeconds = retriedAfterSeconds[retries];
  const retried = afterSeconds === null ? null : { code: notPrepared.code, afterSeconds };
  const asked = await data.renditions.request(hashes, format, retried);
  // By content, so that one of several uploads with the same content is prepared. An upload without a hash is prepared
  // by itself.
  const wanted = new Map<string, string>();
  for (const { upload_id: id, content_hash: hash } of uploads) {
    if (hash === null || asked.has(hash)) wanted.set(hash ?? id, id);
  }
  const commands = [...wanted].map(([content, uploadID]) => {
    const contentHash = asked.has(content) ? { contentHash: content } : {};
    return { task: 'prepare_upload', uploadID, ...contentHash, format: formatName(format) } as const;
  });
  await data.outbox.sendAll('media', commands);
}

/** An upload in a format. */
export type WantedRendition = Pick<UploadPreparation, 'upload_id' | 'content_hash'> & {
  readonly format: RenditionFormat;
};

export interface RequestOptions {
  readonly retries: Retries;
  /** The factor of the stage for all limits. */
  readonly limitFactor: number;
}

/**
 * Requests the preparation of uploads of a user in formats. If that would exceed the limit of the user, only recorded
 * ones are requested.
 */
export async function requestWithinLimit(
  data: Database,
  userID: string,
  wanted: readonly WantedRendition[],
  { retries, limitFactor }: RequestOptions,
): Promise<void> {
  const toRecord = wanted.flatMap((upload) => inFormat([upload.upload_id], upload.format));
  const reached = await recordToPrepare(data, userID, limitFactor, toRecord);
  for (const [name, uploads] of Map.groupBy(wanted, ({ format }) => formatName(format))) {
    const ids = uploads.map((upload) => upload.upload_id);
    const recorded = reached === null ? new Set(ids) : await data.preparedUploads.recorded(ids, name);
    const within = uploads.filter((upload) => recorded.has(upload.upload_id));
    await requestRenditions(data, uploads[0]!.format, within, { retries });
  }
}
