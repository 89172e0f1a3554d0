// Requests the preparation of media that a stream of the prepared backend plays.
import type { Database } from '../../data/database.ts';
import type { UploadPreparation } from '../../data/media/renditions.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { formatName, uploadsByFormat, uploadsByVariant } from '../../domain/playout/rendition.ts';
import type { ItemFormat, PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { requestRenditions } from './request-renditions.ts';
import type { RequestOptions } from './request-renditions.ts';

/**
 * The preparation of a track. `begun`: some items are prepared, others are not yet. `ready`: all items that can be
 * prepared are. `failed`: no item can be prepared.
 */
export type Preparation = 'preparing' | 'begun' | 'ready' | 'failed';

/**
 * Requests the uploads of a track that were not requested yet, and returns the preparation of the track. The caller has
 * recorded them by `recordToPrepare`. The request is in the transaction that stores who waits for it, so that a worker
 * that finishes an upload meanwhile sees the waiting stream or playlist.
 */
export async function requestPreparation(
  data: Database,
  track: Track,
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: PictureFormat,
  { retries }: Pick<RequestOptions, 'retries'>,
): Promise<Preparation> {
  const wanted = uploadsByFormat(items, track === 'audio' ? 'sound' : format);
  // Drawings over a part of an item are requested too, but nothing waits for them.
  const drawn = uploadsByVariant(items, track === 'audio' ? 'sound' : format);
  for (const { format: each, uploadIDs } of [...wanted, ...drawn])
    await requestRenditions(data, each, await data.renditions.contentsOf(uploadIDs), { retries });
  const states: UploadPreparation['state'][] = [];
  for (const { format: each, uploadIDs } of wanted)
    states.push(...(await data.renditions.lockOfUploads(uploadIDs, formatName(each))).map(({ state }) => state));
  if (states.some((state) => state === null || state === 'preparing'))
    return states.includes('ready') ? 'begun' : 'preparing';
  return states.includes('ready') ? 'ready' : 'failed';
}

/**
 * The advice for a user if no item could be prepared: the detail of the failure, if all failed for the same reason.
 * @param usual the advice if they failed for several reasons
 */
export async function remedyFor(
  data: Database,
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: RenditionFormat,
  usual: string,
): Promise<string> {
  const reasons = new Set<string | undefined>();
  for (const { format: each, uploadIDs } of uploadsByFormat(items, format))
    for (const { failure } of await data.renditions.lockOfUploads(uploadIDs, formatName(each)))
      reasons.add(failure?.detail);
  const [reason, ...others] = reasons;
  return reason !== undefined && others.length === 0 ? reason : usual;
}
