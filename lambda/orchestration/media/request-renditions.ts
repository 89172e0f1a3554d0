// Requests renditions that were not requested yet, and has the failures of those that we could not make.
import type { Database } from '../../data/database.ts';
import type { UploadPreparation } from '../../data/media/renditions.ts';
import type { PrepareCommand } from '../../data/shared/outbox.ts';
import { formatName } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import { inFormat, recordToPrepare } from './preparation-limit.ts';

/** The failure of a rendition by our fault. It is prepared again when a user requests it again. */
export const notPrepared = {
  code: 'not_prepared',
  detail: 'We could not prepare this file, by no fault of yours. Start the stream again.',
};

/** The failure of a rendition if the disk of a local run has no room for it. */
export const notStored: typeof notPrepared = {
  ...notPrepared,
  detail: 'The disk of the platform has no room for the prepared file. Make room, then start the stream again.',
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

/** An upload in a format. */
export type WantedRendition = Pick<UploadPreparation, 'upload_id' | 'content_hash'> & {
  readonly format: RenditionFormat;
};

/** Requests the preparation of uploads that are not being prepared, each content once in a format. */
export async function requestRenditions(
  data: Database,
  wanted: readonly WantedRendition[],
  { retries }: { readonly retries: Retries },
): Promise<void> {
  if (wanted.length === 0) return;
  const afterSeconds = retriedAfterSeconds[retries];
  const requested = await data.renditions.request(
    wanted.flatMap(({ content_hash: contentHash, format }) => (contentHash === null ? [] : [{ contentHash, format }])),
    afterSeconds === null ? null : { code: notPrepared.code, afterSeconds },
  );
  const needed = new Set(requested.map(({ content_hash: hash, format }) => keyOf(hash, format)));
  // By content, so that one of several uploads with the same content is prepared. An upload without a hash is prepared
  // by itself.
  const commands = new Map<string, PrepareCommand>();
  for (const { upload_id: uploadID, content_hash: contentHash, format } of wanted) {
    const name = formatName(format);
    const key = keyOf(contentHash ?? uploadID, name);
    if (contentHash === null) commands.set(key, { task: 'prepare_upload', uploadID, format: name });
    else if (needed.has(key)) commands.set(key, { task: 'prepare_upload', uploadID, contentHash, format: name });
  }
  await data.outbox.sendAll('media', [...commands.values()]);
}

const keyOf = (content: string, format: string) => `${content} ${format}`;

export interface RequestOptions {
  readonly retries: Retries;
  /** The factor of the stage for all limits. */
  readonly limitFactor: number;
}

/** The renditions that a user wants. */
export interface WantedByUser {
  readonly userID: string;
  readonly wanted: readonly WantedRendition[];
}

/**
 * Requests the preparation of uploads of users in formats. If that would exceed the limit of a user, only the recorded
 * ones of the user are requested.
 * @returns the renditions that are requested
 */
export async function requestWithinLimits(
  data: Database,
  requests: readonly WantedByUser[],
  { retries, limitFactor }: RequestOptions,
): Promise<readonly WantedRendition[]> {
  const reached = await recordToPrepare(
    data,
    limitFactor,
    requests.map(({ userID, wanted }) => ({
      userID,
      wanted: wanted.flatMap((upload) => inFormat([upload.upload_id], upload.format)),
    })),
  );
  const within: WantedRendition[] = [];
  for (const [index, { wanted }] of requests.entries())
    within.push(...(reached[index] ? await recordedAmong(data, wanted) : wanted));
  await requestRenditions(data, within, { retries });
  return within;
}

async function recordedAmong(data: Database, wanted: readonly WantedRendition[]): Promise<WantedRendition[]> {
  const recorded: WantedRendition[] = [];
  for (const [name, uploads] of Map.groupBy(wanted, ({ format }) => formatName(format))) {
    const ids = await data.preparedUploads.recorded(
      uploads.map((upload) => upload.upload_id),
      name,
    );
    recorded.push(...uploads.filter((upload) => ids.has(upload.upload_id)));
  }
  return recorded;
}

/** Requests the preparation of uploads of one user, as `requestWithinLimits` does. */
export function requestWithinLimit(
  data: Database,
  userID: string,
  wanted: readonly WantedRendition[],
  options: RequestOptions,
): Promise<readonly WantedRendition[]> {
  return requestWithinLimits(data, [{ userID, wanted }], options);
}
