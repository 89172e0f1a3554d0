// Loads the parts of a stream, its uploads, playlists and destinations, for readiness checks and timelines.
import { longestTitle, titlePlaylistOf } from '../../domain/channels/broadcast-title.ts';
import type { Database } from '../../data/database.ts';
import type { Destination } from '../../data/destinations/destinations.ts';
import type { LiveUse, Output } from '../../data/destinations/outputs.ts';
import type { Playlist } from '../../data/playout/playlists.ts';
import type { PlaylistSpec } from '../../domain/playout/playlist-edits.ts';
import type { UserWithCredits } from '../../data/billing/credit-accounts.ts';
import type { ManagedChannel } from '../../data/channels/managed-streams.ts';
import { formatOfStart } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { excessOver, excessOverPlatform } from '../../domain/destinations/ingest-limits.ts';
import type { IngestExcess } from '../../domain/destinations/ingest-limits.ts';
import { lineOfUpload } from '../../domain/playout/item-title.ts';
import { platformTraits } from '../../domain/channels/managed-platforms.ts';
import type { ManagedFacts } from '../../domain/readiness/managed-readiness.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { judgeReadiness } from '../../domain/readiness/readiness.ts';
import type { DestinationFacts, OutputFacts, PlaylistFacts, UploadFacts } from '../../domain/readiness/readiness.ts';
import type { ReadinessIssue } from '../../domain/readiness/readiness-issues.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { isRunning } from '../../domain/playout/running-texts.ts';
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import { targetOf, usualSound } from '../../domain/playout/sound.ts';
import { lookUploads } from '../../domain/playout/look.ts';
import { isDestinationAllowed } from '../../domain/destinations/destination-url.ts';
import type { ProgrammeWarnings } from '../programme/programme-outlook.ts';
import { planStarts } from '../programme/plan-start.ts';
import type { PlannedStart } from '../programme/plan-start.ts';
import { endOfRun } from '../schedule/planned-times.ts';
import { wantedLogo, wantedStinger } from './look-parts.ts';
import { soundUnderFacts } from './sound-parts.ts';
import { uploadFacts } from '../shared/upload-facts.ts';

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
  readonly uploads: ReadonlyMap<string, Upload>;
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

export async function loadParts(data: Database, stream: Stream): Promise<StreamParts> {
  const users = await data.creditAccounts.withCredits([stream.user_id]);
  const playlists = await data.playlists.findMany(stream.user_id, stream.playlist_ids);
  return (await loadPartsOfAll(data, [stream], { users, playlists })).get(stream.id)!;
}

/** The users of streams, by id, and their playlists. */
export interface KnownParts {
  readonly users: ReadonlyMap<string, UserWithCredits>;
  readonly playlists: readonly Playlist[];
}

/** Loads the parts of streams, by the id of the stream. The number of statements does not depend on their number. */
export async function loadPartsOfAll(
  data: Database,
  streams: readonly Stream[],
  { users, playlists: found }: KnownParts,
): Promise<ReadonlyMap<string, StreamParts>> {
  const named = await namedParts(data, streams, found);
  const channels = await managedParts(data, streams);
  const planned = await planStarts(data, streams, users);
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
  uploads: ReadonlyMap<string, Upload>,
  planned: readonly PlannedStart[] = [],
): ReadonlyMap<string, Upload> {
  return planned.length === 0 ? uploads : new Map([...uploads, ...planned.flatMap((each) => [...each.uploads])]);
}

/** The destination of the first enabled output; the deprecated or managed one of the stream if it has no output. */
function firstDestinationID(stream: Stream, outputs: readonly Output[]): string | null {
  const hasOwnWay = stream.stream_destination === 'managed' || outputs.length === 0;
  return hasOwnWay ? stream.destination_id : (outputs.find(({ enabled }) => enabled)?.destination_id ?? null);
}

/** Loads the outputs of streams, and the uploads and destinations that the streams and their playlists name. */
async function namedParts(data: Database, streams: readonly Stream[], playlists: readonly Playlist[]) {
  const uploadIDs = new Set(
    playlists.flatMap(({ draft, live }) => [...draft.items, ...(live?.items ?? [])].map(({ uploadID }) => uploadID)),
  );
  for (const { video_upload_id: video, audio_upload_id: audio, look } of streams)
    for (const id of [video, audio, ...lookUploads(look)]) if (id !== null) uploadIDs.add(id);
  const outputs = await data.outputs.ofStreams(streams.map(({ id }) => id));
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
  const uploads = uploadIDs.size > 0 ? await data.uploads.lockManyForUse(userIDs, [...uploadIDs]) : [];
  const destinations =
    destinationIDs.size > 0 ? await data.destinations.lockManyForUse(userIDs, [...destinationIDs]) : [];
  const byUser = Map.groupBy(uploads, ({ user_id: userID }) => userID);
  const ownUploads = new Map(
    Array.from(byUser, ([userID, own]) => [userID, new Map(own.map((upload) => [upload.id, upload]))] as const),
  );
  return {
    outputsOf,
    uploadsOf: (userID: string): ReadonlyMap<string, Upload> => ownUploads.get(userID) ?? new Map<string, Upload>(),
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

/**
 * Runs the readiness checks on the loaded parts.
 * @param uses of the destinations, from `liveUsesOf`
 * @param warnings from `warningsOf`; absent: a start needs none
 */
export function issuesOf(
  parts: StreamParts,
  settings: StreamingSettings,
  now: Date,
  uses: readonly LiveUse[],
  warnings: ProgrammeWarnings = new Map(),
): ReadinessIssue[] {
  const { stream, uploads } = parts;
  const factsOf = (id: string) => uploadFacts(uploads.get(id));
  return judgeReadiness(
    {
      playlists: parts.playlists.map((playlist) => playlist && playlistFacts(playlist, factsOf)),
      programmes: parts.programmes.map(({ programme: { kind }, rows, isGap }) => {
        return { kind, rows: rows.length, isGap, warnings: warnings.get(kind) ?? [] };
      }),
      videoUpload: stream.video_upload_id === null ? undefined : factsOf(stream.video_upload_id),
      audioUpload: stream.audio_upload_id === null ? undefined : factsOf(stream.audio_upload_id),
      logo: wantedLogo(stream.look, uploads),
      stinger: wantedStinger(stream.look, shownItems(parts), uploads),
      destination: destinationFacts(parts, settings, uses),
      otherOutputs: otherOutputFacts(parts, settings, uses),
      wantsBackup: wantsBackup(stream),
      managed: managedFacts(parts, settings),
      creditsLeft: parts.creditsLeft,
      accountRest: parts.accountRest,
      scheduleEndAt: stream.schedule_end_at,
      recursWithoutEnd: stream.recurrence?.lengthSeconds === null && !stream.stream_duration_seconds,
      isLive: isLive(stream.state),
      joinsSound: (stream.sound?.join ?? usualSound.join).kind !== 'cut',
      ...soundUnderFacts(stream, shownItems(parts), uploads),
      missesNext: missesNext(parts),
      missesCaptions: missesCaptions(parts),
      missesRunning: stream.stream_backend === 'manifest' && isRunning(stream.look?.overlays),
      isLevelled: targetOf(null, stream.sound) !== null,
    },
    now,
  );
}

/**
 * Whether titles of next items cannot be drawn: prepared pictures in a shuffled order, which changes with each lap.
 * Next titles of a sound track are drawn just in time, in any order.
 */
function missesNext({ stream, playlists }: StreamParts): boolean {
  if (!stream.look?.overlays?.next || stream.stream_backend !== 'manifest') return false;
  if (playsSoundTrack(stream, playlists)) return false;
  return playlists.some((each) => each?.kind === 'video' && specOf(each).mode === 'shuffle');
}

/** The items of the video playlists. */
function shownItems({ playlists }: Pick<StreamParts, 'playlists'>) {
  return playlists.flatMap((each) => (each?.kind === 'video' ? specOf(each).items : []));
}

function missesCaptions({ stream, playlists, uploads }: StreamParts): boolean {
  if (!stream.look?.overlays?.captions) return false;
  const shown = [stream.video_upload_id, ...shownItems({ playlists }).map(({ uploadID }) => uploadID)];
  return shown.every((id) => id === null || !uploads.get(id)?.captions);
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

function playlistFacts(playlist: Playlist, factsOf: (id: string) => UploadFacts | null): PlaylistFacts {
  const spec = specOf(playlist);
  const isDraftUnpublished =
    playlist.draft.items.length > 0 &&
    playlist.live?.version !== playlist.version &&
    playlist.publish_status !== 'PREPARING';
  return { kind: playlist.kind, items: spec.items.map((item) => factsOf(item.uploadID)), isDraftUnpublished };
}

/** The draft of a playlist, which a start plays; else its live snapshot. */
function specOf({ draft, live }: Playlist): PlaylistSpec {
  return draft.items.length > 0 ? draft : (live ?? draft);
}

function destinationFacts(
  parts: StreamParts,
  settings: StreamingSettings,
  uses: readonly LiveUse[],
): DestinationFacts | null | undefined {
  const { stream, destination, destinationID, outputs } = parts;
  if (destinationID !== null) {
    const outputID = outputs.find((output) => output.destination_id === destinationID)?.id ?? null;
    return destination && { outputID, ...addressFacts(destination, parts, settings, uses) };
  }
  const { legacyRtmpURL: url } = settings;
  if (stream.sealed_stream_key === null || url === null) return undefined;
  const excesses = excessesOf([url], parts);
  return { outputID: null, archived: false, allowed: true, hasBackupURL: false, excesses, liveStream: null };
}

function otherOutputFacts(parts: StreamParts, settings: StreamingSettings, uses: readonly LiveUse[]): OutputFacts[] {
  return parts.outputs.flatMap(({ id, name, destination_id: destinationID }) => {
    const destination = parts.destinations.get(destinationID);
    if (!destination) return [];
    return { outputID: id, name: name ?? destination.name, ...addressFacts(destination, parts, settings, uses) };
  });
}

function addressFacts(
  { id, url, backup_url: backupURL, archived_at: archivedAt }: Destination,
  parts: StreamParts,
  settings: StreamingSettings,
  uses: readonly LiveUse[],
): Omit<DestinationFacts, 'outputID'> {
  const urls = backupURL === null ? [url] : [url, backupURL];
  const used = wantsBackup(parts.stream) ? urls : [url];
  const live = uses.find((use) => use.destination_id === id && use.id !== parts.stream.id);
  return {
    archived: archivedAt !== null,
    allowed: urls.every((candidate) => isDestinationAllowed(candidate, settings)),
    hasBackupURL: backupURL !== null,
    excesses: excessesOf(used, parts),
    liveStream: live ? { id: live.id, name: live.name, endsAt: endOfRun(live, live.started_at) } : null,
  };
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

function managedFacts(parts: StreamParts, settings: StreamingSettings): ManagedFacts | null {
  const { managed, format, stream } = parts;
  if (!managed) return null;
  const offersPlatforms = settings.offersPlatforms ?? null;
  const { channel, hasChannel } = managed;
  if (!channel) return { offersPlatforms, hasChannel, channel: null };
  const { title: platform, hasBackupIngest, maxTitleLength } = platformTraits[channel.platform];
  return {
    offersPlatforms,
    hasChannel,
    channel: {
      platform,
      state: channel.state,
      grantEndsAt: channel.grant_expires_at,
      hasBackupIngest,
      excess: excessOverPlatform(platform, format),
      isPrepared: channel.is_prepared,
      isBusy: channel.mirror_code === 'channel_busy',
      quotaExhaustedUntil: channel.quota_exhausted_until,
      isHealthBad: isLive(stream.state) && channel.health_state === 'bad',
      isTitleCut: longestTitle(channel.title_template, namesInTitles(parts)) > maxTitleLength,
    },
  };
}

/** The names of the items that titles of broadcasts name. */
function namesInTitles({ stream, playlists, uploads }: StreamParts): string[] {
  const playlist = titlePlaylistOf(playlists);
  const ids = playlist ? specOf(playlist).items.map(({ uploadID }) => uploadID) : [stream.video_upload_id];
  return ids.flatMap((id) => {
    const upload = id === null ? undefined : uploads.get(id);
    return upload ? lineOfUpload(upload) : [];
  });
}

/** The exceeded limits of ingests, each platform once. */
function excessesOf(urls: readonly string[], { format }: StreamParts): IngestExcess[] {
  const found = urls.flatMap((url) => {
    const server = parsePublishURL(url);
    return (server && excessOver(server.hostname, format, server.way)) ?? [];
  });
  return [...new Map(found.map((excess) => [excess.platform, excess])).values()];
}
