// Checks the fields of a request about a destination, and computes the settings to save.
import type * as z from 'zod';
import type { Destination, DestinationSettings } from '../../data/destinations/destinations.ts';
import { faultOfDestination } from '../../domain/destinations/destination-url.ts';
import {
  adviceOnPublishURL,
  isSamePlace,
  splitPublishURL,
  takesSecret,
} from '../../domain/destinations/publish-url.ts';
import { faultOfStreamKey } from '../../domain/destinations/stream-key.ts';
import type { WayOut } from '../../domain/destinations/ways/way-out.ts';
import { wayNameOf, wayOf, ways } from '../../domain/destinations/ways/ways.ts';
import { destinationKeyPlace, srtPassphrasePlace } from '../../domain/shared/sealed-places.ts';
import type { Context } from '../context.ts';
import { assertNoFaults } from '../field-problems.ts';
import type { FieldFault } from '../field-problems.ts';
import type { destinationFields } from './destination-schema.ts';

const usualLatencyMs = 1000;
/** The fields that hold an address: the general ones, and the ones for RTMP only. */
const addressFields = ['url', 'rtmpURL', 'backupURL', 'backupRtmpURL'] as const;
type AddressField = (typeof addressFields)[number];

/** Fields of a request about a destination. An undefined field keeps its value. */
type DestinationInput = {
  readonly [Field in keyof typeof destinationFields]?: z.output<(typeof destinationFields)[Field]> | undefined;
};

/**
 * Refuses malformed addresses, addresses that users of this stage may not use, and texts that are no stream keys.
 * @throws {ProblemError} with every fault at its field
 */
export function assertDestination(ctx: Context, input: DestinationInput): void {
  const faults = [
    ...addressFields.flatMap((field) => addressFaults(ctx, field, input)),
    ...streamKeyFaults(input.streamKey),
  ];
  const isForbidden = faults.every(([, , code]) => code === 'destination_forbidden');
  assertNoFaults(faults, isForbidden ? 'destination_forbidden' : 'validation_failed');
}

/**
 * Refuses an address or a key for a destination that represents a connected channel.
 * @throws {ProblemError} validation_failed, at each such field
 */
export function assertChannelHasNoAddress(before: Destination, input: DestinationInput): void {
  if (before.connection_id === null) return;
  assertNoFaults(
    ([...addressFields, 'streamKey', 'srt'] as const)
      .filter((field) => input[field] != null)
      .map((field) => [
        field,
        'This destination is a connected channel, which provides the address and key of each stream.',
      ]),
  );
}

/**
 * Computes the settings of a destination after a request. `assertDestination` has checked each field before.
 * @param id of the destination, also of a new one
 * @param before null for a new destination
 * @throws {ProblemError} validation_failed if the fields contradict each other, or if a stored secret would go to
 * another server: a client that may write a secret may not read it
 */
export function settingsOf(
  ctx: Context,
  id: string,
  input: DestinationInput,
  before: Destination | null,
): DestinationSettings {
  const { url: given = before?.url ?? '', backup } = addressesOf(input);
  const { url, streamKey: keyInURL } = splitPublishURL(given);
  const backupURL = backup === undefined ? (before?.backup_url ?? null) : backup && splitPublishURL(backup).url;
  const way = wayOf(url);
  const streamKey = input.streamKey ?? keyInURL ?? undefined;
  const faults = [
    ...faultsOfAddresses(input, url, backupURL, before),
    ...(way === null || before?.connection_id != null
      ? []
      : faultsOfSecrets(way, url, { ...input, streamKey }, before)),
    ...(before ? faultsOfMove(before, input, { url, backupURL, streamKey }) : []),
  ];
  assertNoFaults(faults);
  const isSrt = way?.ownField === 'srt';
  return {
    name: input.name ?? before!.name,
    url,
    backup_url: backupURL,
    sealed_stream_key:
      streamKey === undefined && before
        ? before.sealed_stream_key
        : ctx.sealer.seal(streamKey ?? '', destinationKeyPlace(id)),
    srt_latency_ms: isSrt ? (input.srt?.latencyMs ?? before?.srt_latency_ms ?? usualLatencyMs) : null,
    srt_stream_id: isSrt ? kept(input.srt?.streamID, before?.srt_stream_id) : null,
    sealed_srt_passphrase: isSrt ? sealedPassphrase(ctx, id, input, before) : null,
  };
}

/** The faults of a stream key in a request about a destination or a stream. */
export function streamKeyFaults(streamKey: string | null | undefined): FieldFault[] {
  const detail = streamKey == null ? null : faultOfStreamKey(streamKey);
  return detail === null ? [] : [['streamKey', detail]];
}

function addressFaults(ctx: Context, field: AddressField, input: DestinationInput): FieldFault[] {
  const url = input[field];
  if (!url) return [];
  const isForRtmp = field === 'rtmpURL' || field === 'backupRtmpURL';
  const fault = isForRtmp && wayNameOf(url) !== 'rtmp' ? 'malformed' : faultOfDestination(url, ctx.settings);
  const advice = isForRtmp ? ways.rtmp.adviceOn : adviceOnPublishURL;
  if (fault === 'malformed') return [[field, advice(url)]];
  if (fault === 'forbidden')
    return [[field, 'Streaming to this address is not allowed. Use a public address.', 'destination_forbidden']];
  if (input.streamKey === undefined || !wayOf(url)?.endsInKey(url, input.streamKey)) return [];
  return [[field, 'The address ends with the stream key. Remove the key: the platform adds it when it publishes.']];
}

/** Reads each address under either of its names. */
function addressesOf({ url, rtmpURL, backupURL, backupRtmpURL }: DestinationInput) {
  return { url: url ?? rtmpURL, backup: backupURL === undefined ? backupRtmpURL : backupURL };
}

function faultsOfAddresses(
  input: DestinationInput,
  url: string,
  backupURL: string | null,
  before: Destination | null,
): FieldFault[] {
  const faults: FieldFault[] = [];
  if (input.url !== undefined && input.rtmpURL !== undefined) faults.push(['url', 'Set either url or rtmpURL.']);
  if (input.backupURL != null && input.backupRtmpURL != null)
    faults.push(['backupURL', 'Set either backupURL or backupRtmpURL.']);
  if (url === '' && !before) faults.push(['url', 'The address is missing.']);
  const field = input.backupRtmpURL == null ? 'backupURL' : 'backupRtmpURL';
  const way = wayOf(url);
  if (backupURL !== null && wayOf(backupURL) !== way)
    faults.push([field, 'The backup must use the same protocol as the main address.']);
  if (backupURL === url && way && way.adviceOnSharedAddress !== null) faults.push([field, way.adviceOnSharedAddress]);
  return faults;
}

function faultsOfSecrets(
  way: WayOut,
  url: string,
  { streamKey, srt }: Pick<DestinationInput, 'streamKey' | 'srt'>,
  before: Destination | null,
): FieldFault[] {
  const faults: FieldFault[] = [];
  const adviceOnExtraKey = way.adviceOnExtraKey(url);
  const hadKey = before !== null && wayOf(before.url)?.adviceOnExtraKey(before.url) === null;
  if (adviceOnExtraKey === null && streamKey === undefined && !hadKey)
    faults.push(['streamKey', 'The stream key is missing.']);
  if (adviceOnExtraKey !== null && streamKey !== undefined) faults.push(['streamKey', adviceOnExtraKey]);
  if (way.ownField !== 'srt' && srt !== undefined) faults.push(['srt', 'srt applies only to srt:// addresses.']);
  return faults;
}

/** A stored secret may go only to the places that its user gave it for. */
function faultsOfMove(
  before: Destination,
  input: DestinationInput,
  after: { readonly url: string; readonly backupURL: string | null; readonly streamKey: string | undefined },
): FieldFault[] {
  const known = [before.url, before.backup_url ?? before.url].filter(takesSecret);
  const isSrt = wayOf(after.url)?.ownField === 'srt';
  const isSecretGiven = isSrt ? input.srt?.passphrase !== undefined : after.streamKey !== undefined;
  if (isSecretGiven || (isSrt && before.sealed_srt_passphrase === null)) return [];
  const secret = isSrt ? 'srt.passphrase' : 'streamKey';
  return addressFields
    .filter((field) => input[field] && takesSecret(input[field]))
    .filter((field) => !known.some((url) => isSamePlace(url, splitPublishURL(input[field]!).url)))
    .map((field) => [
      field,
      `This is a different host, port or path. Include ${secret}: the stored secret is only sent to its original ` +
        'place.',
    ]);
}

function sealedPassphrase(
  ctx: Context,
  id: string,
  { srt }: DestinationInput,
  before: Destination | null,
): Buffer | null {
  if (srt?.passphrase === undefined) return before?.sealed_srt_passphrase ?? null;
  return srt.passphrase === null ? null : ctx.sealer.seal(srt.passphrase, srtPassphrasePlace(id));
}

function kept<T>(given: T | null | undefined, before: T | null | undefined): T | null {
  return given === undefined ? (before ?? null) : given;
}
