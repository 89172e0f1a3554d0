// Carries out a publish: the draft as it was when it was asked for becomes the live snapshot, also of a stream that is running.
import type { Database } from '../data/database.ts';
import type { Playlist } from '../data/playlists.ts';
import { formatOfRun, formatOfStart } from '../data/streams.ts';
import type { Stream } from '../data/streams.ts';
import { boundaryAfter } from '../domain/play-out.ts';
import type { PictureFormat } from '../domain/rendition.ts';
import { isLive } from '../domain/stream-lifecycle.ts';
import { framesPerSecond } from '../domain/video-format.ts';
import { judgeParts } from './judge-parts.ts';
import { lockWithStream } from './lock-with-stream.ts';
import { keepPrepared, remedyFor, requestPreparation } from './prepare-media.ts';
import { snapshotOfPlaylist } from './timeline-snapshots.ts';

/** A change takes effect at the first item boundary at least this far ahead, so that every replica knows it in time (design, part 4). */
const effectiveAheadSeconds = 10;

/** Asks for the draft of a playlist to be published. The caller has locked it with its stream; one publish supersedes the one before. */
export async function requestPublish(data: Database, stream: Stream, playlist: Playlist): Promise<Playlist> {
  const publishing = await data.playlists.beginPublish(playlist.id);
  await data.streamParts.settleProcessing(stream.id);
  await data.outbox.send({
    queue: 'media',
    body: { task: 'publish_playlist', playlistID: playlist.id, request: publishing.publish_request },
  });
  await keepPrepared(data, 'playlist', playlist.id, { retries: true });
  return publishing;
}

/**
 * Finishes one publish request. It waits, by doing nothing, while an item is still being probed or prepared: the end of each asks again.
 * A request that a later one has superseded does nothing either.
 * @param now the database's time, as the anchor of a run is
 */
export async function publishPlaylist(
  data: Database,
  playlistID: string,
  request: number,
  now: Date,
  random: () => number,
): Promise<void> {
  const locked = await lockWithStream(data, playlistID);
  if (!locked) return;
  const { stream, playlist } = locked;
  if (!playlist.publishing || playlist.publish_request !== request || playlist.publish_status !== 'PREPARING') return;

  const { publishing } = playlist;
  const found = await data.uploads.findSettled(
    playlist.user_id,
    publishing.items.map((item) => item.uploadID),
  );
  if (found.some((upload) => upload.uploaded && upload.probe_state === 'pending')) return;

  const uploads = new Map(found.map((upload) => [upload.id, upload]));
  const snapshot = snapshotOfPlaylist(playlist.kind, publishing, uploads, Math.floor(random() * 2 ** 31));
  if (snapshot.items.length === 0) {
    const detail = 'No item of the playlist can be played: look at the failure of each upload in it.';
    await data.playlists.failPublish(playlist.id, { code: 'playlist_not_playable', detail });
    await settle(data, stream);
    return;
  }
  if (stream.stream_backend === 'manifest') {
    const uploadIDs = snapshot.items.map((item) => item.uploadID);
    const format = await formatOf(data, stream);
    const preparation = await requestPreparation(data, playlist.kind, uploadIDs, format, { retries: false });
    if (preparation === 'preparing') return;
    if (preparation === 'failed') {
      const remedy = await remedyFor(
        data,
        uploadIDs,
        playlist.kind === 'audio' ? 'sound' : format,
        'Replace its uploads.',
      );
      const detail = `No item of the playlist could be prepared. ${remedy}`;
      await data.playlists.failPublish(playlist.id, { code: 'playlist_not_playable', detail });
      await settle(data, stream);
      return;
    }
  }
  await data.playlists.finishPublish(playlist.id, { ...publishing, publishedAt: now.toISOString() });
  await settle(data, stream);
  if (isLive(stream.state) && stream.state !== 'stopping' && stream.playlist_ids.includes(playlist.id)) {
    await takeOver(data, stream, playlist, snapshot, now);
  }
}

/** What the stream plays at now, or will when it is started. */
async function formatOf(data: Database, stream: Stream): Promise<PictureFormat> {
  return isLive(stream.state)
    ? formatOfRun(stream)
    : formatOfStart(stream, (await data.accounts.find(stream.user_id))!);
}

/** A stream that plays a playlist which could not be published is invalid, until it could. */
async function settle(data: Database, stream: Stream): Promise<void> {
  await data.streamParts.settleProcessing(stream.id);
  await judgeParts(data, stream);
}

async function takeOver(
  data: Database,
  stream: Stream,
  playlist: Playlist,
  snapshot: ReturnType<typeof snapshotOfPlaylist>,
  now: Date,
): Promise<void> {
  const track = playlist.kind;
  const replacement = { playlistID: playlist.id, snapshot };
  // Nothing has been sent yet: the run begins with the new snapshot.
  if (stream.anchored_at === null) return data.timelines.append(stream.id, track, { ...replacement, offsetSeconds: 0 });
  const timeline = (await data.timelines.ofStream(stream.id))[track];
  const fps = framesPerSecond[stream.run_framerate!];
  const elapsedSeconds = (now.getTime() - stream.anchored_at.getTime()) / 1000;
  const boundary = boundaryAfter(timeline, Math.ceil((elapsedSeconds + effectiveAheadSeconds) * fps), fps);
  await data.timelines.append(stream.id, track, { ...replacement, offsetSeconds: boundary / fps });
}
