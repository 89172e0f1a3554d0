// Requests the preparation of media that a stream of the prepared backend plays.
import type { Database } from '../../data/database.ts';
import type { UploadPreparation } from '../../data/media/renditions.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { formatName, uploadsByFormat, uploadsByVariant } from '../../domain/playout/rendition.ts';
import type { ItemFormat, PictureFormat, RenditionFormat, UploadsOfFormat } from '../../domain/playout/rendition.ts';
import { requestRenditions } from './request-renditions.ts';
import type { RequestOptions } from './request-renditions.ts';

/**
 * The preparation of a track. `begun`: some items are prepared, others are not yet. `ready`: all items that can be
 * prepared are. `failed`: no item can be prepared.
 */
export type Preparation = 'preparing' | 'begun' | 'ready' | 'failed';

/** A track to prepare. */
export interface TrackToPrepare {
  readonly track: Track;
  readonly items: readonly (Pick<TimelineItem, 'uploadID'> & ItemFormat)[];
  /** The format of the pictures of the stream. */
  readonly format: PictureFormat;
}

/** Requests the uploads of one track, as `requestPreparations` does. */
export async function requestPreparation(
  data: Database,
  track: TrackToPrepare,
  retrying: Pick<RequestOptions, 'retries'>,
): Promise<Preparation> {
  return (await requestPreparations(data, [track], retrying))[0]!;
}

/**
 * Requests the uploads of tracks that were not requested yet, and returns the preparations of the tracks, in their
 * order. The caller has recorded them by `recordToPrepare`. The request is in the transaction that stores who waits for
 * it, so that a worker that finishes an upload meanwhile sees the waiting stream or playlist.
 */
export async function requestPreparations(
  data: Database,
  tracks: readonly TrackToPrepare[],
  { retries }: Pick<RequestOptions, 'retries'>,
): Promise<Preparation[]> {
  const formatOf = ({ track, format }: TrackToPrepare) => (track === 'audio' ? 'sound' : format);
  const awaited = tracks.map((each) => inFormats(uploadsByFormat(each.items, formatOf(each))));
  // Drawings over a part of an item are requested too, but nothing waits for them.
  const drawn = tracks.flatMap((each) => inFormats(uploadsByVariant(each.items, formatOf(each))));
  const wanted = [...awaited.flat(), ...drawn];
  const contents = await data.renditions.contentsOf([...new Set(wanted.map(({ uploadID }) => uploadID))]);
  const contentOf = new Map(contents.map((upload) => [upload.upload_id, upload]));
  await requestRenditions(
    data,
    wanted.flatMap(({ uploadID, format }) => {
      const content = contentOf.get(uploadID);
      return content ? [{ ...content, format }] : [];
    }),
    { retries },
  );
  const named = awaited.map((uploads) =>
    uploads.map(({ uploadID, format }) => ({ uploadID, format: formatName(format) })),
  );
  const rows = await data.renditions.lockOfUploads(named.flat());
  const stateOf = new Map(rows.map((row) => [`${row.upload_id} ${row.format}`, row.state]));
  return named.map((uploads) => {
    const states = uploads.map(({ uploadID, format }) => stateOf.get(`${uploadID} ${format}`));
    // Uploads that were deleted meanwhile have no state, and count for nothing.
    return preparationOf(states.filter((state) => state !== undefined));
  });
}

function preparationOf(states: readonly UploadPreparation['state'][]): Preparation {
  if (states.some((state) => state === null || state === 'preparing'))
    return states.includes('ready') ? 'begun' : 'preparing';
  return states.includes('ready') ? 'ready' : 'failed';
}

/** Each upload with its format. */
function inFormats(uploads: readonly UploadsOfFormat[]) {
  return uploads.flatMap(({ format, uploadIDs }) => uploadIDs.map((uploadID) => ({ uploadID, format })));
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
  const uploads = inFormats(uploadsByFormat(items, format));
  const named = uploads.map(({ uploadID, format: each }) => ({ uploadID, format: formatName(each) }));
  for (const { failure } of await data.renditions.lockOfUploads(named)) reasons.add(failure?.detail);
  const [reason, ...others] = reasons;
  return reason !== undefined && others.length === 0 ? reason : usual;
}
