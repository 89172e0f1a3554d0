// Loads the parts of a stream, its uploads, playlists and destinations, for readiness checks and timelines.
import type { Database } from '../../data/database.ts';
import type { Destination } from '../../data/destinations/destinations.ts';
import type { LiveUse, Output } from '../../data/destinations/outputs.ts';
import type { Playlist } from '../../data/playout/playlists.ts';
import type { UserWithCredits } from '../../data/billing/credit-accounts.ts';
import type { ManagedChannel } from '../../data/channels/managed-streams.ts';
import { formatOfStart } from '../../data/streams/streams.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { lookUploads } from '../../domain/playout/look.ts';
import { planStarts } from '../programme/plan-start.ts';
import type { PlannedStart } from '../programme/plan-start.ts';

/** The settings of a stage that matter for streams. */
export interface StreamingSettings {
  readonly allowPrivateAddresses: boolean;
  /** The address for streams with only the deprecated streamKey; null: such streams cannot start. */
  readonly legacyRtmpURL: string | null;
  /** Whether any managed platform is set up; absent: unknown. */
  readonly offersPlatforms?: boolean;
  /** Multiplies every limit of domain/shared/limits.ts. */
  readonly limitFactor: number;
}

/** The existing parts that a stream names. */
export interface StreamParts {
  readonly stream: Stream;
  /** The format of a start now. */
  readonly format: PictureFormat;
  /** The playlists in the order of playlist_ids; null: deleted. */
  readonly playlists: readonly (Playlist | null)[];
  readonly uploads: ReadonlyMap<string, PartUpload>;
  readonly destination: Destination | null;
  /** The id of the destination of its first enabled output; null: none. */
  readonly destinationID: string | null;
  readonly allOutputs: readonly Output[];
  /** The enabled outputs. */
  readonly outputs: readonly Output[];
  /** The destinations of its other outputs, by id. */
  readonly destinations: ReadonlyMap<string, Destination>;
  /** The channel of a managed stream; null: the stream goes to destinations. */
  readonly managed: { readonly channel: ManagedChannel | null; readonly hasChannel: boolean } | null;
  /** The beginnings of its published programmes, if it started now. */
  readonly programmes: readonly PlannedStart[];
  readonly creditsLeft: number;
  /** The reason that the user sees while the account is at rest; null: it is not. */
  readonly accountRest: string | null;
}

/** Loads the parts of a stream to show them: nothing is locked. */
export function loadParts(data: Database, stream: Stream): Promise<StreamParts> {
  return partsOf(data, stream, false);
}

/** Loads the parts of a stream. No other transaction deletes its uploads or destinations until this one ends. */
export function lockParts(data: Database, stream: Locked<Stream>): Promise<StreamParts> {
  return partsOf(data, stream, true);
}

async function partsOf(data: Database, stream: Stream, lock: boolean): Promise<StreamParts> {
  const users = await data.creditAccounts.withCredits([stream.user_id]);
  const playlists = await data.playlists.findMany(stream.user_id, stream.playlist_ids);
  return (await partsOfAll(data, [stream], { users, playlists }, lock)).get(stream.id)!;
}

/** The users of streams, by id, and their playlists. */
export interface KnownParts {
  readonly users: ReadonlyMap<string, UserWithCredits>;
  readonly playlists: readonly Playlist[];
}

/**
 * Loads the parts of streams, by the id of the stream, as `lockParts` does. The number of statements does not depend on
 * their number.
 */
export function lockPartsOfAll(
  data: Database,
  streams: readonly Stream[],
  known: KnownParts,
): Promise<ReadonlyMap<string, StreamParts>> {
  return partsOfAll(data, streams, known, true);
}

async function partsOfAll(
  data: Database,
  streams: readonly Stream[],
  { users, playlists: found }: KnownParts,
  lock: boolean,
): Promise<ReadonlyMap<string, StreamParts>> {
  const named = await namedParts(data, streams, found, lock);
  const channels = await managedParts(data, streams);
  const planned = await planStarts(data, streams, users, { lock });
  return new Map(
    streams.map((stream) => {
      const { id, user_id: userID } = stream;
      const user = users.get(userID)!;
      const isOwn = (part: { readonly user_id: string }) => part.user_id === userID;
      const ownPart = <Part extends { readonly user_id: string }>(part: Part | undefined) =>
        part && isOwn(part) ? part : null;
      const outputs = named.outputsOf(id).filter(({ enabled }) => enabled);
      const destinationID = firstDestinationID(stream, named.outputsOf(id));
      const further = outputs.flatMap(({ destination_id: id }) => ownPart(named.destinations.get(id)) ?? []);
      const parts: StreamParts = {
        stream,
        format: formatOfStart(stream, user),
        playlists: stream.playlist_ids.map((each) => ownPart(found.find((playlist) => playlist.id === each))),
        uploads: withUploads(named.uploadsOf(userID), planned.get(id)),
        programmes: planned.get(id) ?? [],
        destination: destinationID === null ? null : ownPart(named.destinations.get(destinationID)),
        destinationID,
        allOutputs: named.outputsOf(id),
        outputs,
        destinations: new Map(further.filter((each) => each.id !== destinationID).map((each) => [each.id, each])),
        managed: channels.get(id) ?? null,
        accountRest: user.is_at_rest ? (user.held_reason ?? '') : null,
        creditsLeft: user.credits_left,
      };
      return [id, parts];
    }),
  );
}

function withUploads(
  uploads: ReadonlyMap<string, PartUpload>,
  planned: readonly PlannedStart[] = [],
): ReadonlyMap<string, PartUpload> {
  return planned.length === 0 ? uploads : new Map([...uploads, ...planned.flatMap((each) => [...each.uploads])]);
}

/** The destination of the first enabled output; the deprecated or managed one of the stream if it has no output. */
function firstDestinationID(stream: Stream, outputs: readonly Output[]): string | null {
  const hasOwnWay = stream.stream_destination === 'managed' || outputs.length === 0;
  return hasOwnWay ? stream.destination_id : (outputs.find(({ enabled }) => enabled)?.destination_id ?? null);
}

/** Loads the outputs of streams, and the uploads and destinations that the streams and their playlists name. */
async function namedParts(
  { outputs: outputRows, streamParts: parts, destinations: destinationRows }: Database,
  streams: readonly Stream[],
  playlists: readonly Playlist[],
  lock: boolean,
) {
  const uploadIDs = new Set(
    playlists.flatMap(({ draft, live }) => [...draft.items, ...(live?.items ?? [])].map(({ uploadID }) => uploadID)),
  );
  for (const { video_upload_id: video, audio_upload_id: audio, look } of streams)
    for (const id of [video, audio, ...lookUploads(look)]) if (id !== null) uploadIDs.add(id);
  const outputs = await outputRows.ofStreams(streams.map(({ id }) => id));
  const byStream = Map.groupBy(outputs, ({ stream_id: streamID }) => streamID);
  const outputsOf = (streamID: string) => byStream.get(streamID) ?? [];
  const destinationIDs = new Set(
    streams.flatMap((stream) => {
      const ofOutputs = outputsOf(stream.id).filter(({ enabled }) => enabled);
      const ids = [firstDestinationID(stream, outputsOf(stream.id)), ...ofOutputs.map((each) => each.destination_id)];
      return ids.filter((id) => id !== null);
    }),
  );
  const userIDs = streams.map(({ user_id: userID }) => userID);
  const readUploads = lock ? parts.lockUploads : parts.uploads;
  const readDestinations = lock ? destinationRows.lockManyForUse : destinationRows.findMany;
  const uploads = uploadIDs.size > 0 ? await readUploads(userIDs, [...uploadIDs]) : [];
  const destinations = destinationIDs.size > 0 ? await readDestinations(userIDs, [...destinationIDs]) : [];
  const byUser = Map.groupBy(uploads, ({ user_id: userID }) => userID);
  const ownUploads = new Map(
    Array.from(byUser, ([userID, own]) => [userID, new Map(own.map((upload) => [upload.id, upload]))] as const),
  );
  return {
    outputsOf,
    uploadsOf: (userID: string): ReadonlyMap<string, PartUpload> =>
      ownUploads.get(userID) ?? new Map<string, PartUpload>(),
    destinations: new Map(destinations.map((each) => [each.id, each])),
  };
}

/** The live streams that are sent to the destinations of these streams. */
export async function liveUsesOf(data: Database, loaded: readonly StreamParts[]): Promise<LiveUse[]> {
  const ids = loaded.flatMap(({ destination, destinations }) => [
    ...(destination ? [destination.id] : []),
    ...destinations.keys(),
  ]);
  return ids.length === 0 ? [] : data.outputs.liveUses(ids);
}

/** Whether the stream has a sound track, whose titles are shown in place of those of the pictures. */
export function playsSoundTrack(
  { audio_upload_id: audioUploadID, planned_tracks: planned }: Pick<Stream, 'audio_upload_id' | 'planned_tracks'>,
  playlists: readonly (Pick<Playlist, 'kind'> | null)[],
): boolean {
  return (
    audioUploadID !== null || planned?.includes('audio') || playlists.some((playlist) => playlist?.kind === 'audio')
  );
}

/** Whether the stream runs a backup replica, which only agent mode offers. */
export function wantsBackup(stream: Stream): boolean {
  return Boolean(stream.agent_mode_enabled && stream.run_backup_stream);
}

/**
 * Whether a named part is deleted, failed or archived, or is a playlist whose publish failed. An idle stream with such
 * a part is `invalid`.
 */
export function hasMissingPart(parts: StreamParts): boolean {
  const { stream, uploads, destination, destinationID } = parts;
  const uploadLost = [stream.video_upload_id, stream.audio_upload_id].some(
    (id) => id !== null && (uploads.get(id)?.probe_state ?? 'failed') === 'failed',
  );
  const destinationLost = destinationID !== null && (destination === null || destination.archived_at !== null);
  const playlistLost = parts.playlists.some((playlist) => playlist === null || playlist.publish_status === 'FAILED');
  return uploadLost || destinationLost || playlistLost;
}

/** The channels of the managed streams among these, by the id of the stream. */
async function managedParts(data: Database, streams: readonly Stream[]) {
  const channels = new Map<string, NonNullable<StreamParts['managed']>>();
  for (const { id, user_id: userID, stream_destination: destination } of streams) {
    if (destination !== 'managed') continue;
    const channel = await data.managedStreams.channel(id);
    channels.set(id, { channel, hasChannel: channel !== null || (await data.managedStreams.hasConnected(userID)) });
  }
  return channels;
}
