// Refuses that a stream is sent to one place twice, whatever the addresses look like that lead there.
import type { Destination } from '../../data/destinations/destinations.ts';
import type { StreamSettings } from '../../data/streams/streams.ts';
import { placeOf } from '../../domain/destinations/publish-url.ts';
import { destinationKeyPlace, streamKeyPlace } from '../../domain/shared/sealed-places.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';

/**
 * Two publishers with one key would end each other at the destination, again and again. The caller gets the
 * destinations by a query that locks them.
 * @param field of the request, of which a person is told
 * @param others where streams with this destination are sent besides
 * @param keyAlone where a stream goes that has the deprecated stream key only, as `placeOfKeyAlone` answers
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
  throw fieldProblem(field, `The stream is sent there already, ${by}.`, 'output_exists');
}

function placesOf({ sealer }: Context, destination: Destination): string[] {
  const { id, url, backup_url: backupURL, srt_stream_id: srtStreamID } = destination;
  const streamKey = sealer.open(destination.sealed_stream_key, destinationKeyPlace(id));
  return [url, backupURL].flatMap((each) => (each && placeOf({ url: each, streamKey, srtStreamID })) || []);
}

/** Where a stream goes that names no destination, but the deprecated stream key; null for every other stream. */
export function placeOfKeyAlone(
  { sealer, settings: { legacyRtmpURL: url } }: Context,
  streamID: string,
  stream: Pick<StreamSettings, 'destination_id' | 'stream_destination' | 'sealed_stream_key'>,
): string | null {
  const { destination_id: destinationID, stream_destination: managed, sealed_stream_key: sealed } = stream;
  if (destinationID !== null || managed !== null || sealed === null || url === null) return null;
  return placeOf({ url, streamKey: sealer.open(sealed, streamKeyPlace(streamID)), srtStreamID: null });
}
