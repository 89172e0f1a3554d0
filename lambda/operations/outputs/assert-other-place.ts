// Refuses a second output to the same place, even if the addresses look different.
import type { Destination } from '../../data/destinations/destinations.ts';
import { placeOf } from '../../domain/destinations/publish-url.ts';
import type { StreamSettings } from '../../domain/streams/stream-settings.ts';
import { destinationKeyPlace, streamKeyPlace } from '../../domain/shared/sealed-places.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';

/**
 * Refuses a destination that the stream is already sent to: two publishers with the same key would repeatedly
 * disconnect each other. The destinations are locked.
 * @param field the field of the request that the problem names
 * @param others the other destinations of the streams that use this one
 * @param keyAlone the place of a stream that has only the deprecated stream key, from `placeOfKeyAlone`
 * @throws {ProblemError} output_exists
 */
export function assertOtherPlace(
  ctx: Context,
  field: string,
  destination: Destination,
  others: readonly Destination[],
  keyAlone: string | null = null,
): void {
  const places = new Set(placesOf(ctx, destination));
  const same = others.find((other) => placesOf(ctx, other).some((place) => places.has(place)));
  if (!same && (keyAlone === null || !places.has(keyAlone))) return;
  const by = same ? `by destination ${same.id}` : 'by its streamKey';
  throw fieldProblem(field, `The stream is already sent to this place ${by}.`, 'output_exists');
}

function placesOf({ sealer }: Context, destination: Destination): string[] {
  const { id, url, backup_url: backupURL, srt_stream_id: srtStreamID } = destination;
  const streamKey = sealer.open(destination.sealed_stream_key, destinationKeyPlace(id));
  return [url, backupURL].flatMap((each) => (each && placeOf({ url: each, streamKey, srtStreamID })) || []);
}

/** The place of a stream that has only the deprecated stream key and no destination; null for every other stream. */
export function placeOfKeyAlone(
  { sealer, settings: { legacyRtmpURL: url } }: Context,
  streamID: string,
  stream: Pick<StreamSettings, 'destination_id' | 'stream_destination' | 'sealed_stream_key'>,
): string | null {
  const { destination_id: destinationID, stream_destination: managed, sealed_stream_key: sealed } = stream;
  if (destinationID !== null || managed !== null || sealed === null || url === null) return null;
  return placeOf({ url, streamKey: sealer.open(sealed, streamKeyPlace(streamID)), srtStreamID: null });
}
