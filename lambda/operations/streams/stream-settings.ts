// Checks the resources, times and codec that a request about a stream names.
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import type { StreamSettings } from '../../domain/streams/stream-settings.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';
import { judgeParts } from '../../orchestration/streams/judge-parts.ts';
import { lockWithStream } from '../../orchestration/shared/lock-with-stream.ts';
import { keepPrepared } from '../../orchestration/playout/keep-prepared.ts';
import type { Context } from '../context.ts';
import { streamKeyFaults } from '../destinations/destination-wish.ts';
import { assertNoFaults, fieldProblem } from '../field-problems.ts';
import type { StreamInput } from './stream-fields.ts';

const channelNeedsSettings =
  'This destination is a connected channel. Set streamDestination to managed, and managedSettingsID to settings ' +
  'of that channel.';

/** The settings of a new stream. If the request names no backend, the stream gets the default backend of the stage. */
export function withDefaultBackend(
  { settings: { defaultStreamBackend } }: Context,
  settings: StreamSettings,
): StreamSettings {
  if (settings.stream_backend !== null || defaultStreamBackend === 'ffmpeg') return settings;
  return { ...settings, stream_backend: defaultStreamBackend };
}

/** Whether the caller may change the backend of a stream that is not live. */
export async function mayChangeBackend({ settings, data, caller }: Context): Promise<boolean> {
  return settings.streamBackendEdit || (await data.users.find(caller.userID))!.stream_backend_edit;
}

/** The backend of a stream. */
export function backendOf({ stream_backend: backend }: Pick<StreamSettings, 'stream_backend'>): StreamBackend {
  return backend ?? 'ffmpeg';
}

/**
 * Refuses resources that do not belong to the caller, and times in the past. Reports all of them.
 * @throws {ProblemError} validation_failed, schedule_in_past
 */
export async function assertFields(ctx: Context, input: StreamInput): Promise<void> {
  const { userID } = ctx.caller;
  const faults = streamKeyFaults(input.streamKey);
  const miss = (field: string, what: string) => faults.push([field, `There is no such ${what}.`]);

  for (const field of ['videoUploadObjectID', 'audioUploadObjectID'] as const) {
    const id = input[field];
    if (id && !(await ctx.data.uploads.find(userID, id))) miss(field, 'upload');
  }
  const logoID = input.look?.overlays?.logo?.uploadID;
  if (logoID && (await ctx.data.uploads.find(userID, logoID))?.type !== 'image')
    miss('look/overlays/logo/uploadID', 'image');
  const stingerID = input.look?.stinger?.uploadID;
  if (stingerID && (await ctx.data.uploads.find(userID, stingerID))?.type !== 'video')
    miss('look/stinger/uploadID', 'video');
  if (input.destinationID) {
    const destination = await ctx.data.destinations.find(userID, input.destinationID);
    if (!destination) miss('destinationID', 'destination');
    else if (destination.connection_id !== null) faults.push(['destinationID', channelNeedsSettings]);
  }
  if (input.managedSettingsID && !(await ctx.data.managedSettings.find(userID, input.managedSettingsID)))
    miss('managedSettingsID', 'managed settings');
  for (const field of ['playlistIDs', 'preparedPlaylistIDs'] as const) {
    const ids = input[field] ?? [];
    const found = ids.length > 0 ? await ctx.data.playlists.findMany(userID, ids) : [];
    ids.forEach((id, index) => {
      if (!found.some((playlist) => playlist.id === id)) miss(`${field}/${index}`, 'playlist');
    });
    const kinds = found.map((playlist) => playlist.kind);
    const repeated = new Set(ids).size < ids.length || (field === 'playlistIDs' && new Set(kinds).size < kinds.length);
    if (repeated) faults.push([field, 'Name at most one playlist of each kind, each of them once.']);
  }
  assertNoFaults(faults);
  const past = (['scheduleStartAt', 'scheduleEndAt'] as const).filter(
    (field) => input[field] && input[field] <= ctx.now,
  );
  assertNoFaults(past.map((field) => [field, 'The time is in the past.', 'schedule_in_past']));
}

/** Refuses a schedule whose end is not after its start. */
export function assertSchedule(input: StreamInput, settings: StreamSettings): void {
  const { schedule_start_at: startAt, schedule_end_at: endAt } = settings;
  if ((input.scheduleStartAt || input.scheduleEndAt) && startAt && endAt && endAt <= startAt) {
    throw fieldProblem('scheduleEndAt', 'The end must be after the start.');
  }
}

/** Refuses a codec that the stream's backend cannot send. Only the prepared backend sends codecs other than H.264. */
export function assertVideoCodec(
  input: StreamInput,
  { video_codec: videoCodec, stream_backend: backend }: StreamSettings,
): void {
  const isGiven = input.videoCodec !== undefined || input.streamBackend !== undefined;
  if (!isGiven || videoCodec === null || videoCodec === 'h264' || backend === 'manifest') return;
  const field = input.videoCodec === undefined ? 'streamBackend' : 'videoCodec';
  throw fieldProblem(
    field,
    `Only prepared media can be sent in ${videoCodec}. Set streamBackend to manifest, or videoCodec to h264.`,
  );
}

/**
 * Moves the playlists of the request to the stream, from the streams that they belonged to, as far as these exist.
 * @throws {ProblemError} stream_live if a playlist belongs to another live stream
 */
export async function adoptPlaylists(ctx: Context, streamID: string, playlistIDs: readonly string[]): Promise<void> {
  for (const id of playlistIDs) {
    const found = await lockWithStream(ctx.data, id);
    if (!found || found.playlist.stream_id === streamID) continue;
    const { stream: former } = found;
    if (former && isLive(former.state))
      throw fieldProblem(
        'playlistIDs',
        `The playlist ${id} belongs to a stream that is live. Stop that one first.`,
        'stream_live',
      );
    await ctx.data.playlists.moveToStream(id, streamID);
    if (!former) continue;
    await ctx.data.streamParts.updateProcessingState(former.id);
    await judgeParts(ctx.data, await ctx.data.streamParts.detachPlaylist(former.id, id));
  }
  if (playlistIDs.length > 0) await ctx.data.streamParts.updateProcessingState(streamID);
}

/**
 * Requests the preparation of the playlists that the stream keeps prepared. Locks the playlists, so that a concurrent
 * edit is either included or sees the stream's request.
 */
export async function keepPlaylistsPrepared(ctx: Context, streamID: string, settings: StreamSettings): Promise<void> {
  if (settings.prepared_playlist_ids.length === 0) return;
  await ctx.data.playlists.lockMany([ctx.caller.userID], settings.prepared_playlist_ids);
  await keepPrepared(ctx.data, 'stream', streamID, { retries: 'at once', limitFactor: ctx.settings.limitFactor });
}
