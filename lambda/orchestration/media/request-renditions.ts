// Asks for renditions that nobody has asked for yet, and has the words for those that we could not make.
import type { Database } from '../../data/database.ts';
import type { UploadPreparation } from '../../data/media/renditions.ts';
import { formatNamed } from '../../domain/playout/rendition.ts';
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import { inFormat, recordToPrepare } from './preparation-limit.ts';

/** The failure of a rendition that was our fault. It is prepared again when a user asks for it again. */
export const notPrepared = {
  code: 'not_prepared',
  detail: 'We could not prepare this file, by no fault of yours. Start the stream again.',
};

/** The same failure where this installation has no encoder for the codec. */
export function notEncodable(videoCodec: VideoCodec): typeof notPrepared {
  return {
    ...notPrepared,
    detail:
      `This installation has no encoder for ${videoCodec}. ` +
      'Set videoCodec to h264, or ask those who run it for an ffmpeg that has one.',
  };
}

/**
 * When to prepare again what failed by our fault: at once where a user asks, and never where nobody does, or it would
 * never end. Once an hour what is played meanwhile without it: a worker of the release before fails what it does not
 * know.
 */
export type Retries = 'at once' | 'hourly' | 'never';

const retriedAfterSeconds = { 'at once': 0, hourly: 3600, never: null } as const;

/** Has those uploads prepared that are not being prepared, each content once. */
export async function requestRenditions(
  data: Database,
  format: string,
  uploads: readonly Pick<UploadPreparation, 'upload_id' | 'content_hash'>[],
  { retries }: { readonly retries: Retries },
): Promise<void> {
  const hashes = uploads.flatMap(({ content_hash: hash }) => hash ?? []);
  const afterSeconds = retriedAfterSeconds[retries];
  const retried = afterSeconds === null ? null : { code: notPrepared.code, afterSeconds };
  const asked = await data.renditions.request(hashes, format, retried);
  // By content, so that of several uploads of one content one is prepared. An upload
  // that is not hashed yet stands for itself.
  const wanted = new Map<string, string>();
  for (const { upload_id: id, content_hash: hash } of uploads) {
    if (hash === null || asked.has(hash)) wanted.set(hash ?? id, id);
  }
  const commands = [...wanted].map(([content, uploadID]) => {
    const contentHash = asked.has(content) ? { contentHash: content } : {};
    return { task: 'prepare_upload', uploadID, ...contentHash, format } as const;
  });
  await data.outbox.sendAll('media', commands);
}

/** An upload in a format, by its name. */
export type WantedRendition = Pick<UploadPreparation, 'upload_id' | 'content_hash'> & { readonly format: string };

export interface RequestOptions {
  readonly retries: Retries;
  /** Of the stage. */
  readonly limitFactor: number;
}

/**
 * Has uploads of a user prepared in formats. Where the user may not have so much prepared, only what was asked for
 * before is.
 */
export async function requestWithinLimit(
  data: Database,
  userID: string,
  wanted: readonly WantedRendition[],
  { retries, limitFactor }: RequestOptions,
): Promise<void> {
  const toNote = wanted.flatMap((upload) => inFormat([upload.upload_id], formatNamed(upload.format)));
  const reached = await recordToPrepare(data, userID, limitFactor, toNote);
  for (const [format, uploads] of Map.groupBy(wanted, (upload) => upload.format)) {
    const ids = uploads.map((upload) => upload.upload_id);
    const noted = reached === null ? new Set(ids) : await data.preparedUploads.recorded(ids, format);
    const within = uploads.filter((upload) => noted.has(upload.upload_id));
    await requestRenditions(data, format, within, { retries });
  }
}
