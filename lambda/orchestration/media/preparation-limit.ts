// Keeps the prepared media of a user within the limit: a request that would exceed it is refused.
import type { Database } from '../../data/database.ts';
import type { UploadInFormat } from '../../data/media/prepared-uploads.ts';
import { slotsOfPreparing } from '../../domain/fleet/capacity.ts';
import type { Use } from '../../domain/shared/limits.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { variantSeconds } from '../../domain/playout/drawings.ts';
import { formatName, formatOfItem, isSound, variantsOfItem } from '../../domain/playout/rendition.ts';
import type { ItemFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { limitReached } from '../shared/limits.ts';

/** Uploads to prepare in a format. */
export function inFormat(uploadIDs: readonly string[], format: RenditionFormat): UploadInFormat[] {
  const slots = slotsOfPreparing(format);
  const mostSeconds = isSound(format) || format.variant === undefined ? null : variantSeconds(format.variant);
  return uploadIDs.map((uploadID) => ({ uploadID, format: formatName(format), slots, mostSeconds }));
}

/** Items to prepare in the formats in which a stream sends them. @param format of the stream */
export function itemsInFormat(
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: RenditionFormat,
): UploadInFormat[] {
  return items.flatMap((item) =>
    [formatOfItem(format, item), ...variantsOfItem(format, item)].flatMap((each) => inFormat([item.uploadID], each)),
  );
}

/**
 * Records that uploads of a user are to be prepared. Recorded ones do not count again.
 * @param limitFactor of the stage
 * @returns the limit that all of them together would exceed, with nothing recorded; null: none
 */
export async function recordToPrepare(
  data: Database,
  userID: string,
  limitFactor: number,
  wanted: readonly UploadInFormat[],
): Promise<Use | null> {
  const preparedSeconds = await data.preparedUploads.unrecordedSeconds(wanted);
  if (preparedSeconds === 0) return null;
  const reached = await limitReached(data, userID, limitFactor, { preparedSeconds });
  if (reached === null) await data.preparedUploads.record(wanted);
  return reached;
}
