// Requests the preparation of media that a stream of the prepared backend plays.
import type { Database } from '../../data/database.ts';
import type { UploadPreparation } from '../../data/media/renditions.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { uploadsByFormat, uploadsByVariant } from '../../domain/playout/rendition.ts';
import type { ItemFormat, PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { requestRenditions } from './request-renditions.ts';
import type { RequestOptions } from './request-renditions.ts';

/**
 * How far a track is. `begun`: something of it is prepared, and the rest is not yet. `ready`: everything that can be
 * prepared is prepared. `failed`: nothing of it can be.
 */
export type Preparation = 'preparing' | 'begun' | 'ready' | 'failed';

/**
 * Has the uploads of a track prepared that nobody has asked for yet, and says how far the track is. The caller has
 * noted them (`recordToPrepare`). It asks in the transaction that writes who waits for the answer, so that whoever
 * finishes an upload meanwhile sees the waiting one.
 */
export async function requestPreparation(
  data: Database,
  track: Track,
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: PictureFormat,
  { retries }: Pick<RequestOptions, 'retries'>,
): Promise<Preparation> {
  const wanted = uploadsByFormat(items, track === 'audio' ? 'sound' : format);
  for (const [name, ids] of wanted)
    await requestRenditions(data, name, await data.renditions.contentsOf(ids), { retries });
  // Nobody waits for what is drawn over a part.
  for (const [name, ids] of uploadsByVariant(items, track === 'audio' ? 'sound' : format))
    await requestRenditions(data, name, await data.renditions.contentsOf(ids), { retries });
  const states: UploadPreparation['state'][] = [];
  for (const [name, ids] of wanted)
    states.push(...(await data.renditions.lockOfUploads(ids, name)).map(({ state }) => state));
  if (states.some((state) => state === null || state === 'preparing'))
    return states.includes('ready') ? 'begun' : 'preparing';
  return states.includes('ready') ? 'ready' : 'failed';
}

/**
 * What a user can do where none of the items could be prepared: the detail of the
 * failure, where all failed for the same reason.
 * @param usual the advice where they failed for several reasons
 */
export async function remedyFor(
  data: Database,
  items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[],
  format: RenditionFormat,
  usual: string,
): Promise<string> {
  const reasons = new Set<string | undefined>();
  for (const [name, ids] of uploadsByFormat(items, format))
    for (const { failure } of await data.renditions.lockOfUploads(ids, name)) reasons.add(failure?.detail);
  const [reason, ...others] = reasons;
  return reason !== undefined && others.length === 0 ? reason : usual;
}
