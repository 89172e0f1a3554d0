// The readiness of a stream by its loaded parts: their facts, as the domain judges them.
import { longestTitle, titlePlaylistOf } from '../../domain/channels/broadcast-title.ts';
import type { LiveUse } from '../../data/destinations/outputs.ts';
import type { Destination } from '../../data/destinations/destinations.ts';
import type { Playlist } from '../../data/playout/playlists.ts';
import type { PlaylistSpec } from '../../domain/playout/playlist-edits.ts';
import { excessOver, excessOverPlatform } from '../../domain/destinations/ingest-limits.ts';
import type { IngestExcess } from '../../domain/destinations/ingest-limits.ts';
import { lineOfUpload } from '../../domain/playout/item-title.ts';
import { platformTraits } from '../../domain/channels/managed-platforms.ts';
import type { ManagedFacts } from '../../domain/readiness/managed-readiness.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { judgeReadiness } from '../../domain/readiness/readiness.ts';
import type { DestinationFacts, OutputFacts, PlaylistFacts, UploadFacts } from '../../domain/readiness/readiness.ts';
import type { ReadinessIssue } from '../../domain/readiness/readiness-issues.ts';
import { isRunning } from '../../domain/playout/running-texts.ts';
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import { targetOf, usualSound } from '../../domain/playout/sound.ts';
import { isDestinationAllowed } from '../../domain/destinations/destination-url.ts';
import type { ProgrammeWarnings } from '../programme/programme-outlook.ts';
import { endOfRun } from '../schedule/planned-times.ts';
import { wantedLogo, wantedStinger } from './look-parts.ts';
import { soundUnderFacts } from './sound-parts.ts';
import { playsSoundTrack, wantsBackup } from './stream-parts.ts';
import type { StreamingSettings, StreamParts } from './stream-parts.ts';
import { uploadFacts } from '../shared/upload-facts.ts';

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
