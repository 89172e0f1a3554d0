// Requests the preparation of slates in the formats of their streams. Decision D283.
import type { Database } from '../../data/database.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { slateFormat } from '../../domain/live/slate.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import type { Use } from '../../domain/shared/limits.ts';
import { inFormat, recordToPrepare } from '../media/preparation-limit.ts';
import { requestRenditions } from '../media/request-renditions.ts';

/** A slate of a user, and the format of its stream. */
export interface SlateToPrepare {
  readonly user_id: string;
  readonly upload_id: string;
  readonly content_hash: string | null;
  readonly format: PictureFormat;
}

/**
 * Requests slates that were not requested yet. Streams in other codecs than H.264 show none.
 * @returns for each slate, the limit that it would exceed; null: it is requested
 */
export async function prepareSlates(
  data: Database,
  slates: readonly SlateToPrepare[],
  limitFactor: number,
): Promise<(Use | null)[]> {
  const wanted = slates.map((slate) => ({ ...slate, format: slateFormat(slate.format) }));
  const shown = wanted.filter(({ format }) => format.videoCodec === 'h264');
  if (shown.length === 0) return slates.map(() => null);
  const reached = await recordToPrepare(
    data,
    limitFactor,
    shown.map((slate) => ({ userID: slate.user_id, wanted: inFormat([slate.upload_id], slate.format) })),
  );
  const within = shown.filter((_, index) => reached[index] === null);
  await requestRenditions(data, within, { retries: 'at once' });
  return wanted.map((slate) => reached[shown.indexOf(slate)] ?? null);
}

/** Requests the slates of prepared streams whose runs begin, within the limits of their users. */
export async function requestSlatesOf(data: Database, streams: readonly Stream[], limitFactor: number): Promise<void> {
  if (streams.length === 0) return;
  const formats = new Map(streams.map((stream) => [stream.id, formatOfRun(stream)]));
  const slates = await data.slates.ofStreams([...formats.keys()]);
  const wanted = slates.map(({ stream_id: id, ...slate }) => ({ ...slate, format: formats.get(id)! }));
  await prepareSlates(data, wanted, limitFactor);
}
