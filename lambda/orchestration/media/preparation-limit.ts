// Keeps the prepared media of a user within the limit: a request that would exceed it is refused.
import type { Database } from '../../data/database.ts';
import type { UploadInFormat } from '../../data/media/prepared-uploads.ts';
import { slotsOfPreparing } from '../../domain/fleet/capacity.ts';
import type { Use } from '../../domain/shared/limits.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { variantSeconds } from '../../domain/playout/drawings.ts';
import { formatName, formatOfItem, isSound, variantsOfItem } from '../../domain/playout/rendition.ts';
import type { ItemFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { takeOfHour } from '../shared/hourly-limits.ts';
import { limitsReached } from '../shared/limits.ts';

/** Uploads to prepare in a format. */
export function inFormat(uploadIDs: readonly string[], format: RenditionFormat): UploadInFormat[] {
  const slots = slotsOfPreparing(format);
  const mostSeconds = isSound(format) || format.variant === undefined ? null : variantSeconds(format.variant);
  const decodesPictures = !isSound(format);
  return uploadIDs.map((uploadID) => ({ uploadID, format: formatName(format), slots, decodesPictures, mostSeconds }));
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

/** The uploads that a user wants prepared. */
export interface ToPrepare {
  readonly userID: string;
  readonly wanted: readonly UploadInFormat[];
}

/**
 * The additional use of each of these requests, in seconds of 720p30. Recorded uploads count nothing, and an upload
 * that several requests want counts for the first.
 */
export async function secondsToPrepare(
  data: Database,
  requests: readonly Pick<ToPrepare, 'wanted'>[],
): Promise<number[]> {
  const all = requests.flatMap(({ wanted }) => wanted);
  const unrecorded = all.length === 0 ? [] : await data.preparedUploads.unrecorded(all);
  const secondsOf = new Map(unrecorded.map((each) => [keyOf(each.upload_id, each.format), each.seconds]));
  return requests.map(({ wanted }) => {
    let sum = 0;
    for (const { uploadID, format } of wanted) {
      const key = keyOf(uploadID, format);
      sum += secondsOf.get(key) ?? 0;
      secondsOf.delete(key);
    }
    return sum;
  });
}

const keyOf = (uploadID: string, format: string) => `${uploadID} ${format}`;

/** Counts seconds that are about to be recorded. @returns the use of the hour if they would exceed it; null: counted */
export function preparedOfHour(data: Database, userID: string, seconds: number, limitFactor: number) {
  return takeOfHour(data, { userID, limitFactor, limit: 'preparedSeconds', count: seconds });
}

/**
 * Records that uploads of users are to be prepared. Recorded ones do not count again.
 * @param limitFactor of the stage
 * @returns for each request, the limit that it would exceed, with nothing recorded for it; null: none
 */
export async function recordToPrepare(
  data: Database,
  limitFactor: number,
  requests: readonly ToPrepare[],
): Promise<(Use | null)[]> {
  const seconds = await secondsToPrepare(data, requests);
  const reached = await limitsReached(
    data,
    limitFactor,
    requests.map(({ userID }, index) => ({ userID, wanted: { preparedSeconds: seconds[index]! } })),
  );
  for (const [index, { userID }] of requests.entries())
    reached[index] ??= await preparedOfHour(data, userID, seconds[index]!, limitFactor);
  const granted = requests.flatMap(({ wanted }, index) => (reached[index] || seconds[index] === 0 ? [] : wanted));
  if (granted.length > 0) await data.preparedUploads.record(granted);
  return reached;
}
